package operators

import (
	"streamsql/operators/batch"
	"streamsql/sql/vector"
)

// Pairs are made into columns late: a pair is a row of the chunk and the Ref of
// a stored one until it is known to pass, and then only those columns are made
// that somebody reads.

// pairColumns are columns of pairs, by the side that they are of.
type pairColumns struct {
	side [2][]pairColumn
	n    int // columns of the result
}

// pairColumn is column from of a side, and where it stands in the result.
type pairColumn struct{ from, to int }

// newPairColumns is a result that has the columns cols, which are positions among
// left's and then right's, in the places to (nil: one after the other), of n.
func newPairColumns(spec *JoinSpec, cols, to []int, n int) pairColumns {
	p := pairColumns{n: n}
	for i, k := range cols {
		at := i
		if to != nil {
			at = to[i]
		}
		side := 0
		if k >= len(spec.Left) {
			side, k = 1, k-len(spec.Left)
		}
		p.side[side] = append(p.side[side], pairColumn{k, at})
	}
	return p
}

// pairs makes columns, of the memory of a loan, of those pairs of the block that sel names.
func (j *Join) pairs(in int, c *batch.Chunk, sel []int32, want *pairColumns, loan *batch.Loan) *batch.Chunk {
	chunk := loan.Chunk(want.n, len(sel))
	out := chunk.Cols
	if len(want.side[in]) > 0 {
		j.rows = j.rows[:0]
		for _, k := range sel {
			j.rows = append(j.rows, j.own[k])
		}
		want.gather(out, in, c, j.rows, loan)
	}
	if len(want.side[1-in]) > 0 {
		j.others(in, sel, want, out, loan)
	}
	return chunk
}

// gather fills the columns of a side from rows of its chunk.
func (p *pairColumns) gather(out []*vector.Vector, side int, c *batch.Chunk, rows []int32, loan *batch.Loan) {
	for _, col := range p.side[side] {
		out[col.to] = loan.GatherVector(c.Cols[col.from], rows)
	}
}

// others fills the columns of the other side of the pairs sel.
func (j *Join) others(in int, sel []int32, want *pairColumns, out []*vector.Vector, loan *batch.Loan) {
	they := j.side[1-in]
	j.bytes = j.bytes[:0]
	for _, k := range sel {
		j.bytes = append(j.bytes, they.row(they.store.Slot(j.other[k])))
	}
	want.decode(out, 1-in, they, j.bytes, loan)
	they.forget()
}

// decode fills the columns of a side from encoded rows of it.
func (p *pairColumns) decode(out []*vector.Vector, side int, s *joinSide, rows [][]byte, loan *batch.Loan) {
	if s.cols == nil {
		s.cols = make([]*vector.Vector, len(s.codec.Types))
	}
	cols := s.cols
	clear(cols)
	for _, col := range p.side[side] {
		if cols[col.from] == nil {
			cols[col.from] = loan.Vector(s.codec.Types[col.from], len(rows))
		}
		out[col.to] = cols[col.from]
	}
	s.codec.Decode(rows, cols)
}

// weigh sets the weights of the block's pairs.
func (j *Join) weigh(in int, c *batch.Chunk) {
	they := j.side[1-in]
	j.weight = j.weight[:0]
	for k, r := range j.other {
		j.weight = append(j.weight, they.count(they.store.Slot(r))*c.Weight(int(j.own[k])))
	}
}

// filter sets passing: the pairs that the residual is true for.
func (j *Join) filter(in int, c *batch.Chunk) {
	n := len(j.own)
	for k := len(j.all); k < n; k++ {
		j.all = append(j.all, int32(k))
	}
	all := j.all[:n]
	if j.passing = all; j.cond == nil || n == 0 {
		return
	}
	f := j.cond
	j.tried.End()
	f.mem = f.compiled.Select(&f.ctx, j.pairs(in, c, all, &j.reads, &j.tried).Cols, n, f.mem)
	j.passing = f.mem
	if f.failed != nil {
		both := len(j.spec.Left) + len(j.spec.Right)
		every := newPairColumns(&j.spec, positions(both), nil, both)
		f.report(&batch.Chunk{Cols: j.pairs(in, c, all, &every, nil).Cols, N: n, Weights: j.weight}, nil)
	}
}

// give is the output of the pairs that pass.
func (j *Join) give(in int, c *batch.Chunk) *batch.Chunk {
	sel := j.passing
	out := j.pairs(in, c, sel, &j.gives, j.loan)
	for at, k := range sel {
		if w := j.weight[k]; w != 1 && out.Weights == nil {
			out.Weights = j.loan.Ints(len(sel))
			for i := range at {
				out.Weights[i] = 1
			}
		}
		if out.Weights != nil {
			out.Weights[at] = j.weight[k]
		}
	}
	return out
}
