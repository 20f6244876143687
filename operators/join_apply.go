package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
)

// apply filters the block's pairs, emits what comes of them, and brings the
// state up to date.
func (j *Join) apply(in int, c *batch.Chunk, emit func(*batch.Chunk)) error {
	j.weigh(in, c)
	j.filter(in, c)
	kind := j.spec.Kind
	mine, theirs, keeps := kind.counts(in), kind.counts(1-in), j.keeps(in)
	// listed: right rows that are given at the end if they match none, and not now.
	listed := in == 1 && j.listsRight()
	mine = mine && !listed
	var own, others alone // rows of this side; pairs, for the other side's row in them
	next := 0             // of passing
	for b := range j.block {
		p := &j.block[b]
		w := c.Weight(p.row)
		for ; (mine || theirs) && next < len(j.passing) && int(j.passing[next]) < p.hi; next++ {
			k := j.passing[next]
			if mine {
				p.degree += j.side[1-in].count(j.side[1-in].store.Slot(j.other[k]))
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
			own.add(int32(p.row), w)
		}
		if keeps && (!p.free || listed) {
			if err := j.side[in].upsert(c, p.row, w, p.degree); err != nil {
				return err
			}
		}
	}
	if kind == SemiJoin {
		others.negate()
	}
	// The state has changed, but no row that pairs are made of.
	if kind.pairs() && len(j.passing) > 0 {
		emit(j.give(in, c))
	}
	if len(own.rows) > 0 {
		out := j.loan.Chunk(len(j.out), len(own.rows))
		j.gives.gather(out.Cols, in, c, own.rows, j.loan)
		emit(j.extend(out, own.weights))
	}
	if len(others.rows) > 0 && !j.listsRight() {
		out := j.loan.Chunk(len(j.out), len(others.rows))
		j.others(in, others.rows, &j.gives, out.Cols, j.loan)
		emit(j.extend(out, others.weights))
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
			a.add(int32(k), getInt(stored))
		}
		out := j.loan.Chunk(len(j.out), n)
		j.gives.decode(out.Cols, 1, s, j.bytes, j.loan)
		emit(j.extend(out, a.weights))
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

func (a *alone) add(row int32, w int64) {
	a.rows, a.weights = append(a.rows, row), append(a.weights, w)
}

func (a *alone) negate() {
	for i, w := range a.weights {
		a.weights[i] = -w
	}
}

// extend puts NULLs in the place of the other side's columns into a chunk that has
// those of one side.
func (j *Join) extend(c *batch.Chunk, weights []int64) *batch.Chunk {
	for k, t := range j.out {
		if c.Cols[k] != nil {
			continue
		}
		c.Cols[k] = j.loan.Vector(t, c.N)
		for range c.N {
			c.Cols[k].AppendNull()
		}
	}
	c.Weights = plain(weights)
	return c
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
