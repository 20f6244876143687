package operators

import (
	"bytes"

	"streamsql/operators/batch"
	"streamsql/operators/state"
)

// probeRows is how many rows at either end of a partition are tried.
const probeRows = blockSize

// stays reports that the functions of these numbers, which give all rows of the
// partition the same, give what they gave: so says any row that was there, of
// which nothing has been computed in this batch. If none is found, it is false.
func (o *overOutput) stays(funcs []int) bool {
	n := o.part.n
	for i := int64(0); i < min(n, 2*probeRows); i++ {
		at := i
		if i >= probeRows {
			at = n - 1 - (i - probeRows)
		}
		b, k := o.part.block(at)
		if ref := resultsOf(o.store.Get(b.refs[k])); ref != 0 {
			return o.same(at, o.results.Get(ref), funcs)
		}
	}
	return false
}

// same reports that row i has the results that it had, of some functions.
func (o *overOutput) same(i int64, was []byte, funcs []int) bool {
	resetVectors(o.eval.out)
	if err := o.eval.row(i); err != nil || o.eval.failed != nil || was[0] != 0 {
		return false
	}
	old := batch.New(o.out[len(o.input):], 1)
	o.codec.Decode([][]byte{was[1:]}, old.Cols)
	for _, k := range funcs {
		a, b := state.AppendOrdered(nil, old.Cols[k], 0, false), state.AppendOrdered(nil, o.eval.out[k], 0, false)
		if !bytes.Equal(a, b) {
			return false
		}
	}
	return true
}
