package operators

import (
	"encoding/binary"

	"github.com/tidwall/btree"

	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// viewIndex finds the rows of a view by their first columns. An entry is these in a form
// whose byte order is SQL's, with what SQL holds equal alike, and the row's Ref behind, so
// that no two are the same. It is derived from the rows, and is not in checkpoints.
type viewIndex struct {
	columns int
	entries btree.Map[string, struct{}] // persistent: a copy costs nothing
	account *account.Account
	buf     []byte
}

// entryBytes is about what an entry takes beside its bytes.
const entryBytes = 40

const refBytes = 8

// entry is that of row i of cols, in the buffer.
func (x *viewIndex) entry(cols []*vector.Vector, i int, r state.Ref) []byte {
	x.buf = x.buf[:0]
	for _, v := range cols[:x.columns] {
		x.buf = state.AppendOrderedKey(x.buf, v, i, false)
	}
	x.buf = binary.BigEndian.AppendUint64(x.buf, uint64(r))
	return x.buf
}

func (x *viewIndex) insert(cols []*vector.Vector, i int, r state.Ref) error {
	e := x.entry(cols, i, r)
	if err := x.account.Reserve(int64(len(e) + entryBytes)); err != nil {
		return err
	}
	x.entries.Set(string(e), struct{}{})
	return nil
}

func (x *viewIndex) remove(cols []*vector.Vector, i int, r state.Ref) {
	e := x.entry(cols, i, r)
	if _, ok := x.entries.Delete(string(e)); ok {
		x.account.Release(int64(len(e) + entryBytes))
	}
}

// SeekSpec says which rows to look up: those whose first columns, as many as Equal has,
// equal the row of Equal, and of whose next column the value is not NULL and from Low to
// High, both included; vectors of one row, nil: without a bound.
type SeekSpec struct {
	Equal     []*vector.Vector
	Ranged    bool // the next column is bounded
	Low, High *vector.Vector
}

// Seek begins a reading of rows. It is for views that have an index of as many columns at
// least.
func (im *ViewImage) Seek(spec SeekSpec) *ViewSeek {
	var prefix []byte
	for _, v := range spec.Equal {
		prefix = state.AppendOrderedKey(prefix, v, 0, false)
	}
	low, high := string(prefix), prefix
	switch {
	case spec.Low != nil:
		low = string(state.AppendOrderedKey(prefix, spec.Low, 0, false))
	case spec.Ranged:
		low += notNull
	}
	if spec.High != nil {
		high = state.AppendOrderedKey(prefix, spec.High, 0, false)
	}
	return &ViewSeek{im: im, next: low, last: string(high) + afterAll}
}

const (
	notNull  = "\x01" // what the values begin with that are not NULL
	afterAll = "\xff" // comes behind whatever may stand after a value
)

// ViewSeek reads the rows of an image that an index has for a SeekSpec. One goroutine at
// a time.
type ViewSeek struct {
	im   *ViewImage
	next string // entry to go on with
	last string // entries beyond are not meant
	done bool
}

// refs calls f for the rows in the order of the index, from the next one on.
func (s *ViewSeek) refs(f func(entry string, r state.Ref) bool) {
	s.im.index.Ascend(s.next, func(e string, _ struct{}) bool {
		if e > s.last {
			return false
		}
		return f(e, state.Ref(binary.BigEndian.Uint64([]byte(e[len(e)-refBytes:]))))
	})
}

// Count is how many rows there are, at most limit.
func (s *ViewSeek) Count(limit int) int {
	n := 0
	s.refs(func(string, state.Ref) bool { n++; return n < limit })
	return n
}

// Next returns at most maxRows rows, nil at the end. Weights say how often each is there.
func (s *ViewSeek) Next(maxRows int) *batch.Chunk {
	if s.done {
		return nil
	}
	var rows [][]byte
	var weights []int64
	s.done = true
	s.refs(func(e string, r state.Ref) bool {
		if len(rows) == maxRows {
			s.next, s.done = e, false
			return false
		}
		row := s.im.store.Get(r)
		rows, weights = append(rows, row[viewHeader:]), append(weights, getInt(row))
		return true
	})
	if len(rows) == 0 {
		return nil
	}
	return decodeChunk(s.im.codec, rows, weights)
}
