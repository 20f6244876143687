package agg

import (
	"bytes"
	"encoding/binary"
	"math"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// extremeState is MIN and MAX over append-only input. Values of up to 8 bytes:
// 1 if there is one, 8 bytes, and the value; of longer decimals 32 bytes of
// value; of bytes only the handle of the value in the heap, 0: none.
type extremeState struct {
	at    int
	col   int
	max   bool
	t     types.Type
	class types.Class
	heap  Heap
}

func newExtreme(c Call, col, at int, heap Heap) *extremeState {
	return &extremeState{at: at, col: col, max: c.Fn == "max", t: c.Type, class: c.Type.Class(), heap: heap}
}

func (s *extremeState) wide() bool { return s.class == types.ClassDecimal && s.t.Prec > 18 }

func (s *extremeState) Columns() int { return 1 }

func (s *extremeState) Size() int {
	switch {
	case s.class == types.ClassBytes:
		return 8
	case s.wide():
		return 40
	default:
		return 16
	}
}

func (s *extremeState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	v := in[s.col]
	for i, r := range rows {
		if v.IsNull(lo+i) || weight(weights, lo+i) <= 0 {
			continue
		}
		b := r[s.at:]
		switch {
		case s.class == types.ClassBytes:
			if err := s.addBytes(b, v.Bytes(lo+i)); err != nil {
				return err
			}
			continue
		case s.wide():
			if x := v.Wide(lo + i); getInt(b) == 0 || s.better(x.Cmp(getWide(b[8:]))) {
				putWide(b[8:], x)
			}
		case s.class == types.ClassFloat:
			if x := v.F[lo+i]; getInt(b) == 0 || s.better(compare(x, math.Float64frombits(binary.LittleEndian.Uint64(b[8:])))) {
				binary.LittleEndian.PutUint64(b[8:], math.Float64bits(x))
			}
		default:
			x := s.int(v, lo+i)
			if getInt(b) == 0 || s.better(s.compareInt(x, getInt(b[8:]))) {
				putInt(b[8:], x)
			}
		}
		putInt(b, 1)
	}
	return nil
}

func (s *extremeState) int(v *vector.Vector, i int) int64 {
	if v.IsWide() {
		return int64(v.W[i][0])
	}
	return v.I[i]
}

func (s *extremeState) better(cmp int) bool { return s.max == (cmp > 0) && cmp != 0 }

func (s *extremeState) compareInt(a, b int64) int {
	if s.t.Unsigned && s.class == types.ClassInt {
		return compare(uint64(a), uint64(b))
	}
	return compare(a, b)
}

func compare[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

func (s *extremeState) addBytes(b, x []byte) error {
	old := binary.LittleEndian.Uint64(b)
	if old != 0 && !s.better(bytes.Compare(x, s.heap.Get(old))) {
		return nil
	}
	h, err := s.heap.Put(x)
	if err != nil {
		return err
	}
	if old != 0 {
		s.heap.Drop(old)
	}
	binary.LittleEndian.PutUint64(b, h)
	return nil
}

func (s *extremeState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	return s.Add(rows, in, lo, nil)
}

func (s *extremeState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	s.AppendResult(rows, out[0], nil)
}

func (s *extremeState) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, r := range rows {
		b := r[s.at:]
		first := binary.LittleEndian.Uint64(b)
		switch {
		case first == 0:
			out.AppendNull()
		case s.class == types.ClassBytes:
			out.AppendBytes(s.heap.Get(first))
		case s.wide():
			out.AppendWide(getWide(b[8:]))
		case s.class == types.ClassFloat:
			out.AppendFloat(math.Float64frombits(binary.LittleEndian.Uint64(b[8:])))
		default:
			out.AppendInt(getInt(b[8:]))
		}
	}
}

// Handle is what a group's row has in the heap; 0: nothing.
func Handle(s State, row []byte) uint64 {
	switch s := s.(type) {
	case *filteredState:
		return Handle(s.State, row)
	case *routineState:
		return s.handle(row)
	case *extremeState:
		if s.class == types.ClassBytes {
			return binary.LittleEndian.Uint64(row[s.at:])
		}
	}
	return 0
}
