package session

import (
	"context"

	"streamsql/catalog"
	"streamsql/engine"
	"streamsql/operators/batch"
	"streamsql/sql/bind"
)

// fastInsert runs an INSERT or REPLACE of plain literals without a tree and
// without expressions: from the text straight into columns. ok is false when
// the statement is not of that form; then the usual path gives the same rows,
// or says what is wrong.
func (s *Session) fastInsert(ctx context.Context, text string, more bool, emit Emit) (ok bool, err error) {
	if !startsWith(text, "insert") && !startsWith(text, "replace") || !s.insert.Read(text, s.settings.parserMode) {
		return false, nil
	}
	rows, ok := bind.FastInsert(&s.insert, s.bindEnv(&compiled{}, nil), s.settings.location)
	if !ok {
		return false, nil
	}
	return s.insertUnchanged(ctx, rows, more, emit)
}

// fastExecute runs a prepared INSERT or REPLACE of `?` alone in the same way.
func (s *Session) fastExecute(ctx context.Context, p *bind.InsertParameters, params []Param, more bool, emit Emit) (ok bool, err error) {
	rows, ok := p.Fast(params, s.bindEnv(&compiled{}, nil), s.settings.location)
	if !ok {
		return false, nil
	}
	return s.insertUnchanged(ctx, rows, more, emit)
}

// insertUnchanged is insertFast; false when ALTER overtook it, so that the usual path
// is to bind the statement anew.
func (s *Session) insertUnchanged(ctx context.Context, rows *bind.FastRows, more bool, emit Emit) (ok bool, err error) {
	err = s.insertFast(ctx, rows, more, emit)
	if s.tx == nil && hasChanged(err) {
		return false, nil
	}
	return true, err
}

func (s *Session) insertFast(ctx context.Context, rows *bind.FastRows, more bool, emit Emit) error {
	b := &bind.Insert{Table: rows.Table, Replace: rows.Replace}
	for _, n := range bind.Needs(b) {
		if err := catalog.Check(s.user, n); err != nil {
			return err
		}
	}
	chunk := &batch.Chunk{Cols: rows.Columns, N: rows.N}
	r, err := s.change(ctx, func(tx engine.Tx) (engine.Result, error) {
		return tx.Insert(ctx, b.Table, chunk, engine.InsertOptions{Replace: b.Replace, Eval: s.evalOptions()})
	})
	if err != nil {
		return err
	}
	s.warnAll(r.Warnings)
	return s.give(ctx, s.inserted(b, r, rows.N), more, emit)
}
