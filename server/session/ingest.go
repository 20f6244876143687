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
}

// Loaded is what came of a Load.
type Loaded struct {
	Rows     int // that were stored
	Rejected int // that were wrong
	Errors   []ingest.RowError
	Position engine.Position // where they are in the commit log
}

// Ingest stores rows as INSERT does, and returns when they are durable. Where rows
// are wrong and none may be left out, nothing is stored, and there is no error:
// Errors says why.
func (s *Session) Ingest(ctx context.Context, l Load) (out Loaded, err error) {
	err = s.during(ctx, l.Text, func(ctx context.Context) error {
		t, err := s.table("", l.Table)
		if err != nil {
			return err
		}
		if err := catalog.Check(s.user, catalog.Need{Privilege: catalog.Insert, Database: t.Database, Table: t.Name}); err != nil {
			return err
		}
		out, err = s.load(ctx, t, l)
		return err
	})
	return out, err
}

func (s *Session) load(ctx context.Context, t *catalog.Table, l Load) (Loaded, error) {
	config, err := bind.Ingest(t, s.bindEnv(&compiled{}, nil), builtin.Context{
		Now: s.now.UnixMicro(), Location: s.settings.location, Strict: s.settings.strict, Warn: s.warn,
	})
	if err != nil {
		return Loaded{}, err
	}
	var chunks []*batch.Chunk
	config.Skip = l.Skip
	config.Emit = func(columns []*vector.Vector, n int) error {
		chunks = append(chunks, &batch.Chunk{Cols: columns, N: n})
		return nil
	}
	rows := ingest.NewRows(config)
	err = l.Decode(rows)
	if err == nil {
		err = rows.Flush()
	}
	out := Loaded{Rows: rows.Accepted(), Rejected: rows.Rejected(), Errors: rows.Errors()}
	switch {
	case err != nil && !errors.Is(err, ingest.ErrTooMany):
		return Loaded{}, err
	case out.Rejected > 0 && !l.Skip:
		out.Rows = 0
		return out, nil
	}
	if _, err := s.change(ctx, func(tx engine.Tx) (sum engine.Result, err error) {
		for _, c := range chunks {
			if sum, err = tx.Insert(ctx, t, c, engine.InsertOptions{Eval: s.evalOptions()}); err != nil {
				return sum, err
			}
		}
		return sum, nil
	}); err != nil {
		return Loaded{}, err
	}
	out.Position = s.after
	return out, nil
}

// Admit returns when the engine has room for further rows; ctx bounds the wait.
func (v *Server) Admit(ctx context.Context) error { return v.engine.Admit(ctx) }
