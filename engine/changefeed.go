package engine

import (
	"bytes"
	"context"
	"slices"

	"streamsql/catalog"
	"streamsql/engine/task"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/operators/state"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// What SUBSCRIBE and CHANGES say of a row: it came, it went, or it took the place
// of the one with the same key. A progress row says that batches are finished.
const (
	opInsert   = connector.OpInsert
	opDelete   = connector.OpDelete
	opBefore   = connector.OpBefore
	opAfter    = connector.OpAfter
	opProgress = "P"
)

// feedFields are the columns of a changefeed of a view.
func feedFields(t *catalog.Table) []physical.Field {
	fields := make([]physical.Field, 0, len(t.Columns)+2)
	for _, c := range bind.ChangeColumns(t) {
		fields = append(fields, physical.Field{Name: c.Name, Type: c.Type})
	}
	return fields
}

// changefeed turns what batches changed in a view into rows with an op.
type changefeed struct {
	types []types.Type // of the feed: op, batch, then the view's columns
	key   []int        // the view's unique key
}

func newChangefeed(t *catalog.Table) *changefeed {
	f := &changefeed{key: t.Primary}
	for _, x := range feedFields(t) {
		f.types = append(f.types, x.Type)
	}
	return f
}

// netRow is a row whose changes within a batch do not cancel out.
type netRow struct {
	key    []byte // in the order of the view's key, or of all columns
	row    []byte // the same of all columns
	chunk  *batch.Chunk
	at     int
	weight int64
}

// rows are the changes of a batch, consolidated, in the order of the key: what went
// comes before what came. Rows of one key that went and came are a pair of -U and +U.
func (f *changefeed) rows(c change) *batch.Chunk {
	net := f.consolidate(c.chunks)
	out := batch.New(f.types, len(net))
	for i := 0; i < len(net); i++ {
		if r := &net[i]; f.paired(net, i) {
			f.push(out, opBefore, c.id, r)
			f.push(out, opAfter, c.id, &net[i+1])
			i++
		} else if r.weight < 0 {
			f.push(out, opDelete, c.id, r)
		} else {
			f.push(out, opInsert, c.id, r)
		}
	}
	return out
}

// paired reports that row i and the next one are an update.
func (f *changefeed) paired(net []netRow, i int) bool {
	return f.key != nil && i+1 < len(net) && net[i].weight == -1 && net[i+1].weight == 1 && bytes.Equal(net[i].key, net[i+1].key)
}

// consolidate sums up the weights of equal rows, and leaves out those of weight 0.
func (f *changefeed) consolidate(chunks []*batch.Chunk) []netRow {
	var all []netRow
	for _, c := range chunks {
		for i := range c.N {
			r := netRow{chunk: c, at: i, weight: c.Weight(i)}
			for _, v := range c.Cols {
				r.row = state.AppendOrdered(r.row, v, i, false)
			}
			for _, k := range f.key {
				r.key = state.AppendOrderedKey(r.key, c.Cols[k], i, false)
			}
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b netRow) int { return bytes.Compare(a.row, b.row) })
	net := all[:0]
	for _, r := range all {
		if n := len(net); n > 0 && bytes.Equal(net[n-1].row, r.row) {
			net[n-1].weight += r.weight
		} else {
			net = append(net, r)
		}
	}
	net = slices.DeleteFunc(net, func(r netRow) bool { return r.weight == 0 })
	slices.SortStableFunc(net, func(a, b netRow) int {
		if d := bytes.Compare(a.key, b.key); d != 0 {
			return d
		}
		if (a.weight < 0) != (b.weight < 0) {
			if a.weight < 0 {
				return -1
			}
			return 1
		}
		return 0
	})
	return net
}

// push appends a row of the feed.
func (f *changefeed) push(out *batch.Chunk, op string, id uint64, r *netRow) {
	out.Cols[0].AppendString(op)
	out.Cols[1].AppendInt(int64(id))
	for k, v := range r.chunk.Cols {
		out.Cols[k+2].AppendFrom(v, r.at)
	}
	out.PushWeight(max(r.weight, -r.weight))
}

// inserted are rows of a view as the feed has them: each came.
func (f *changefeed) inserted(c *batch.Chunk, id uint64) *batch.Chunk {
	out := &batch.Chunk{N: c.N, Weights: c.Weights}
	op, at := vector.New(f.types[0], c.N), vector.New(f.types[1], c.N)
	for range c.N {
		op.AppendString(opInsert)
		at.AppendInt(int64(id))
	}
	out.Cols = append([]*vector.Vector{op, at}, c.Cols...)
	return out
}

// progress says that all batches up to id are finished.
func (f *changefeed) progress(id uint64) *batch.Chunk {
	out := batch.New(f.types, 1)
	out.Cols[0].AppendString(opProgress)
	out.Cols[1].AppendInt(int64(id))
	for _, v := range out.Cols[2:] {
		v.AppendNull()
	}
	out.PushWeight(1)
	return out
}

// feedChanges gives the sources that read changes of views what they want, up to
// the batch of the snapshot, and returns those of the list that are left.
func (e *Engine) feedChanges(ctx context.Context, flow *task.Flow, info *task.Info, snap *snapshot, sources []int, tokens [][]uint64) (left []int, err error) {
	for _, i := range sources {
		s := flow.Sources[i]
		if s.Changes == nil {
			left = append(left, i)
			continue
		}
		e.mu.Lock()
		j := e.jobs[catalog.ID(s.Table)]
		e.mu.Unlock()
		if j == nil {
			return nil, sqlerr.New(sqlerr.NoSuchTable, "A view of the query was dropped meanwhile")
		}
		feed := newChangefeed(j.table)
		err := e.eachChange(j, s.Changes.After, snap.cut.ID, func(c *change) error {
			if err := s.AwaitCredit(ctx); err != nil {
				return err
			}
			s.Send(info, feed.rows(*c))
			return nil
		})
		if err != nil {
			return nil, err
		}
		s.End(info, tokens[i])
	}
	return left, nil
}
