package agg

import (
	"encoding/binary"
	"fmt"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// State computes one aggregate of many groups at a time. What it knows of a
// group lies in Size bytes of the group's row, from the offset given to New on;
// all zero, nothing was seen yet. In all methods rows[i] is the row of the
// group that row lo+i of the input belongs to (or, for output, of the i-th
// group); rows may name a group more than once.
//
// The errors are those of the Heap.
type State interface {
	// Size is a multiple of 8.
	Size() int
	// Columns is how many partial columns there are.
	Columns() int
	// Add takes raw rows in, weights[lo+i] times each (nil: once). Weight 0 is nothing.
	Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error
	// AddPartial takes in what AppendPartial gave.
	AddPartial(rows [][]byte, in []*vector.Vector, lo int) error
	// AppendPartial appends the partial columns (Partial) to out.
	AppendPartial(rows [][]byte, out []*vector.Vector)
	// AppendResult appends the results to out. One that is out of range becomes
	// NULL, and fail is told.
	AppendResult(rows [][]byte, out *vector.Vector, fail func(i int, err error))
}

// Heap keeps byte strings that do not fit into a row. No handle is 0.
type Heap interface {
	Put(b []byte) (uint64, error)
	Get(h uint64) []byte
	Drop(h uint64)
}

// New makes the State of a call over the input columns cols (the positions of
// all of its Args, or of its partial columns: partial), lying at the offset at of
// a row. Of what keeps an End it is that over append-only input, without an order;
// a distinct call is computed as if each value came once, which is for the caller
// to see to. heap is needed by MIN and MAX of bytes, and by functions of the
// user's own for long states.
func New(c Call, cols []int, partial bool, at int, heap Heap) (State, error) {
	condition := -1
	if !partial {
		if c.Filtered {
			condition = cols[len(cols)-1]
		}
		cols = cols[:len(c.Values())]
	}
	s, err := newState(c, cols, at, heap)
	if condition >= 0 && err == nil {
		s = &filteredState{State: s, condition: condition}
	}
	return s, err
}

func newState(c Call, cols []int, at int, heap Heap) (State, error) {
	switch c.Fn {
	case "count":
		return &countState{at: at, cols: cols}, nil
	case Routine:
		return newRoutine(c, cols, at, heap)
	}
	if len(cols) == 0 {
		return nil, fmt.Errorf("aggregate %q without a value", c.Fn)
	}
	switch c.Fn {
	case "sum", "avg":
		if c.Type.Kind == types.Double {
			return &exactState{at: at, cols: cols, avg: c.Fn == "avg"}, nil
		}
		s := sumState{at: at, cols: cols, call: c, shift: c.Type.Scale - argScale(c)}
		if t := c.Args[0].Type; t.Kind == types.Decimal && t.Prec > 18 {
			return &wideSumState{s}, nil
		}
		return &s, nil
	case "min", "max", "any_value":
		return newExtreme(c, cols[0], at, heap), nil
	case "bit_xor":
		return &xorState{at: at, col: cols[0]}, nil
	case "bit_and", "bit_or":
		return &bitsState{at: at, col: cols[0], and: c.Fn == "bit_and"}, nil
	case "var_pop", "var_samp", "stddev_pop", "stddev_samp":
		return newVariance(c, cols[0], at), nil
	}
	return nil, fmt.Errorf("aggregate %q without a state", c.Fn)
}

// filteredState adds only the rows that FILTER lets through.
type filteredState struct {
	State
	condition int
	weights   []int64
}

// Add takes the rows in whose condition is 1.
func (s *filteredState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	s.weights = Filter(in[s.condition], lo, len(rows), weights, s.weights)
	return s.State.Add(rows, in, lo, s.weights)
}

// Filter gives the weights of the rows lo … lo+n, at the same places, 0 where the
// condition is not 1. It reuses scratch.
func Filter(condition *vector.Vector, lo, n int, weights, scratch []int64) []int64 {
	if cap(scratch) < lo+n {
		scratch = make([]int64, lo+n)
	}
	scratch = scratch[:lo+n]
	for i := lo; i < lo+n; i++ {
		if scratch[i] = 0; condition.I[i] != 0 && !condition.IsNull(i) {
			scratch[i] = weight(weights, i)
		}
	}
	return scratch
}

func getInt(b []byte) int64    { return int64(binary.LittleEndian.Uint64(b)) }
func putInt(b []byte, x int64) { binary.LittleEndian.PutUint64(b, uint64(x)) }

func getWide(b []byte) decimal.Wide {
	_ = b[31]
	return decimal.Wide{
		binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:]),
	}
}

func putWide(b []byte, w decimal.Wide) {
	_ = b[31]
	for k, x := range w {
		binary.LittleEndian.PutUint64(b[8*k:], x)
	}
}

func weight(ws []int64, i int) int64 {
	if ws == nil {
		return 1
	}
	return ws[i]
}
