package operators

import (
	"bytes"
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Served is a Merge whose state is the result that readers see, so that there is
// no second copy of it. Its rows are the Merge's output columns at Columns. While
// nobody asks for changes it does not even compute what it would give out.
type Served struct {
	*Merge
	columns []int
	lookup  []int // for each key of the Merge, which column of the result's key it is; nil: they do not match
	changes []*batch.Chunk
}

// NewServed makes a Merge that is the result: its output at columns, of which
// those at the positions key are unique. Its aggregates must be ones that CanServe.
func NewServed(spec AggSpec, columns, key []int, env Env) (*Served, error) {
	m, err := NewMerge(spec, env)
	if err != nil {
		return nil, err
	}
	s := &Served{Merge: m, columns: columns, lookup: make([]int, len(spec.Keys))}
	for g := range spec.Keys {
		s.lookup[g] = slices.IndexFunc(key, func(k int) bool { return columns[k] == g })
	}
	if len(key) != len(spec.Keys) || slices.Contains(s.lookup, -1) {
		s.lookup = nil
	}
	return s, nil
}

// CanServe reports that the results of a call are never out of range, so that no
// row is ever withheld from readers.
func CanServe(c agg.Call) bool {
	switch c.Fn {
	case "sum", "avg":
		t := c.Args[0].Type
		return c.Type.Kind == types.Decimal && (t.Class() == types.ClassInt || t.Class() == types.ClassDecimal && t.Prec <= 18)
	case "var_pop", "var_samp", "stddev_pop", "stddev_samp":
		return c.Args[0].Type.Class() != types.ClassFloat
	case "json_objectagg":
		return false
	}
	return true
}

// Lend does nothing: what is emitted is kept, as changes.
func (s *Served) Lend(*batch.Loan) {}

// Begin opens a batch.
func (s *Served) Begin(b *Batch) {
	s.quiet = !b.Changes
	s.Merge.Begin(b)
}

// Step applies rows. It emits nothing.
func (s *Served) Step(budget int, _ func(*batch.Chunk)) (Status, error) {
	return s.Merge.Step(budget, func(c *batch.Chunk) {
		s.changes = append(s.changes, &batch.Chunk{Cols: pickColumns(c.Cols, s.columns), N: c.N, Weights: c.Weights})
	})
}

func pickColumns(cols []*vector.Vector, at []int) []*vector.Vector {
	out := make([]*vector.Vector, len(at))
	for k, i := range at {
		out[k] = cols[i]
	}
	return out
}

// Changes returns the changelog since the last call.
func (s *Served) Changes() []*batch.Chunk {
	c := s.changes
	s.changes = nil
	return c
}

// Snapshot takes an image of the groups.
func (s *Served) Snapshot() Image {
	im := &servedImage{of: s, groups: s.index.store.Snapshot(), heap: s.heap.store.Snapshot(), table: s.index.table.Snapshot()}
	for _, a := range s.aggs {
		var values *state.Image
		if kept := a.multiset(); kept != nil {
			values = kept.store.Snapshot()
		}
		im.values = append(im.values, values)
	}
	return im
}

// servedImage reads groups as they were. Of the Served it uses only what never changes.
type servedImage struct {
	of     *Served
	groups *state.Image
	heap   *state.Image
	table  *state.TableImage
	values []*state.Image // of multisets, by aggregate
}

// Rows is the number of groups.
func (im *servedImage) Rows() int64 { return im.groups.Len() }

// Memory is that of the groups and of what lies beside them.
func (im *servedImage) Memory() (own, kept int64) {
	for _, s := range im.stores() {
		own, kept = own+s.Bytes(), kept+s.Kept()
	}
	return own, kept
}

// Release ends the image.
func (im *servedImage) Release() {
	for _, s := range im.stores() {
		s.Release()
	}
}

func (im *servedImage) stores() []*state.Image {
	stores := []*state.Image{im.groups, im.heap}
	for _, v := range im.values {
		if v != nil {
			stores = append(stores, v)
		}
	}
	return stores
}

// imageHeap is the heap of an image.
type imageHeap struct{ *state.Image }

func (h imageHeap) Put([]byte) (uint64, error) { panic("an image is read only") }
func (h imageHeap) Get(x uint64) []byte        { return h.Image.Get(state.Ref(x))[1:] }
func (h imageHeap) Drop(uint64)                { panic("an image is read only") }

// Get looks up the group whose key is row i of key.
func (im *servedImage) Get(key []*vector.Vector, i int) (row *batch.Chunk, ok bool) {
	m, lookup := im.of.Merge, im.of.lookup
	if len(lookup) == 0 {
		return nil, false
	}
	cols := newVectors(m.index.types, 1)
	for g, k := range lookup {
		cols[g].AppendFrom(key[k], i)
	}
	var r state.Ref
	if m.index.one {
		k, _ := cols[0].Wide(0).Int64()
		r = im.table.FindInt(k)
	} else {
		enc := m.index.codec.Append(nil, cols, 0)
		r = im.table.Find(m.index.hashOf(cols), func(r state.Ref) bool {
			return bytes.HasPrefix(im.groups.Get(r)[m.fixed:], enc)
		})
	}
	if r == 0 || getInt(im.groups.Get(r)) <= 0 {
		return nil, true
	}
	return im.scan().results([][]byte{im.groups.Get(r)}), true
}

// Scan begins a reading of all groups.
func (im *servedImage) Scan() Scanner { return im.scan() }

func (im *servedImage) scan() *servedScan {
	s := &servedScan{im: im}
	for k, a := range im.of.aggs {
		s.read = append(s.read, a.results(imageHeap{im.heap}, im.values[k]))
	}
	return s
}

type servedScan struct {
	im   *servedImage
	read []results // by aggregate
	next state.Ref
	rows [][]byte
}

// Next returns the results of at most maxRows groups.
func (s *servedScan) Next(maxRows int) *batch.Chunk {
	m := s.im.of.Merge
	s.rows = s.rows[:0]
	global := len(m.spec.Keys) == 0
	s.im.groups.RowsFrom(s.next, func(r state.Ref, row []byte) bool {
		if len(s.rows) == maxRows {
			s.next = r
			return false
		}
		s.next = r + 1
		if global || getInt(row) > 0 {
			s.rows = append(s.rows, row)
		}
		return true
	})
	if len(s.rows) == 0 {
		return nil
	}
	return s.results(s.rows)
}

// results are the result rows of groups.
func (s *servedScan) results(rows [][]byte) *batch.Chunk {
	m, n := s.im.of.Merge, len(rows)
	out := &batch.Chunk{Cols: newVectors(m.out, n), N: n}
	keys := len(m.spec.Keys)
	encoded := make([][]byte, n)
	for i, row := range rows {
		encoded[i] = row[m.fixed:]
	}
	m.index.codec.Decode(encoded, out.Cols[:keys])
	for k, read := range s.read {
		read.AppendResult(rows, out.Cols[keys+k], func(int, error) {})
	}
	out.Cols = pickColumns(out.Cols, s.im.of.columns)
	return out
}
