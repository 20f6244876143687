package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/cmd/streamsql/child"
)

// node is a server under measurement, in a process of its own.
type node struct {
	server *child.Server
	dir    string
	db     *sql.DB // of database b
	gone   child.Usage
	alive  sync.RWMutex // held to write while the server is started again
}

// startNode runs a server on an empty data directory.
func startNode(ctx context.Context, o *options) (*node, error) {
	dir, err := os.MkdirTemp("", "streamsql-bench-")
	if err != nil {
		return nil, err
	}
	n := &node{dir: dir}
	n.server, err = child.Start(ctx, child.Options{
		Binary: o.host.Binary, Data: filepath.Join(dir, "data"),
		Args: []string{"--debug=127.0.0.1:0", "--http=127.0.0.1:0", "--checkpoint-interval=1s", "--log-level=warn", "--workers=" + strconv.Itoa(o.workers)},
	})
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	admin, err := sql.Open("mysql", n.server.DSN())
	if err == nil {
		_, err = admin.ExecContext(ctx, "CREATE DATABASE b")
		admin.Close()
	}
	if err == nil {
		n.db, err = n.open("")
	}
	if err != nil {
		n.stop()
		return nil, err
	}
	return n, nil
}

// open is a pool of connections to database b. args are further ones of the DSN.
func (n *node) open(args string) (*sql.DB, error) {
	c, err := mysql.ParseDSN(n.server.DSN() + "b?" + args)
	if err != nil {
		return nil, err
	}
	c.Logger = &mysql.NopLogger{} // a connection of a server that was killed is no news
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// stop ends the server and removes its data.
func (n *node) stop() {
	if n.db != nil {
		n.db.Close()
	}
	n.server.Kill()
	os.RemoveAll(n.dir)
}

// restart kills the server by SIGKILL and starts it again, and returns how long that
// took.
func (n *node) restart(ctx context.Context) (time.Duration, error) {
	u, err := n.server.Usage(ctx)
	if err != nil {
		return 0, err
	}
	n.alive.Lock()
	defer n.alive.Unlock()
	n.server.Kill()
	cpu, peak := n.server.Spent()
	n.gone.CPU, n.gone.PeakRSS = n.gone.CPU+cpu, max(n.gone.PeakRSS, peak)
	n.gone.Allocated += u.Allocated
	begin := time.Now()
	if err := n.server.Start(ctx); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	// To take the state out of the checkpoint is the restart's, not that of events.
	if u, err = n.server.Usage(ctx); err == nil {
		n.gone.Allocated -= u.Allocated
	}
	return took, err
}

// usage is what all processes of the node have used by now.
func (n *node) usage(ctx context.Context) (child.Usage, error) {
	u, err := n.server.Usage(ctx)
	u.CPU, u.Allocated = u.CPU+n.gone.CPU, u.Allocated+n.gone.Allocated
	u.PeakRSS = max(u.PeakRSS, n.gone.PeakRSS)
	return u, err
}

// profileFor writes a CPU profile of so many seconds into the directory that was asked
// for, in the background, and then one of all that was allocated until its end; wait for
// the channel.
func (n *node) profileFor(ctx context.Context, o *options, name string, seconds int) <-chan error {
	done := make(chan error, 1)
	if o.profile == "" {
		done <- nil
		return done
	}
	go func() {
		write := func(suffix string, profile func(io.Writer) error) error {
			f, err := os.Create(filepath.Join(o.profile, name+suffix))
			if err != nil {
				return err
			}
			return errors.Join(profile(f), f.Close())
		}
		err := os.MkdirAll(o.profile, 0o755)
		if err == nil {
			err = write(".pprof", func(w io.Writer) error { return n.server.Profile(ctx, seconds, w) })
		}
		if err == nil {
			err = write("-allocs.pprof", func(w io.Writer) error { return n.server.Allocations(ctx, w) })
		}
		done <- err
	}()
	return done
}

func (n *node) exec(ctx context.Context, texts ...string) error {
	for _, text := range texts {
		if _, err := n.db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%.200s: %w", text, err)
		}
	}
	return nil
}

// rows are those of a query, their values apart by tabs.
func (n *node) rows(ctx context.Context, query string) ([]string, error) {
	rows, err := n.db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, at := make([]sql.RawBytes, len(names)), make([]any, len(names))
	for i := range values {
		at[i] = &values[i]
	}
	var out []string
	var line []byte
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			return nil, err
		}
		line = line[:0]
		for i, v := range values {
			if i > 0 {
				line = append(line, '\t')
			}
			if v == nil {
				line = append(line, "NULL"...)
			} else {
				line = appendEscaped(line, v)
			}
		}
		out = append(out, string(line))
	}
	return out, rows.Err()
}

// diskSize is how many bytes lie below a directory of the data.
func (n *node) diskSize(below string) (size int64) {
	_ = filepath.WalkDir(filepath.Join(n.dir, "data", below), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// appendEscaped writes a value as `mysql --batch` does.
func appendEscaped(dst, v []byte) []byte {
	for _, c := range v {
		switch c {
		case '\\':
			dst = append(dst, `\\`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case 0:
			dst = append(dst, `\0`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
