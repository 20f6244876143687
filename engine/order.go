package engine

import (
	"bytes"
	"slices"

	"streamsql/catalog"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/planner/physical"
	"streamsql/sql/types"
)

// smallOrdered: so few rows come in the order of their key, as people who type a
// query without ORDER BY are used to. More come as they lie.
const smallOrdered = 1000

// inKeyOrder gives the rows of scans, all columns of table id, in the order of
// its key; of a table without one, as they are.
func (e *Engine) inKeyOrder(id catalog.ID, scans []func(int) *batch.Chunk) []func(int) *batch.Chunk {
	t, ok := e.cat.Load().TableByID(id)
	if !ok || len(t.Primary) == 0 {
		return scans
	}
	var ts []types.Type
	for _, c := range t.Columns {
		ts = append(ts, c.Type)
	}
	given := false
	return []func(int) *batch.Chunk{func(int) *batch.Chunk {
		if given {
			return nil
		}
		given = true
		var all []*batch.Chunk
		for _, next := range scans {
			for c := next(smallOrdered); c != nil; c = next(smallOrdered) {
				all = append(all, c)
			}
		}
		if len(all) == 0 {
			return nil
		}
		return sorted(all, t.Primary, ts)
	}}
}

// sorted is the rows of the chunks in one, by the columns keys.
func sorted(chunks []*batch.Chunk, keys []int, ts []types.Type) *batch.Chunk {
	type row struct {
		key   []byte
		chunk *batch.Chunk
		at    int
	}
	var rows []row
	for _, c := range chunks {
		for i := range c.N {
			var key []byte
			for _, k := range keys {
				key = state.AppendOrdered(key, c.Cols[k], i, false)
			}
			rows = append(rows, row{key, c, i})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return bytes.Compare(a.key, b.key) })
	out := batch.New(ts, len(rows))
	for _, r := range rows {
		out.AppendFrom(r.chunk, r.at, r.chunk.Weight(r.at))
	}
	return out
}

// groupKey is the result's columns with the keys of a GROUP BY at the top of a
// plan; nil: there is none, or not all are in the result.
func groupKey(p *physical.Plan) []int {
	n := p.Root
	for n.Kind == physical.Map {
		n = n.Inputs[0]
	}
	if n.Kind != physical.Merge || len(n.Agg.Keys) == 0 {
		return nil
	}
	return p.Key
}

// sortGroups puts a finished small result into the order of its groups, and
// reports whether the result may be read. r.mu is held.
func (r *rows) sortGroups() bool {
	switch {
	case r.groups == nil || r.err != nil:
	case r.queued > smallOrdered:
		r.groups = nil
	case !r.ended:
		return false
	default:
		if len(r.queue) > 0 {
			var ts []types.Type
			for _, f := range r.plan.Root.Fields {
				ts = append(ts, f.Type)
			}
			r.queue = []*batch.Chunk{sorted(r.queue, r.groups, ts)}
		}
		r.groups = nil
	}
	return true
}
