package engine

import (
	"context"
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/engine/table"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/eval"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// rename gives objects other names. What reads them by their ids, as continuous
// queries do, goes on; a plain view's text no longer finds them, as in MySQL.
func (e *Engine) rename(ctx context.Context, s *bind.RenameTables) error {
	next, changed, err := s.Resolve(e.cat.Load())
	if err != nil {
		return err
	}
	if err := e.logDDL(ctx, next, store.Entry{Tables: changed}); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range changed {
		if ts := e.tables[t.ID]; ts != nil {
			ts.Rename(t.Name)
		}
		if j := e.jobs[t.ID]; j != nil {
			j.table = t
		}
	}
	return nil
}

// alter changes a definition, but no row: what reads columns by their places goes on.
func (e *Engine) alter(ctx context.Context, s *bind.AlterTable, captured catalog.Session) error {
	cat := e.cat.Load()
	old, ok := cat.Table(s.Name.DB, s.Name.Name)
	if !ok {
		return catalog.NoSuchTable(s.Name.DB, s.Name.Name)
	}
	a, err := s.Change(*old)
	if err != nil {
		return err
	}
	t := a.Table
	if err := e.refuseDropped(cat, old, t); err != nil {
		return err
	}
	if len(a.Added) > 0 {
		if err := e.initialValues(a, captured); err != nil {
			return err
		}
	}
	next, err := cat.WithChanged(t)
	if err != nil {
		return err
	}
	back, err := e.reshape(ctx, old, t)
	if err != nil {
		return err
	}
	if err := e.logDDL(ctx, next, store.Entry{Tables: []*catalog.Table{t}}); err != nil {
		back()
		return err
	}
	return nil
}

// initialValues computes what the rows that are there have in the columns that are added.
func (e *Engine) initialValues(a *bind.Altered, captured catalog.Session) error {
	loc, ok := types.Zone(captured.TimeZone)
	if !ok {
		return sqlerr.New(sqlerr.UnknownTimeZone, "Unknown or incorrect time zone: '%s'", captured.TimeZone)
	}
	ctx := &eval.Context{Now: e.now(), Location: loc, Rules: eval.Rules{Strict: true}}
	since := e.nextID()
	for _, added := range a.Added {
		col := &a.Table.Columns[added.Column]
		if added.MadeUp && col.Type.HasDate() && !e.isEmpty(a.Table.ID) {
			kind, _, _ := strings.Cut(col.Type.String(), "(")
			return sqlerr.New(sqlerr.TruncatedWrongValue, "Incorrect %s value: '0000-00-00' for column '%s'", kind, col.Name)
		}
		value, err := eval.Const(added.Value, ctx)
		if err != nil {
			return err
		}
		col.Since, col.Initial = since, table.EncodeInitial(value.Vector(col.Type))
	}
	return nil
}

// isEmpty reports a table without rows; of a stream that is not known.
func (e *Engine) isEmpty(id catalog.ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.tables[id]
	return t != nil && t.Rows() == 0
}

// refuseDropped is an error for a column that goes and that a continuous query reads or
// writes.
func (e *Engine) refuseDropped(cat *catalog.Snapshot, old, t *catalog.Table) error {
	for i, c := range old.Columns {
		if c.Dropped || !t.Columns[i].Dropped {
			continue
		}
		for _, x := range cat.Objects() {
			if uses, err := usesColumn(x, t.ID, i); err != nil {
				return err
			} else if uses {
				return sqlerr.New(sqlerr.WrongArguments, "Column '%s' cannot be dropped: '%s' uses it", c.Name, nameOf(x))
			}
		}
	}
	return nil
}

// usesColumn reports a continuous query that reads a column of a table, or writes into it.
func usesColumn(x *catalog.Table, id catalog.ID, column int) (bool, error) {
	if !x.Continuous() {
		return false, nil
	}
	if x.Into == id && (x.IntoColumns == nil || slices.Contains(x.IntoColumns, column)) {
		return true, nil
	}
	if !slices.Contains(x.Reads, id) {
		return false, nil
	}
	plan, err := physical.Decode(x.Plan)
	if err != nil {
		return false, err
	}
	return plan.Reads(uint64(id), column), nil
}
