package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// apply filters the block's pairs, emits what comes of them, and brings the
// state up to date.
func (j *Join) apply(in int, c *batch.Chunk, emit func(*batch.Chunk)) error {
	pairs := j.pairColumns(in, c)
	j.filter(pairs)
	kind := j.spec.Kind
	mine, theirs, keeps := kind.counts(in), kind.counts(1-in), j.keeps(in)
	// listed: right rows that are given at the end if they match none, and not now.
	listed := in == 1 && j.listsRight()
	mine = mine && !listed
	var sel []int32 // pairs to emit
	var weights []int64
	var own, others alone // rows of this side and of the other
	for b := range j.block {
		p := &j.block[b]
		w := c.Weight(p.row)
		for k := p.lo; k < p.hi; k++ {
			if !j.passes[k] {
				continue
			}
			if kind.pairs() {
				sel, weights = append(sel, int32(k)), append(weights, j.weight[k])
			}
			if mine {
				p.degree += getInt(j.side[1-in].store.Slot(j.other[k]))
			}
			if theirs {
				if d := j.side[1-in].addDegree(j.other[k], w); d != 0 {
					others.add(k, d*getInt(j.side[1-in].store.Slot(j.other[k])))
				}
			}
		}
		if !p.last {
			j.cursor.degree = p.degree
			continue
		}
		if mine && (p.degree == 0) != (kind == SemiJoin) {
			own.add(p.row, w)
		}
		if keeps && (!p.free || listed) {
			if err := j.side[in].upsert(c, p.row, w, p.degree); err != nil {
				return err
			}
		}
	}
	if len(sel) > 0 {
		out := &batch.Chunk{Cols: pairs, N: len(j.own)}
		if len(sel) < len(j.own) {
			out = out.Gather(sel)
		}
		out.Weights = plain(weights)
		emit(out)
	}
	if kind == SemiJoin {
		others.negate()
	}
	if len(own.rows) > 0 {
		emit(j.extend(in, c.Cols, own))
	}
	if len(others.rows) > 0 && !j.listsRight() {
		emit(j.extend(1-in, j.sideOf(1-in, pairs), others))
	}
	return nil
}

// listsRight reports a full join that gives its unmatched right rows at the end.
func (j *Join) listsRight() bool { return j.spec.Kind == FullJoin && j.spec.RightFirst }

// finish gives, at the end of the one batch of a full join whose left input
// waited, the right rows that match none.
func (j *Join) finish(budget int, emit func(*batch.Chunk)) Status {
	if !j.listsRight() || !j.closed() {
		return Done
	}
	s := j.side[1]
	if !j.final {
		j.final, j.alone = true, j.alone[:0]
		s.store.Scan(func(r state.Ref, row []byte) bool {
			if getInt(row[8:]) == 0 {
				j.alone = append(j.alone, r)
			}
			return true
		})
	}
	for len(j.alone) > 0 {
		if budget <= 0 {
			return More
		}
		n := min(len(j.alone), budget, blockRows)
		j.bytes = j.bytes[:0]
		var a alone
		for k, r := range j.alone[:n] {
			stored := s.store.Get(r)
			j.bytes = append(j.bytes, s.row(stored))
			a.add(k, getInt(stored))
		}
		cols := newVectors(s.codec.Types, n)
		s.codec.Decode(j.bytes, cols)
		emit(j.extend(1, cols, a))
		j.alone = j.alone[n:]
		budget -= n
	}
	return Done
}

// alone are rows of one side that come or go without one of the other beside them.
type alone struct {
	rows    []int32
	weights []int64
}

func (a *alone) add(row int, w int64) {
	a.rows, a.weights = append(a.rows, int32(row)), append(a.weights, w)
}

func (a *alone) negate() {
	for i, w := range a.weights {
		a.weights[i] = -w
	}
}

// extend makes the chunk of the rows a of cols, the columns of a side, with
// NULLs in the place of the other side.
func (j *Join) extend(side int, cols []*vector.Vector, a alone) *batch.Chunk {
	out := &batch.Chunk{N: len(a.rows), Weights: plain(a.weights)}
	left := len(j.spec.Left)
	for k, t := range j.out {
		at := k
		if side == 1 {
			at = k - left
		}
		if mine := side == 0 && k < left || side == 1 && k >= left; mine {
			out.Cols = append(out.Cols, cols[at].Gather(a.rows))
			continue
		}
		v := vector.New(t, len(a.rows))
		for range a.rows {
			v.AppendNull()
		}
		out.Cols = append(out.Cols, v)
	}
	return out
}

// plain is weights, or nil when all are 1.
func plain(weights []int64) []int64 {
	for _, w := range weights {
		if w != 1 {
			return weights
		}
	}
	return nil
}

// sideOf are the columns of a side among those of both.
func (j *Join) sideOf(side int, both []*vector.Vector) []*vector.Vector {
	if side == 0 {
		return both[:len(j.spec.Left)]
	}
	return both[len(j.spec.Left):]
}

// pairColumns makes the columns of both sides of all pairs of the block.
func (j *Join) pairColumns(in int, c *batch.Chunk) []*vector.Vector {
	they := j.side[1-in]
	j.bytes, j.weight = j.bytes[:0], j.weight[:0]
	for k, r := range j.other {
		stored := they.store.Slot(r)
		j.bytes = append(j.bytes, they.row(stored))
		j.weight = append(j.weight, getInt(stored)*c.Weight(int(j.own[k])))
	}
	decoded := newVectors(they.codec.Types, len(j.other))
	they.codec.Decode(j.bytes, decoded)
	var mine []*vector.Vector
	for _, v := range c.Cols {
		mine = append(mine, v.Gather(j.own))
	}
	if in == 0 {
		return append(mine, decoded...)
	}
	return append(decoded, mine...)
}

// filter sets passes: which pairs the residual is true for.
func (j *Join) filter(pairs []*vector.Vector) {
	n := len(j.own)
	if cap(j.passes) < n {
		j.passes = make([]bool, max(n, blockRows))
	}
	j.passes = j.passes[:n]
	for k := range j.passes {
		j.passes[k] = j.cond == nil
	}
	if j.cond == nil || n == 0 {
		return
	}
	for _, k := range j.cond.sel(&batch.Chunk{Cols: pairs, N: n, Weights: j.weight}) {
		j.passes[k] = true
	}
}
