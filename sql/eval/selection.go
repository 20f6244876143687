package eval

import "streamsql/sql/vector"

// Selection is some rows of a chunk. A column of theirs is gathered when it is first
// asked for, once for all programs; one that a program reads for a part of the rows
// only, in an argument that is not always reached, is gathered for that part alone.
// It is for one goroutine.
type Selection struct {
	// Gather makes the columns; nil: of new memory.
	Gather func(v *vector.Vector, rows []int32) *vector.Vector

	whole []*vector.Vector
	rows  []int32
	cols  []*vector.Vector // nil: not gathered
	part  []int32
}

// Select makes it the rows of the chunk cols. Both must stay as they are as long as
// it is used.
func (s *Selection) Select(cols []*vector.Vector, rows []int32) {
	s.whole, s.rows = cols, rows
	if cap(s.cols) < len(cols) {
		s.cols = make([]*vector.Vector, len(cols))
	}
	s.cols = s.cols[:len(cols)]
	clear(s.cols)
}

// Forget lets go of the chunk.
func (s *Selection) Forget() { s.Select(nil, nil) }

// Column is the column i of the rows.
func (s *Selection) Column(i int) *vector.Vector {
	switch {
	case s.cols[i] != nil:
	case s.Gather != nil:
		s.cols[i] = s.Gather(s.whole[i], s.rows)
	default:
		s.cols[i] = s.whole[i].Gather(s.rows)
	}
	return s.cols[i]
}

// some is where to find the column i of the rows at some positions.
func (s *Selection) some(i int, at []int32) (*vector.Vector, []int32) {
	if s.cols[i] != nil {
		return s.cols[i], at
	}
	s.part = s.part[:0]
	for _, p := range at {
		s.part = append(s.part, s.rows[p])
	}
	return s.whole[i], s.part
}
