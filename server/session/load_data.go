package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"streamsql/catalog"
	"streamsql/engine"
	"streamsql/operators/batch"
	"streamsql/sql/bind"
	"streamsql/sql/builtin"
	"streamsql/sql/ingest"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// loadPiece is after how many rows a load into a stream without a key commits,
// outside a transaction: its memory does not grow with the file. An error leaves
// the pieces before it.
const loadPiece = 32 * ingest.ChunkRows

// loadData runs LOAD DATA.
func (s *Session) loadData(ctx context.Context, b *bind.LoadData) (*Result, error) {
	if s.readOnly || s.settings.readOnly {
		return nil, readOnlyError()
	}
	file, err := s.openData(ctx, b)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// The sender of a local file cannot be stopped: what is wrong in it is a warning,
	// unless rows are to be replaced, as in MySQL.
	ignore := b.Ignore || b.Local && !b.Replace
	lenient := ignore || !s.settings.rules.Strict
	rules := s.settings.rules
	rules.Strict = !lenient
	config, err := bind.Ingest(b.Table, s.bindEnv(&compiled{}, nil), builtin.Context{
		Now: s.now.UnixMicro(), Location: s.settings.location, Rules: rules, Warn: s.warn, Note: s.note,
	})
	if err != nil {
		return nil, err
	}
	l := &loader{s: s, load: b, ignore: ignore, pieces: s.tx == nil && s.settings.autocommit && b.Table.Kind == catalog.StreamTable && !b.Table.Upsert()}
	defer l.end()
	b.Into(&config)
	config.Skip, config.Stop = lenient, !lenient
	config.Emit = func(columns []*vector.Vector, n int) error {
		return l.insert(ctx, &batch.Chunk{Cols: columns[:len(b.Table.Columns)], N: n})
	}
	rows := ingest.NewRows(config)
	d := &ingest.Delimited{Rows: rows, Layout: b.Layout, Fields: b.Fields, Skip: b.Skip}
	d.Begin(&cancelled{ctx, file})
	if err := d.Read(); err != nil {
		return nil, err
	}
	if err := rows.Flush(); err != nil {
		return nil, err
	}
	if err := l.commit(ctx); err != nil {
		return nil, err
	}
	return l.result(rows), nil
}

// loader inserts the rows of a LOAD DATA.
type loader struct {
	s       *Session
	load    *bind.LoadData
	ignore  bool // rows whose key is there already
	pieces  bool
	tx      engine.Tx
	done    func() // ends tx
	pending int    // rows since the last commit
	sum     engine.Result
}

func (l *loader) insert(ctx context.Context, c *batch.Chunk) error {
	if l.tx == nil {
		var err error
		if l.tx, l.done, err = l.s.current(); err != nil {
			return err
		}
	}
	r, err := l.tx.Insert(ctx, l.load.Table, c, engine.InsertOptions{
		Ignore: l.ignore, Replace: l.load.Replace, Eval: l.s.evalOptions(),
	})
	if err != nil {
		return err
	}
	l.s.warnAll(r.Warnings)
	l.sum.Affected += r.Affected
	l.sum.Duplicates += r.Duplicates
	if l.sum.LastInsertID == 0 {
		l.sum.LastInsertID = r.LastInsertID
	}
	if l.pending += c.N; l.pieces && l.pending >= loadPiece {
		return l.commit(ctx)
	}
	return nil
}

// commit makes what was inserted durable, unless a transaction of the client's
// will do so.
func (l *loader) commit(ctx context.Context) error {
	if l.tx == nil || l.s.tx != nil {
		return nil
	}
	at, err := l.tx.Commit(ctx)
	if err != nil {
		return err
	}
	l.s.after = max(l.s.after, at)
	l.tx, l.pending = nil, 0
	return nil
}

// end drops what was not committed.
func (l *loader) end() {
	if l.tx != nil {
		l.done()
	}
}

func (l *loader) result(rows *ingest.Rows) *Result {
	records := rows.Accepted() + rows.Rejected()
	deleted, skipped := 0, rows.Rejected()
	if l.load.Replace {
		deleted = max(int(l.sum.Affected)-rows.Accepted(), 0)
	} else {
		skipped += int(l.sum.Duplicates)
	}
	return &Result{
		Affected: l.sum.Affected, LastInsertID: l.sum.LastInsertID,
		Info: fmt.Sprintf("Records: %d  Deleted: %d  Skipped: %d  Warnings: %d", records, deleted, skipped, l.s.warnings()),
	}
}

// cancelled is a reader that ends with its context.
type cancelled struct {
	ctx context.Context
	in  io.Reader
}

// Read reads on while the context is not done.
func (c *cancelled) Read(b []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.in.Read(b)
}

// openData opens the file: of the client, or below the one directory that the
// server reads files from.
func (s *Session) openData(ctx context.Context, b *bind.LoadData) (io.ReadCloser, error) {
	if b.Local {
		if s.client.Infile == nil || s.server.globals.get("local_infile").text != "ON" {
			return nil, sqlerr.New(sqlerr.LocalInfileDisabled, "Loading local data is disabled; this must be enabled on both the client and server sides")
		}
		return s.client.Infile(ctx, b.File)
	}
	if err := catalog.Check(s.user, catalog.Need{Privilege: catalog.File}); err != nil {
		return nil, sqlerr.New(sqlerr.SpecificAccessDenied, "Access denied; you need (at least one of) the FILE privilege(s) for this operation")
	}
	dir := s.server.options.SecureFiles
	if dir == "" {
		return nil, outsideFiles()
	}
	name := b.File
	if filepath.IsAbs(name) {
		var err error
		if name, err = filepath.Rel(dir, name); err != nil || !filepath.IsLocal(name) {
			return nil, outsideFiles()
		}
	}
	root, err := os.OpenRoot(dir) // symbolic links do not lead out of it either
	if err != nil {
		return nil, outsideFiles()
	}
	defer root.Close()
	f, err := root.Open(name)
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && info.Mode().IsRegular() {
			return f, nil
		}
		f.Close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, sqlerr.New(sqlerr.CannotStat, "Can't get stat of '%s' (OS errno 2 - No such file or directory)", b.File)
	}
	return nil, outsideFiles()
}

func outsideFiles() error {
	return sqlerr.New(sqlerr.OptionPreventsStmt, "The MySQL server is running with the --secure-file-priv option so it cannot execute this statement")
}
