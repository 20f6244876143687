package operators

import (
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// ServedFirstFew is a FirstFew whose lists are the result that readers see, so that
// there is no second copy of their rows, and a row that moves up or down in its list
// costs nothing. Its rows are the output's columns at columns. While nobody asks for
// changes it does not even make what it would give out.
type ServedFirstFew struct {
	*FirstFew
	columns []int
	lookup  []int // for each column of the partition, then for the number, which of the result's key it is; nil: they do not match
	changes []*batch.Chunk
}

// NewServedFirstFew makes a FirstFew, of Offset 0, that is the result: of its output
// the given columns, of which those at the positions key are unique.
func NewServedFirstFew(spec TopNSpec, columns, key []int, env Env) (*ServedFirstFew, error) {
	f, err := NewFirstFew(spec, env)
	if err != nil {
		return nil, err
	}
	s := &ServedFirstFew{FirstFew: f, columns: columns}
	for _, col := range append(slices.Clone(spec.Partition), len(spec.Input)) {
		s.lookup = append(s.lookup, slices.IndexFunc(key, func(k int) bool { return columns[k] == col }))
	}
	folds := func(k int) bool { return spec.Input[k].Folds() } // its values are not in parts
	if len(key) != len(s.lookup) || slices.Contains(s.lookup, -1) || slices.ContainsFunc(spec.Partition, folds) {
		s.lookup = nil
	}
	return s, nil
}

// Begin opens a batch.
func (s *ServedFirstFew) Begin(b *Batch) {
	s.quiet = !b.Changes
	s.FirstFew.Begin(b)
}

// Step applies rows. It emits nothing.
func (s *ServedFirstFew) Step(budget int, _ func(*batch.Chunk)) (Status, error) {
	return s.FirstFew.Step(budget, func(c *batch.Chunk) {
		s.changes = append(s.changes, &batch.Chunk{Cols: pickColumns(c.Cols, s.columns), N: c.N, Weights: c.Weights})
	})
}

// Changes returns the changelog since the last call.
func (s *ServedFirstFew) Changes() []*batch.Chunk {
	c := s.changes
	s.changes = nil
	return c
}

// Snapshot takes an image of the lists.
func (s *ServedFirstFew) Snapshot() Image {
	return &fewImage{of: s, parts: s.parts.store.Snapshot(), rows: s.rows.Snapshot(), table: s.parts.table.Snapshot(), null: s.parts.null}
}

// fewImage reads lists as they were. Of the ServedFirstFew it uses only what never
// changes.
type fewImage struct {
	of    *ServedFirstFew
	parts *state.Image
	rows  *state.Image
	table *state.TableImage
	null  state.Ref // the partition of the key NULL
}

// Rows is the number of rows in all lists.
func (im *fewImage) Rows() int64 { return im.rows.Len() }

// Memory is that of the partitions and of the rows.
func (im *fewImage) Memory() (own, kept int64) {
	return im.parts.Bytes() + im.rows.Bytes(), im.parts.Kept() + im.rows.Kept()
}

// Release ends the image.
func (im *fewImage) Release() {
	im.parts.Release()
	im.rows.Release()
}

// Get looks up the row whose partition and number are row i of key.
func (im *fewImage) Get(key []*vector.Vector, i int) (row *batch.Chunk, ok bool) {
	lookup := im.of.lookup
	if lookup == nil {
		return nil, false
	}
	part := im.of.parts.findIn(im.parts, im.table, im.null, pickColumns(key, lookup[:len(lookup)-1]), i)
	if part == 0 {
		return nil, true
	}
	number := key[lookup[len(lookup)-1]]
	list, k := fewList(im.parts.Get(part)), number.I[i]
	if number.IsNull(i) || k < 1 || k > int64(list.len()) {
		return nil, true
	}
	return im.of.decode([][]byte{im.rows.Get(list.ref(int(k) - 1))}, []int64{k}), true
}

// Scan begins a reading of all rows.
func (im *fewImage) Scan() Scanner { return &fewScan{im: im} }

type fewScan struct {
	im      *fewImage
	next    state.Ref // partition
	at      int       // in its list
	rows    [][]byte
	numbers []int64
}

// Next returns at most maxRows rows.
func (s *fewScan) Next(maxRows int) *batch.Chunk {
	s.rows, s.numbers = s.rows[:0], s.numbers[:0]
	s.im.parts.RowsFrom(s.next, func(r state.Ref, row []byte) bool {
		for list := fewList(row); s.at < list.len(); s.at++ {
			if len(s.rows) == maxRows {
				s.next = r
				return false
			}
			s.rows, s.numbers = append(s.rows, s.im.rows.Get(list.ref(s.at))), append(s.numbers, int64(s.at+1))
		}
		s.next, s.at = r+1, 0
		return true
	})
	if len(s.rows) == 0 {
		return nil
	}
	return s.im.of.decode(s.rows, s.numbers)
}

// decode makes a chunk of the result's columns of encoded rows and their numbers.
func (s *ServedFirstFew) decode(rows [][]byte, numbers []int64) *batch.Chunk {
	all := make([]*vector.Vector, len(s.spec.Input)+1)
	for _, k := range s.columns {
		if all[k] == nil {
			all[k] = vector.New(s.out[k], len(rows))
		}
	}
	s.codec.Decode(rows, all[:len(s.spec.Input)])
	if v := all[len(s.spec.Input)]; v != nil {
		for _, n := range numbers {
			v.AppendInt(n)
		}
	}
	return &batch.Chunk{Cols: pickColumns(all, s.columns), N: len(rows)}
}
