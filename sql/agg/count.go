package agg

import "streamsql/sql/vector"

// countState counts rows of which no argument is NULL: 8 bytes.
type countState struct {
	at   int
	cols []int
}

func (s *countState) Columns() int { return 1 }

func (s *countState) Size() int { return 8 }

func (s *countState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	nulls := false
	for _, c := range s.cols {
		nulls = nulls || in[c].HasNulls()
	}
	for i, r := range rows {
		if nulls && s.anyNull(in, lo+i) {
			continue
		}
		b := r[s.at : s.at+8]
		putInt(b, getInt(b)+weight(weights, lo+i))
	}
	return nil
}

func (s *countState) anyNull(in []*vector.Vector, i int) bool {
	for _, c := range s.cols {
		if in[c].IsNull(i) {
			return true
		}
	}
	return false
}

func (s *countState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	x := in[s.cols[0]].I
	for i, r := range rows {
		b := r[s.at : s.at+8]
		putInt(b, getInt(b)+x[lo+i])
	}
	return nil
}

func (s *countState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	s.AppendResult(rows, out[0], nil)
}

func (s *countState) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, r := range rows {
		out.AppendInt(getInt(r[s.at:]))
	}
}
