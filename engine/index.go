package engine

import (
	"context"
	"fmt"
	"slices"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/engine/build"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/vector"
)

// An index is kept by a continuous query without a name over the table or view that it is
// of: filled from the rows that are there piece by piece while all goes on, brought up to
// date with each batch, and in checkpoints, as any other. A query reads it together with
// what it is of, as of one batch.

// createIndex makes an index, which may be filling yet when it returns.
func (e *Engine) createIndex(ctx context.Context, s *bind.CreateIndex, captured catalog.Session) error {
	cat := e.cat.Load()
	old, ok := cat.Table(s.Table.DB, s.Table.Name)
	if !ok {
		return catalog.NoSuchTable(s.Table.DB, s.Table.Name)
	}
	t := *old
	h, plan, err := e.index(ctx, &t, s, captured)
	if err != nil {
		return err
	}
	next, err := cat.WithChanged(&t)
	if err != nil {
		return err
	}
	if next, err = next.WithTable(h); err != nil {
		return err
	}
	start, err := e.prepareQuery(ctx, h, plan)
	if err != nil {
		return err
	}
	if err := e.logDDL(ctx, next, store.Entry{Tables: []*catalog.Table{&t, h}}); err != nil {
		start(false)
		return err
	}
	e.redescribe(&t)
	start(true)
	return nil
}

// index adds an index to the descriptor t, and makes the query that keeps it.
func (e *Engine) index(ctx context.Context, t *catalog.Table, s *bind.CreateIndex, captured catalog.Session) (*catalog.Table, *physical.Plan, error) {
	columns, q, err := s.Define(t)
	if err != nil {
		return nil, nil, err
	}
	plan, _, err := build.Plan(q, func() error { return context.Cause(ctx) })
	if err != nil {
		return nil, nil, err
	}
	plan.Index = len(columns)
	h := &catalog.Table{
		ID: e.nextID(), Database: t.Database, Kind: catalog.MaterializedView, Hidden: true, IndexOf: t.ID,
		Primary: plan.Key, Session: captured, CreatedAt: e.now(), Reads: []catalog.ID{t.ID},
	}
	h.Name = fmt.Sprintf("%s#%d", s.Name, h.ID)
	for _, f := range plan.Output {
		h.Columns = append(h.Columns, catalog.Column{Name: f.Name, Type: f.Type})
	}
	if h.Plan, err = physical.Encode(plan); err != nil {
		return nil, nil, err
	}
	t.Indexes = append(slices.Clip(t.Indexes), catalog.SecondaryIndex{Name: s.Name, Columns: columns, Object: h.ID})
	return h, plan, nil
}

// withIndex adds the query of an index, of a table that is made, to what a DDL statement
// makes, and starts it after that.
func (e *Engine) withIndex(ctx context.Context, cat *catalog.Snapshot, h *catalog.Table, plan *physical.Plan, start func(bool)) (*catalog.Snapshot, func(bool), error) {
	next, err := cat.WithTable(h)
	if err == nil {
		var own func(bool)
		if own, err = e.prepareQuery(ctx, h, plan); err == nil {
			return next, func(yes bool) { start(yes); own(yes) }, nil
		}
	}
	start(false)
	return nil, nil, err
}

// redescribe gives the job of a view a descriptor that says the same of its rows.
func (e *Engine) redescribe(t *catalog.Table) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[t.ID]; j != nil {
		j.table = t
	}
}

// awaitIndex returns when an index is filled, or the client does not wait any longer: the
// filling goes on then.
func (e *Engine) awaitIndex(ctx context.Context, s *bind.CreateIndex) {
	t, ok := e.cat.Load().Table(s.Table.DB, s.Table.Name)
	if !ok {
		return
	}
	for _, x := range t.Indexes {
		if x.Name == s.Name {
			_ = e.await(ctx, func() bool { j := e.jobs[x.Object]; return j == nil || j.failed != nil || !j.filling })
		}
	}
}

// dropIndex drops an index.
func (e *Engine) dropIndex(ctx context.Context, s *bind.DropIndex) error {
	cat := e.cat.Load()
	old, ok := cat.Table(s.Table.DB, s.Table.Name)
	if !ok {
		return catalog.NoSuchTable(s.Table.DB, s.Table.Name)
	}
	i, err := s.Resolve(old)
	if err != nil {
		return err
	}
	t := *old
	t.Indexes = slices.Delete(slices.Clone(old.Indexes), i, i+1)
	next, err := cat.WithChanged(&t)
	if err != nil {
		return err
	}
	var gone []*catalog.Table
	if h, ok := cat.TableByID(old.Indexes[i].Object); ok {
		gone, next = append(gone, h), next.WithoutTable(h.ID)
	}
	if err := e.logDDL(ctx, next, store.Entry{Tables: []*catalog.Table{&t}, DropTables: ids(gone)}); err != nil {
		return err
	}
	e.redescribe(&t)
	e.remove(gone)
	return nil
}

// indexesOf are what holds the indexes that a plan is to look rows up in, as far as they
// can be read: by a transaction that reads at a batch (0: it chooses it yet) as of that.
func (e *Engine) indexesOf(plan *physical.Plan, at uint64) (out []*catalog.Table) {
	cat := e.cat.Load()
	physical.Walk(plan.Root, func(n *physical.Node) bool {
		if n.Kind != physical.Source || n.Source.Index == nil {
			return true
		}
		h, ok := cat.TableByID(catalog.ID(n.Source.Index.Object))
		if ok && e.readable(h.ID, at) && !slices.Contains(out, h) {
			out = append(out, h)
		}
		return true
	})
	return out
}

func (e *Engine) readable(id catalog.ID, at uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[id]
	if j == nil || j.failed != nil || j.filling || e.stillBehind(j) != nil {
		return false
	}
	if at == 0 {
		return true
	}
	images, _ := j.history.at(at)
	return j.start <= at && images != nil
}

// found are the rows of a table or view that an index has under some values.
type found struct {
	seeks []*operators.ViewSeek // in the partitions of the index
	table []operators.Image     // the partitions of the table; nil: the index has the rows themselves
	skip  int                   // columns of the index before what rows are found by
}

// seek looks the rows of a source up in an index; nil: it is none to be looked up in, or
// the index is not in the snapshot.
func (e *Engine) seek(id uint64, equals []physical.ColumnValue, use *physical.IndexUse, snap *snapshot) *found {
	if use == nil || snap.images[catalog.ID(use.Object)] == nil {
		return nil
	}
	cat := e.cat.Load()
	t, ok := cat.TableByID(catalog.ID(id))
	h, has := cat.TableByID(catalog.ID(use.Object))
	if !ok || !has {
		return nil
	}
	spec := operators.SeekSpec{Ranged: len(use.Bounds) > 0}
	for _, c := range use.Columns {
		k := slices.IndexFunc(equals, func(e physical.ColumnValue) bool { return e.Column == c })
		spec.Equal = append(spec.Equal, equals[k].Value.Value.Vector(t.Columns[c].Type))
	}
	for _, b := range use.Bounds { // of several the filter sees to the others
		v := b.Value.Value.Vector(t.Columns[b.Column].Type)
		if b.Op[0] == '>' {
			spec.Low = v
		} else {
			spec.High = v
		}
	}
	f := &found{skip: len(h.Columns) - len(t.FoundBy())}
	if t.Kind != catalog.MaterializedView {
		f.table = snap.images[t.ID].parts
	}
	for _, part := range snap.images[h.ID].parts {
		f.seeks = append(f.seeks, part.(*operators.ViewImage).Seek(spec))
	}
	most := max(int(snap.images[t.ID].rows()/seekShare), seekAlways)
	if f.count(most+1) > int64(most) {
		return nil
	}
	return f
}

// Rows that an index finds are read one by one, which takes longer than to read them in
// the order in which they lie: it is read up to one in seekShare of the rows, or up to
// seekAlways.
const (
	seekShare  = 8
	seekAlways = 64
)

// count is how many rows there are, at most limit.
func (f *found) count(limit int) int64 {
	n := 0
	for _, s := range f.seeks {
		if n < limit {
			n += s.Count(limit - n)
		}
	}
	return int64(n)
}

// next returns at most max of the rows, as the table has them; nil at the end.
func (f *found) next(max int) *batch.Chunk {
	for len(f.seeks) > 0 {
		c := f.seeks[0].Next(max)
		if c == nil {
			f.seeks = f.seeks[1:]
			continue
		}
		by := c.Cols[f.skip:]
		if f.table == nil {
			return &batch.Chunk{N: c.N, Weights: c.Weights, Cols: by}
		}
		if rows := f.byKey(by, c.N); rows != nil {
			return rows
		}
	}
	return nil
}

// byKey looks rows up in the table by their keys.
func (f *found) byKey(keys []*vector.Vector, n int) (rows *batch.Chunk) {
	for i := range n {
		for _, part := range f.table {
			row, _ := part.Get(keys, i)
			if row == nil {
				continue
			}
			if rows == nil {
				rows = batch.New(row.Types(), n)
			}
			rows.AppendFrom(row, 0, 1)
			break
		}
	}
	return rows
}
