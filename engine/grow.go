package engine

import (
	"context"

	"streamsql/catalog"
	"streamsql/engine/table"
	"streamsql/engine/topic"
	"streamsql/operators/batch"
	"streamsql/sql/vector"
)

// A column that ALTER adds stands behind all others of its table or stream. Rows in the
// log are as they were written; those that lack the column get its initial value when
// they are read.

// growth is what the log's rows of a table or stream may lack.
type growth struct {
	first   int              // columns that the table was created with
	initial []*vector.Vector // of those behind them, vectors of one row
}

// growthOf is what t has got since it was created; nil: nothing.
func growthOf(t *catalog.Table) *growth {
	g := &growth{first: len(t.Columns)}
	for _, initial := range table.Added(t) {
		g.initial = append(g.initial, initial...)
		g.first -= len(initial)
	}
	if len(g.initial) == 0 {
		return nil
	}
	return g
}

// column is column i for n rows that lack it.
func (g *growth) column(i, n int) *vector.Vector {
	return g.initial[i-g.first].Gather(make([]int32, n))
}

// fill adds the columns that rows of the table lack; it leaves c as it is.
func (g *growth) fill(c *batch.Chunk) *batch.Chunk {
	if g == nil || len(c.Cols) >= g.first+len(g.initial) {
		return c
	}
	out := &batch.Chunk{N: c.N, Weights: c.Weights, Cols: append([]*vector.Vector(nil), c.Cols...)}
	for i := len(c.Cols); i < g.first+len(g.initial); i++ {
		out.Cols = append(out.Cols, g.column(i, c.N))
	}
	return out
}

// knowGrowth is for a table or stream that the catalog has when the engine starts.
func (e *Engine) knowGrowth(t *catalog.Table) {
	if g := growthOf(t); g != nil {
		e.growths.Store(t.ID, g)
	}
}

// grown is what a table or stream has got since it was created; nil: nothing.
func (e *Engine) grown(id catalog.ID) *growth {
	if g, ok := e.growths.Load(id); ok {
		return g.(*growth)
	}
	return nil
}

// chunk is the rows of a block of the log with the columns that their table has by now,
// or those of them at the places cols.
func (e *Engine) chunk(b *topic.Block, cols []int) (*batch.Chunk, error) {
	g := e.grown(catalog.ID(b.Table))
	if g == nil || b.Columns() >= g.first+len(g.initial) {
		return b.Chunk(cols)
	}
	if cols == nil {
		c, err := b.Chunk(nil)
		if err != nil {
			return nil, err
		}
		return g.fill(c), nil
	}
	c := &batch.Chunk{N: b.Rows(), Cols: make([]*vector.Vector, len(cols))}
	for k, i := range cols {
		if i >= b.Columns() {
			c.Cols[k] = g.column(i, c.N)
			continue
		}
		var err error
		if c.Cols[k], err = b.Column(i); err != nil {
			return nil, err
		}
	}
	var err error
	c.Weights, err = b.Weights()
	return c, err
}

// reshape gives the running part of a table or stream the columns that t has and old has
// not: the rows that wait to be cut, the image, and images of it that are kept. back
// undoes it, as long as nobody knows of the columns.
func (e *Engine) reshape(ctx context.Context, old, t *catalog.Table) (back func(), err error) {
	if len(t.Columns) == len(old.Columns) {
		return func() {}, nil
	}
	back = func() {}
	err = e.withCommitter(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		g := growthOf(t)
		e.growths.Store(t.ID, g)
		if ts := e.tables[t.ID]; ts != nil {
			shrink := ts.Grow(t)
			back = func() { shrink(); e.growths.Store(t.ID, growthOf(old)) }
			for i, m := range ts.history {
				ts.history[i].images = m.images.grow(t)
			}
		}
		for _, cg := range e.groups {
			if im := cg.images[t.ID]; im != nil {
				cg.images[t.ID] = im.grow(t)
			}
			for _, in := range cg.inputs {
				if in.table != t.ID {
					continue
				}
				for k, c := range in.chunks {
					in.chunks[k] = g.fill(c)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return func() {
		if err := e.withCommitter(context.WithoutCancel(ctx), back); err != nil {
			e.fatal("a table cannot be given back its shape", err)
		}
	}, nil
}

// grow is s of a table that has the columns of t by now. It takes over the reference to s.
func (s *imageSet) grow(t *catalog.Table) *imageSet {
	if s == nil {
		return nil
	}
	out := newImageSet(table.GrowImages(s.parts, t))
	out.under = s
	return out
}
