package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// bulkRows is how many rows an INSERT, or a request, of many has.
const bulkRows = 1000

// writing is one way to write rows: client c's k-th write puts rows with the numbers
// from first on, so many.
type writing struct {
	name    string
	clients int
	rows    int
	bar     float64 // thousand rows a second
	open    func(ctx context.Context, n *node) (write func(ctx context.Context, client int, first int64) error, done func(), err error)
}

var writings = []writing{
	{"INSERT of 1000 rows", 4, bulkRows, 200, openBulk},
	{"INSERT of one row", connections, 1, 10, openSingle},
	{"JSON over HTTP", 4, bulkRows, 400, openHTTP},
}

const ingestTable = "CREATE STREAM TABLE bid (id BIGINT NOT NULL, auction BIGINT, bidder BIGINT, price BIGINT, channel VARCHAR(32), url VARCHAR(128), dateTime DATETIME(3), extra VARCHAR(128))"

// runIngest measures each way of writing, each on a server of its own.
func runIngest(ctx context.Context, o *options) ([]Result, error) {
	var out []Result
	for _, w := range writings {
		o.progress.say("%s, %d clients", w.name, w.clients)
		r, err := o.measureWriting(ctx, &w)
		r.Name = w.name
		if err != nil {
			return append(out, Result{Name: w.name, Wrong: err.Error()}), fmt.Errorf("%s: %w", w.name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (o *options) measureWriting(ctx context.Context, w *writing) (r Result, err error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return r, err
	}
	defer n.stop()
	if err := n.exec(ctx, ingestTable); err != nil {
		return r, err
	}
	raw, err := rawSync(n.dir)
	if err != nil {
		return r, err
	}
	write, done, err := w.open(ctx, n)
	if err != nil {
		return r, err
	}
	defer done()
	before, err := n.usage(ctx)
	if err != nil {
		return r, err
	}
	profile := n.profileFor(ctx, o, "ingest-"+strings.ReplaceAll(w.name, " ", "-"), max(int(o.length.Seconds())-1, 1))
	var next, sum atomic.Int64
	l, err := hammer(ctx, w.clients, o.length, func(ctx context.Context, client, _ int) error {
		first := next.Add(int64(w.rows)) - int64(w.rows)
		if err := write(ctx, client, first); err != nil {
			return err
		}
		sum.Add(int64(w.rows) * (2*first + int64(w.rows) - 1) / 2)
		return nil
	})
	if err != nil {
		return r, err
	}
	after, err := n.usage(ctx)
	if err != nil {
		return r, err
	}
	if err := <-profile; err != nil {
		return r, err
	}
	rows := l.count * int64(w.rows)
	count, got, err := n.written(ctx)
	if err != nil {
		return r, err
	}
	if count != rows || got != sum.Load() {
		return r, fmt.Errorf("%d rows were acknowledged, with the sum %d of their ids; %d are there, with %d", rows, sum.Load(), count, got)
	}
	r.more("rows/s", "K", float64(rows)/l.took.Seconds()/1e3).atLeast(w.bar)
	r.less("cpu", "s/M", (after.CPU-before.CPU).Seconds()/float64(rows)*1e6)
	r.less("alloc", "B/row", float64(after.Allocated-before.Allocated)/float64(rows))
	r.less("p50", "ms", l.p(0.5))
	r.less("p99", "ms", l.p(0.99))
	r.less("RSS", "MiB", float64(after.PeakRSS)/(1<<20))
	r.add("fsync of 64 KiB", "ms", 1e3*raw.Seconds())
	r.Notes = append(r.Notes, fmt.Sprintf("%d rows, each acknowledged after fsync, are there once", rows))
	return r, nil
}

// written counts the rows that were acknowledged to anybody. A session sees what was
// written before its own last row.
func (n *node) written(ctx context.Context) (count, sum int64, err error) {
	c, err := n.db.Conn(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, "INSERT INTO bid (id) VALUES (0)"); err != nil {
		return 0, 0, err
	}
	err = c.QueryRowContext(ctx, "SELECT COUNT(*) - 1, SUM(id) FROM bid").Scan(&count, &sum)
	return count, sum, err
}

// auctionOf is the auction of the bid with a number.
func auctionOf(id int64) int64 { return 1000 + id%977 }

// appendBid appends the values of a row, apart by what stands between them.
func appendBid(b []byte, id int64, format string) []byte {
	return fmt.Appendf(b, format, id, auctionOf(id), 1000+id%491, 100+id*37%99991, "channel-"+strconv.FormatInt(id%100, 10),
		"https://www.nexmark.com/item.htm?query=1&channel_id="+strconv.FormatInt(id%1000, 10), "2026-03-01 12:34:56.789", "abcdefghijklmnopqrstuvwxyz")
}

const (
	bidValues = "(%d,%d,%d,%d,'%s','%s','%s','%s')"
	bidJSON   = `{"id":%d,"auction":%d,"bidder":%d,"price":%d,"channel":"%s","url":"%s","dateTime":"%s","extra":"%s"}` + "\n"
)

func openBulk(ctx context.Context, n *node) (func(context.Context, int, int64) error, func(), error) {
	cs, done, err := conns(ctx, n.db, 4)
	if err != nil {
		return nil, nil, err
	}
	texts := make([][]byte, len(cs))
	return func(ctx context.Context, client int, first int64) error {
		b := append(texts[client][:0], "INSERT INTO bid VALUES "...)
		for i := range int64(bulkRows) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendBid(b, first+i, bidValues)
		}
		texts[client] = b
		_, err := cs[client].ExecContext(ctx, string(b))
		return err
	}, done, nil
}

func openSingle(ctx context.Context, n *node) (func(context.Context, int, int64) error, func(), error) {
	cs, done, err := conns(ctx, n.db, connections)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, client int, first int64) error {
		_, err := cs[client].ExecContext(ctx, string(appendBid([]byte("INSERT INTO bid VALUES "), first, bidValues)))
		return err
	}, done, nil
}

func openHTTP(_ context.Context, n *node) (func(context.Context, int, int64) error, func(), error) {
	texts := make([][]byte, 4)
	return func(ctx context.Context, client int, first int64) error {
		b := texts[client][:0]
		for i := range int64(bulkRows) {
			b = appendBid(b, first+i, bidJSON)
		}
		texts[client] = b
		return n.post(ctx, "bid", b, "")
	}, http.DefaultClient.CloseIdleConnections, nil
}

// refusedError is an answer of the server's that is not OK. later: it may be another time.
type refusedError struct {
	text  string
	later bool
}

func (e *refusedError) Error() string { return e.text }

// post puts lines of JSON into a stream of database b, with a key by which that
// happens once; without one, as often as it is called.
func (n *node) post(ctx context.Context, stream string, lines []byte, key string) error {
	n.alive.RLock()
	address := n.server.Ready().HTTP
	n.alive.RUnlock()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1/databases/b/streams/"+stream, bytes.NewReader(lines))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/x-ndjson")
	q.SetBasicAuth("root", "")
	if key != "" {
		q.Header.Set("Idempotency-Key", key)
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode/100 != 2 {
		err = &refusedError{fmt.Sprintf("%s: %.300s", a.Status, text), a.StatusCode == http.StatusTooManyRequests || a.StatusCode/100 == 5}
	}
	return err
}

// rawSync is the median of an append of 64 KiB with fsync on the bench's own disk.
func rawSync(dir string) (time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "raw"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	l, err := hammer(context.Background(), 1, 100*time.Millisecond, func(context.Context, int, int) error {
		if _, err := f.Write(buf); err != nil {
			return err
		}
		return f.Sync()
	})
	if err != nil {
		return 0, err
	}
	return quantile(l.times, 0.5), nil
}
