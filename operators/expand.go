package operators

import (
	"streamsql/operators/batch"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// ExpandSpec says what an Expand does: output columns are the input's, then one
// for each of Keys, then the number of the set, BIGINT.
type ExpandSpec struct {
	Input []types.Type
	Keys  []int   // columns of the input
	Sets  [][]int // positions in Keys: which of them a set holds
}

// Expand gives each row once for each grouping set, with NULL for the keys that
// the set does not hold. It keeps nothing.
type Expand struct {
	inbox
	spec ExpandSpec
	set  int // of the first chunk's next rows, the set that comes next
}

// NewExpand makes an Expand.
func NewExpand(spec ExpandSpec) *Expand { return &Expand{spec: spec} }

// String names the operator as EXPLAIN does.
func (e *Expand) String() string { return "Expand" }

// Begin opens a batch.
func (e *Expand) Begin(*Batch) { e.begin(1) }

// Push queues a chunk.
func (e *Expand) Push(_ int, c *batch.Chunk) { e.push(0, c) }

// CloseInput notes the end of the input.
func (e *Expand) CloseInput(int) { e.close() }

// Step gives the next rows, a set at a time.
func (e *Expand) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for e.head < len(e.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, lo := e.first()
		// All sets see the same rows, however the budget changes.
		n := min(batch.TargetRows/len(e.spec.Sets)+1, c.N-lo)
		emit(e.rows(c, lo, lo+n))
		budget -= n
		if e.set++; e.set == len(e.spec.Sets) {
			e.set = 0
			e.done(n)
		}
	}
	return Done, nil
}

// rows are the rows lo … hi of c for the present set.
func (e *Expand) rows(c *batch.Chunk, lo, hi int) *batch.Chunk {
	n := hi - lo
	out := &batch.Chunk{N: n}
	if c.Weights != nil {
		out.Weights = c.Weights[lo:hi]
	}
	for _, v := range c.Cols {
		out.Cols = append(out.Cols, v.Slice(lo, hi))
	}
	held := make([]bool, len(e.spec.Keys))
	for _, k := range e.spec.Sets[e.set] {
		held[k] = true
	}
	for k, at := range e.spec.Keys {
		if held[k] {
			out.Cols = append(out.Cols, out.Cols[at])
		} else {
			out.Cols = append(out.Cols, nulls(e.spec.Input[at], n))
		}
	}
	id := &vector.Vector{Type: types.MakeBigInt(), N: n, I: make([]int64, n)}
	for i := range id.I {
		id.I[i] = int64(e.set)
	}
	out.Cols = append(out.Cols, id)
	return out
}

// nulls is a vector of n NULLs.
func nulls(t types.Type, n int) *vector.Vector {
	v := &vector.Vector{Type: t.Nullable(), N: n, Valid: make([]uint64, (n+63)>>6)}
	switch t.Class() {
	case types.ClassFloat:
		v.F = make([]float64, n)
	case types.ClassBytes:
		v.Off = make([]int32, n+1)
	default:
		v.I = make([]int64, n)
	}
	return v
}
