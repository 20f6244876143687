package session

import (
	"context"
	"errors"

	"streamsql/catalog"
	"streamsql/engine"
	"streamsql/operators/batch"
	"streamsql/sql/bind"
	"streamsql/sql/builtin"
	"streamsql/sql/ingest"
	"streamsql/sql/vector"
)

// Load is rows that come into a table from outside, all of them in one transaction.
type Load struct {
	Text   string // what PROCESSLIST shows
	Table  string // of the current database
	Skip   bool   // leave wrong rows out; else one of them refuses all
	Decode func(*ingest.Rows) error
	// Writer and Number are what the client calls the rows, so that it can send them
	// again: they are stored once. Writer is empty where it does not.
	Writer string
	Number uint64
}

// Loaded is what came of a Load.
type Loaded struct {
	Rows     int // that were stored
	Rejected int // that were wrong
	Errors   []ingest.RowError
	Position engine.Position // where they are in the commit log
	// Duplicate: the batch was stored before, with so many rows; 0 if that is not
	// known any more.
	Duplicate bool
}

// Ingest stores rows as INSERT does, and returns when they are durable. Where rows
// are wrong and none may be left out, nothing is stored, and there is no error:
// Errors says why.
func (s *Session) Ingest(ctx context.Context, l Load) (out Loaded, err error) {
	err = s.during(ctx, l.Text, func(ctx context.Context) error {
		t, err := s.ingestTarget(l.Table)
		if err != nil {
			return err
		}
		if l.Writer != "" {
			last, known, err := s.server.engine.LastBatch(ctx, t, l.Writer)
			if err != nil {
				return err
			}
			if known && l.Number <= last.Number {
				out = duplicateOf(l, last)
				return nil
			}
		}
		out, err = s.load(ctx, t, l)
		return err
	})
	return out, err
}

// LastBatch is the last batch of a writer into a table of the current database.
func (s *Session) LastBatch(ctx context.Context, table, writer string) (engine.WriterBatch, bool, error) {
	t, err := s.ingestTarget(table)
	if err != nil {
		return engine.WriterBatch{}, false, err
	}
	return s.server.engine.LastBatch(ctx, t, writer)
}

// ingestTarget is a table that the user may insert into.
func (s *Session) ingestTarget(name string) (*catalog.Table, error) {
	t, err := s.table("", name)
	if err != nil {
		return nil, err
	}
	return t, catalog.Check(s.user, catalog.Need{Privilege: catalog.Insert, Database: t.Database, Table: t.Name})
}

// duplicateOf is what is told of a batch that was stored before.
func duplicateOf(l Load, last engine.WriterBatch) Loaded {
	out := Loaded{Duplicate: true}
	if l.Number == last.Number {
		out.Rows = last.Rows
	}
	return out
}

// load reads the rows, then stores them.
func (s *Session) load(ctx context.Context, t *catalog.Table, l Load) (Loaded, error) {
	chunks, out, err := s.read(t, l)
	if err != nil || out.Rejected > 0 && !l.Skip {
		return out, err
	}
	_, err = s.change(ctx, func(tx engine.Tx) (engine.Result, error) {
		if l.Writer != "" {
			first, rows, err := tx.Once(ctx, t, engine.WriterBatch{Writer: l.Writer, Number: l.Number, Rows: out.Rows})
			if err != nil {
				return engine.Result{}, err
			}
			if !first {
				out = Loaded{Duplicate: true, Rows: rows}
				return engine.Result{}, nil
			}
		}
		for _, c := range chunks {
			if _, err := tx.Insert(ctx, t, c, engine.InsertOptions{Eval: s.evalOptions()}); err != nil {
				return engine.Result{}, err
			}
		}
		return engine.Result{}, nil
	})
	if err != nil {
		return Loaded{}, err
	}
	out.Position = s.after
	return out, nil
}

// read reads all rows into chunks.
func (s *Session) read(t *catalog.Table, l Load) (chunks []*batch.Chunk, out Loaded, err error) {
	config, err := bind.Ingest(t, s.bindEnv(&compiled{}, nil), builtin.Context{
		Now: s.now.UnixMicro(), Location: s.settings.location, Rules: s.settings.rules, Warn: s.warn, Note: s.note,
	})
	if err != nil {
		return nil, out, err
	}
	config.Skip = l.Skip
	config.Emit = func(columns []*vector.Vector, n int) error {
		chunks = append(chunks, &batch.Chunk{Cols: columns, N: n})
		return nil
	}
	rows := ingest.NewRows(config)
	if err = l.Decode(rows); err == nil {
		err = rows.Flush()
	}
	if err != nil && !errors.Is(err, ingest.ErrTooMany) {
		return nil, out, err
	}
	out = Loaded{Rows: rows.Accepted(), Rejected: rows.Rejected(), Errors: rows.Errors()}
	if out.Rejected > 0 && !l.Skip {
		out.Rows = 0
	}
	return chunks, out, nil
}

// Admit returns when the engine has room for further rows; ctx bounds the wait.
func (v *Server) Admit(ctx context.Context) error { return v.engine.Admit(ctx) }
