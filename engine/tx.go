package engine

import (
	"context"
	"errors"

	"streamsql/catalog"
	"streamsql/engine/table"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// tx is a transaction: write sets until Commit, one snapshot for all its reads.
type tx struct {
	e       *Engine
	order   []catalog.ID // tables and streams, as first written to
	tables  map[catalog.ID]*table.Writes
	streams map[catalog.ID][]*batch.Chunk
	readID  uint64 // the batch that the transaction reads at, once it has read
	saved   []savepoint
	done    bool
	mark    *queryMark // of a continuous query whose result it is; nil: of a session
}

// Begin starts a transaction.
func (e *Engine) Begin() (Tx, error) {
	select {
	case <-e.stopping:
		return nil, errStopping()
	default:
	}
	return &tx{e: e, tables: map[catalog.ID]*table.Writes{}, streams: map[catalog.ID][]*batch.Chunk{}}, nil
}

// writes is the write set of a table, begun if it is the first.
func (t *tx) writes(d *catalog.Table) (*table.Writes, error) {
	if w := t.tables[d.ID]; w != nil {
		w.Begin()
		return w, nil
	}
	t.e.mu.Lock()
	ts := t.e.tables[d.ID]
	t.e.mu.Unlock()
	if ts == nil {
		return nil, catalog.NoSuchTable(d.Database, d.Name)
	}
	w := table.NewWrites(ts.Table)
	t.tables[d.ID] = w
	t.order = append(t.order, d.ID)
	w.Begin()
	return w, nil
}

func (t *tx) Insert(ctx context.Context, d *catalog.Table, rows *batch.Chunk, o InsertOptions) (Result, error) {
	if d.Kind == catalog.StreamTable && !d.Upsert() {
		return t.insertStream(d, rows)
	}
	if d.Kind != catalog.BaseTable && !d.Upsert() {
		return Result{}, sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the INSERT is not updatable", d.Name)
	}
	w, err := t.writes(d)
	if err != nil {
		return Result{}, err
	}
	mode := table.InsertMode{Ignore: o.Ignore, Replace: o.Replace}
	if len(o.OnDuplicate) > 0 {
		if mode.Merge, err = mergeRows(d, o); err != nil {
			return Result{}, err
		}
	}
	in, err := w.Insert(rows, mode)
	if err != nil {
		w.Undo()
		return Result{}, err
	}
	res := Result{Affected: in.Affected, LastInsertID: in.FirstAuto, Duplicates: in.Duplicates}
	for _, e := range in.Ignored {
		se := sqlerr.From(e)
		res.Warnings = append(res.Warnings, Warning{Code: se.Code, Message: se.Message})
	}
	return res, nil
}

func (t *tx) insertStream(d *catalog.Table, rows *batch.Chunk) (Result, error) {
	if d.Options["connector"] != "" {
		return Result{}, sqlerr.New(sqlerr.NonUpdatableTable, "The stream table %s is fed by its connector; it takes no INSERT", d.Name)
	}
	if rows.N > 0 {
		if t.streams[d.ID] == nil {
			t.order = append(t.order, d.ID)
		}
		t.streams[d.ID] = append(t.streams[d.ID], asColumns(d, rows))
	}
	return Result{Affected: uint64(rows.N)}, nil
}

// asColumns is rows under the types of d's columns. Their values lie the same,
// but a value may come under a narrower type, such as DATETIME for DATETIME(3). Columns that
// d has got since get their initial values.
func asColumns(d *catalog.Table, rows *batch.Chunk) *batch.Chunk {
	out := &batch.Chunk{N: rows.N, Weights: rows.Weights, Cols: make([]*vector.Vector, len(rows.Cols))}
	for i, c := range rows.Cols {
		v := *c
		v.Type = d.Columns[i].Type
		out.Cols[i] = &v
	}
	if len(out.Cols) < len(d.Columns) {
		return growthOf(d).fill(out)
	}
	return out
}

// mergeRows compiles the assignments of ON DUPLICATE KEY UPDATE.
func mergeRows(d *catalog.Table, o InsertOptions) (func(old, inserted *batch.Chunk) (*batch.Chunk, error), error) {
	position := map[int]int{} // column id → position among old's columns, then inserted's
	for i, c := range o.OldCols {
		position[c.ID] = i
	}
	for i, c := range o.NewCols {
		position[c.ID] = len(o.OldCols) + i
	}
	programs := make([]*eval.Program, len(o.OnDuplicate))
	for k, a := range o.OnDuplicate {
		e := a.Expr.Rewrite(func(x *expr.Expr) *expr.Expr {
			if x.Op != expr.OpColumn {
				return x
			}
			return expr.NewColumn(position[x.Col], x.Name, x.Type)
		})
		var err error
		if programs[k], err = eval.Compile(e); err != nil {
			return nil, err
		}
	}
	return func(old, inserted *batch.Chunk) (*batch.Chunk, error) {
		var failed error
		ctx := &eval.Context{
			Now: o.Eval.Now.UnixMicro(), Location: o.Eval.Location, Rules: o.Eval.Rules,
			Warn: o.Eval.Warn, Note: o.Eval.Note,
			Fail: func(_ int, err error) { failed = errors.Join(failed, err) },
		}
		next := &batch.Chunk{Cols: append([]*vector.Vector(nil), old.Cols...), N: 1}
		for k, a := range o.OnDuplicate {
			// What assignments before it did is in the expression already.
			in := append(append([]*vector.Vector(nil), old.Cols...), inserted.Cols...)
			v, err := programs[k].Eval(ctx, in, 1)
			if err == nil {
				err = failed
			}
			if err != nil {
				return nil, sqlerr.From(err)
			}
			next.Cols[a.Column] = v
		}
		return next, nil
	}, nil
}

func (t *tx) Update(ctx context.Context, d *catalog.Table, old, next *batch.Chunk) (Result, error) {
	w, err := t.writes(d)
	if err != nil {
		return Result{}, err
	}
	changed, err := w.Update(old, next)
	if err != nil {
		w.Undo()
		return Result{}, err
	}
	return Result{Affected: changed, Changed: changed, Matched: uint64(old.N)}, nil
}

func (t *tx) Delete(ctx context.Context, d *catalog.Table, old *batch.Chunk) (Result, error) {
	w, err := t.writes(d)
	if err != nil {
		return Result{}, err
	}
	n, err := w.Delete(old)
	if err != nil {
		w.Undo()
		return Result{}, err
	}
	return Result{Affected: n}, nil
}

func (t *tx) Truncate(ctx context.Context, d *catalog.Table, old *batch.Chunk) (Result, error) {
	w, err := t.writes(d)
	if err != nil {
		return Result{}, err
	}
	if old != nil {
		if _, err := w.Delete(old); err != nil {
			w.Undo()
			return Result{}, err
		}
	}
	w.Renumber()
	return Result{}, nil
}

// Query runs a one-off plan. The first one fixes the batch that the transaction reads at.
func (t *tx) Query(ctx context.Context, plan *physical.Plan, o ReadOptions) (Rows, error) {
	return t.e.query(ctx, plan, o, t)
}

func (t *tx) Commit(ctx context.Context) (Position, error) {
	if t.done {
		return 0, nil
	}
	t.done = true
	defer t.e.unpin(t.readID)
	r := &commitRequest{done: make(chan struct{}), mark: t.mark}
	for _, id := range t.order {
		if w := t.tables[id]; w != nil {
			if !w.Empty() {
				r.writes = append(r.writes, w)
				r.tables = append(r.tables, id)
			}
			continue
		}
		for _, c := range t.streams[id] {
			r.blocks = append(r.blocks, t.e.newBlock(id, c))
		}
	}
	switch {
	case len(r.writes) > 0:
		return t.e.commit(ctx, r)
	case len(r.blocks) > 0:
		seq, err := t.e.append(ctx, r.blocks)
		return Position(seq), err
	}
	return 0, nil
}

func (t *tx) Rollback() {
	if !t.done {
		t.done = true
		t.e.unpin(t.readID)
	}
}
