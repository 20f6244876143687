package operators

import (
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// ServedFirst is a First whose rows are the result that readers see, so that
// there is no second copy of them. Its rows are the input's columns at columns.
// While nobody asks for changes it does not even make what it would give out.
type ServedFirst struct {
	*First
	columns []int
	lookup  []int // for each column of the partition, which of the result's key it is; nil: they do not match
	changes []*batch.Chunk
}

// NewServedFirst makes a First that is the result: of the input the given
// columns, of which those at the positions key are unique.
func NewServedFirst(spec TopNSpec, columns, key []int, env Env) (*ServedFirst, error) {
	f, err := NewFirst(spec, env)
	if err != nil {
		return nil, err
	}
	s := &ServedFirst{First: f, columns: columns, lookup: make([]int, len(spec.Partition))}
	for p, col := range spec.Partition {
		s.lookup[p] = slices.IndexFunc(key, func(k int) bool { return columns[k] == col })
	}
	folds := func(k int) bool { return spec.Input[k].Folds() } // its values are not in parts
	if len(key) != len(spec.Partition) || slices.Contains(s.lookup, -1) || slices.ContainsFunc(spec.Partition, folds) {
		s.lookup = nil
	}
	return s, nil
}

// Lend does nothing: what is emitted is kept, as changes.
func (s *ServedFirst) Lend(*batch.Loan) {}

// Begin opens a batch.
func (s *ServedFirst) Begin(b *Batch) {
	s.quiet = !b.Changes
	s.First.Begin(b)
}

// Step applies rows. It emits nothing.
func (s *ServedFirst) Step(budget int, _ func(*batch.Chunk)) (Status, error) {
	return s.First.Step(budget, func(c *batch.Chunk) {
		s.changes = append(s.changes, &batch.Chunk{Cols: pickColumns(c.Cols, s.columns), N: c.N, Weights: c.Weights})
	})
}

// Changes returns the changelog since the last call.
func (s *ServedFirst) Changes() []*batch.Chunk {
	c := s.changes
	s.changes = nil
	return c
}

// Snapshot takes an image of the first rows.
func (s *ServedFirst) Snapshot() Image {
	return &firstImage{of: s, parts: s.parts.store.Snapshot(), rows: s.rows.Snapshot(), table: s.parts.table.Snapshot(), null: s.parts.null}
}

// firstImage reads first rows as they were. Of the ServedFirst it uses only what
// never changes.
type firstImage struct {
	of    *ServedFirst
	parts *state.Image
	rows  *state.Image
	table *state.TableImage
	null  state.Ref // the partition of the key NULL
}

// Rows is the number of partitions.
func (im *firstImage) Rows() int64 { return im.rows.Len() }

// Memory is that of the partitions and of the rows.
func (im *firstImage) Memory() (own, kept int64) {
	return im.parts.Bytes() + im.rows.Bytes(), im.parts.Kept() + im.rows.Kept()
}

// Release ends the image.
func (im *firstImage) Release() {
	im.parts.Release()
	im.rows.Release()
}

// Get looks up the row of the partition whose key is row i of key.
func (im *firstImage) Get(key []*vector.Vector, i int) (row *batch.Chunk, ok bool) {
	x, lookup := im.of.parts, im.of.lookup
	if len(lookup) == 0 {
		return nil, false
	}
	r := x.findIn(im.parts, im.table, im.null, pickColumns(key, lookup), i)
	if r == 0 {
		return nil, true
	}
	return im.of.decode([][]byte{im.rows.Get(state.Ref(getInt(im.parts.Get(r)[8:])))}), true
}

// Scan begins a reading of all rows.
func (im *firstImage) Scan() Scanner { return &firstScan{im: im} }

type firstScan struct {
	im   *firstImage
	next state.Ref
	rows [][]byte
}

// Next returns at most maxRows rows.
func (s *firstScan) Next(maxRows int) *batch.Chunk {
	s.rows = s.rows[:0]
	s.im.rows.RowsFrom(s.next, func(r state.Ref, row []byte) bool {
		if s.next = r; len(s.rows) == maxRows {
			return false
		}
		s.next, s.rows = r+1, append(s.rows, row)
		return true
	})
	if len(s.rows) == 0 {
		return nil
	}
	return s.im.of.decode(s.rows)
}

// decode makes a chunk of the result's columns of encoded rows.
func (s *ServedFirst) decode(rows [][]byte) *batch.Chunk {
	all := make([]*vector.Vector, len(s.spec.Input))
	for _, k := range s.columns {
		if all[k] == nil {
			all[k] = vector.New(s.spec.Input[k], len(rows))
		}
	}
	s.codec.Decode(rows, all)
	return &batch.Chunk{Cols: pickColumns(all, s.columns), N: len(rows)}
}
