package operators

import (
	"bytes"
	"fmt"

	"github.com/tidwall/btree"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// View is the end of a continuous query: it holds the result's rows. It emits
// nothing; readers take images between batches, and what has changed in a batch
// can be had as its Changes.
//
// A row in the store:
//
//	0   how often it is there, 8: during a batch maybe not positive
//	8   id + 1 of the last batch that touched it, 8
//	16  the encoded row
//
// and the index finds it by the hash of its key, of a bag by that of the row.
type View struct {
	inbox
	spec  ViewSpec
	env   Env
	batch *Batch
	codec *state.Codec
	store *state.Store
	table *state.Table
	hash  []int      // columns of the table's hash
	index *viewIndex // nil: there is none
	rows  int64      // repeats counted

	hashes  []uint64
	enc     []byte
	dirty   longList[dirtyRow]
	given   int // dirty rows that are done
	collect bool
	changes []*batch.Chunk
}

type dirtyRow struct {
	ref    state.Ref
	hash   uint64
	before int64
}

const viewHeader = 16

// NewView makes an empty view.
func NewView(spec ViewSpec, env Env) (*View, error) {
	v := &View{spec: spec, env: env, codec: state.NewCodec(spec.Input),
		store: state.NewStore(env.Account), table: state.NewTable(env.Account), hash: spec.Key}
	if spec.Key == nil {
		v.hash = positions(len(spec.Input))
	}
	if spec.Index > 0 {
		v.index = &viewIndex{columns: spec.Index, account: env.Account}
	}
	return v, nil
}

// String names the operator.
func (v *View) String() string { return "View" }

// Types are the types of the columns.
func (v *View) Types() []types.Type { return v.spec.Input }

// Transient: rows are copied into the store.
func (v *View) Transient() bool { return true }

// Grow adds columns, of which the rows that are there have the values initial, vectors
// of one row each. Between batches; images that were taken keep what they have.
func (v *View) Grow(initial []*vector.Vector) {
	v.codec = v.codec.Grow(initial)
	v.spec.Input = v.codec.Types
}

// Shrink takes columns away again that no row has a value in: what is left is as codec,
// which it had before, says. Between batches.
func (v *View) Shrink(codec *state.Codec) { v.codec, v.spec.Input = codec, codec.Types }

// Begin opens a batch.
func (v *View) Begin(b *Batch) {
	v.batch, v.collect = b, b.Changes
	v.begin(1)
}

// Push queues a chunk.
func (v *View) Push(_ int, c *batch.Chunk) { v.push(0, c) }

// CloseInput notes the end of the input.
func (v *View) CloseInput(int) { v.close() }

// States is the one store of the rows.
func (v *View) States() []*state.Store { return []*state.Store{v.store} }

// Rebuild derives the index from the store.
func (v *View) Rebuild() error {
	cols := newVectors(v.spec.Input, 1)
	var one [1]uint64
	var err error
	v.store.Scan(func(r state.Ref, row []byte) bool {
		resetVectors(cols)
		v.codec.Decode([][]byte{row[viewHeader:]}, cols)
		v.table.Insert(state.HashColumns(cols, v.hash, 1, one[:])[0], r)
		v.rows += getInt(row)
		if v.index != nil {
			err = v.index.insert(cols, 0, r)
		}
		return err == nil
	})
	return err
}

// Step applies rows, and with the input closed checks and settles what they touched.
func (v *View) Step(budget int, _ func(*batch.Chunk)) (Status, error) {
	for v.head < len(v.queue) {
		if budget <= 0 {
			return More, nil
		}
		n, err := v.take(min(budget, blockRows))
		if err != nil {
			return Done, err
		}
		budget -= n
	}
	if !v.closed() {
		return Done, nil
	}
	for v.given < v.dirty.len() {
		if budget <= 0 {
			return More, nil
		}
		piece := v.dirty.from(v.given, min(budget, batch.TargetRows))
		if err := v.settle(piece); err != nil {
			return Done, err
		}
		v.given += len(piece)
		budget -= len(piece)
	}
	v.dirty.clear()
	v.given = 0
	return Done, nil
}

// take applies at most n rows of the first chunk.
func (v *View) take(n int) (int, error) {
	_, c, lo := v.first()
	if lo == 0 {
		v.hashes = state.HashColumns(c.Cols, v.hash, c.N, v.hashes)
	}
	n = min(n, c.N-lo)
	mark := int64(v.batch.ID + 1)
	for i := lo; i < lo+n; i++ {
		h := v.hashes[i]
		v.enc = v.codec.Append(v.enc[:0], c.Cols, i)
		r := v.table.Find(h, v.isEncoded)
		if r == 0 {
			var err error
			if r, err = v.store.Alloc(viewHeader + len(v.enc)); err != nil {
				return 0, err
			}
			row := v.store.MutableSlot(r)
			clear(row[:viewHeader])
			copy(row[viewHeader:], v.enc)
			v.table.Insert(h, r)
			if v.index != nil {
				if err := v.index.insert(c.Cols, i, r); err != nil {
					return 0, err
				}
			}
		}
		row := v.store.MutableSlot(r)
		count := getInt(row)
		if getInt(row[8:]) != mark {
			putInt(row[8:], mark)
			v.dirty.push(dirtyRow{r, h, count})
		}
		w := c.Weight(i)
		putInt(row, count+w)
		v.rows += w
	}
	v.done(n)
	return n, nil
}

// isEncoded compares without asking for the row's length, which stands elsewhere:
// an encoding says its length in its beginning, so as a prefix it is whole, unless rows
// may end early.
func (v *View) isEncoded(r state.Ref) bool {
	if v.codec.Grown() {
		return bytes.Equal(v.store.Get(r)[viewHeader:], v.enc)
	}
	return bytes.HasPrefix(v.store.Slot(r)[viewHeader:], v.enc)
}

// settle checks rows that the batch touched, notes their change, and frees those that are gone.
func (v *View) settle(dirty []dirtyRow) error {
	var rows [][]byte
	var weights []int64
	for _, d := range dirty {
		row := v.store.Slot(d.ref)
		count := getInt(row)
		if err := v.check(d, row, count); err != nil {
			return err
		}
		if v.collect && count != d.before {
			rows = append(rows, row[viewHeader:])
			weights = append(weights, count-d.before)
		}
	}
	if len(rows) > 0 {
		v.changes = append(v.changes, decodeChunk(v.codec, rows, weights))
	}
	for _, d := range dirty {
		if getInt(v.store.Slot(d.ref)) == 0 {
			v.table.Delete(d.hash, d.ref)
			if v.index != nil {
				v.index.remove(decodeChunk(v.codec, [][]byte{v.store.Get(d.ref)[viewHeader:]}, nil).Cols, 0, d.ref)
			}
			v.store.Free(d.ref)
		}
	}
	return nil
}

// check finds what no right plan does to a view.
func (v *View) check(d dirtyRow, row []byte, count int64) error {
	if count < 0 {
		return fmt.Errorf("%s: row %s is there %d times: a retraction of what was never inserted", v.env.Node, v.show(row), count)
	}
	if v.spec.Key == nil || count == 0 {
		return nil
	}
	if count > 1 {
		return fmt.Errorf("%s: row %s is there %d times, but has a unique key", v.env.Node, v.show(row), count)
	}
	other := v.table.Find(d.hash, func(r state.Ref) bool {
		x := v.store.Slot(r)
		return r != d.ref && getInt(x) > 0 && v.codec.EqualAt(x[viewHeader:], row[viewHeader:], v.spec.Key)
	})
	if other != 0 {
		return fmt.Errorf("%s: rows %s and %s have the same unique key", v.env.Node, v.show(row), v.show(v.store.Get(other)))
	}
	return nil
}

func (v *View) show(row []byte) string {
	return rowText(decodeChunk(v.codec, [][]byte{row[viewHeader:]}, nil).Cols, 0, v.env.Location)
}

// Row is the row, encoded by the codec of all columns, whose key is row i of key
// as things are now; nil: there is none. Only of a view with a key. It must not
// be kept. Any number of goroutines may ask between batches.
func (v *View) Row(key []*vector.Vector, i int) []byte {
	probe, hash := probeRow(v.spec, v.codec, v.hash, key, i)
	r := v.table.Find(hash, func(r state.Ref) bool {
		row := v.store.Get(r)
		return getInt(row) > 0 && v.codec.EqualAt(row[viewHeader:], probe, v.spec.Key)
	})
	if r == 0 {
		return nil
	}
	return v.store.Get(r)[viewHeader:]
}

// RowUnder is Row of a key as codec, a key codec of the view's key columns, encodes it.
func (v *View) RowUnder(codec *state.Codec, key []byte) []byte {
	cols := newVectors(codec.Types, 1)
	codec.Decode([][]byte{key}, cols) // of what Folds, what it is equal by: the hash is the same
	hash := state.HashColumns(cols, positions(len(cols)), 1, nil)[0]
	row, picked := newVectors(v.spec.Input, 1), make([]*vector.Vector, len(v.spec.Key))
	for k, at := range v.spec.Key {
		picked[k] = row[at]
	}
	var enc []byte
	r := v.table.Find(hash, func(r state.Ref) bool {
		stored := v.store.Get(r)
		if getInt(stored) <= 0 {
			return false
		}
		resetVectors(row)
		v.codec.Decode([][]byte{stored[viewHeader:]}, row)
		enc = codec.Append(enc[:0], picked, 0)
		return bytes.Equal(enc, key)
	})
	if r == 0 {
		return nil
	}
	return v.store.Get(r)[viewHeader:]
}

// probeRow is a row with row i of key in its place and NULL elsewhere, and the key's hash.
func probeRow(spec ViewSpec, codec *state.Codec, hash []int, key []*vector.Vector, i int) ([]byte, uint64) {
	cols := newVectors(spec.Input, 1)
	for k, at := range spec.Key {
		cols[at].AppendFrom(key[k], i)
	}
	for _, v := range cols {
		if v.N == 0 {
			v.AppendNull()
		}
	}
	var one [1]uint64
	return codec.Append(nil, cols, 0), state.HashColumns(cols, hash, 1, one[:])[0]
}

// Changes returns the consolidated changelog of the batches since the last
// call: at most one row, with the net weight, for each row of a batch.
func (v *View) Changes() []*batch.Chunk {
	c := v.changes
	v.changes = nil
	return c
}

// Rows is the number of rows, repeats counted.
func (v *View) Rows() int64 { return v.rows }

// Snapshot takes an image of the view after the last batch. Between batches. It
// makes the next writes to each page dearer, so take one when somebody reads.
func (v *View) Snapshot() Image {
	im := &ViewImage{spec: v.spec, codec: v.codec, hash: v.hash, store: v.store.Snapshot(), table: v.table.Snapshot(), rows: v.rows}
	if v.index != nil {
		im.index = v.index.entries.Copy()
	}
	return im
}

// ViewImage is a view as it was after one batch: immutable and safe for all,
// without a lock, until Release.
type ViewImage struct {
	spec  ViewSpec
	codec *state.Codec
	hash  []int
	store *state.Image
	table *state.TableImage
	index *btree.Map[string, struct{}] // nil: there is none
	rows  int64
}

// Rows is the number of rows, repeats counted.
func (im *ViewImage) Rows() int64 { return im.rows }

// Memory is that of the rows.
func (im *ViewImage) Memory() (own, kept int64) { return im.store.Bytes(), im.store.Kept() }

// Release ends the image; it may be called more than once.
func (im *ViewImage) Release() { im.store.Release() }

// Grow is the image with further columns, as View.Grow adds them. It lives as long as im.
func (im *ViewImage) Grow(initial []*vector.Vector) *ViewImage {
	grown := *im
	grown.codec = im.codec.Grow(initial)
	grown.spec.Input = grown.codec.Types
	return &grown
}

// Growths counts how often the image, or what it is of, has grown.
func (im *ViewImage) Growths() int { return im.codec.Growths() }

// Get looks up the row whose key is row i of key. A bag cannot be looked up in.
func (im *ViewImage) Get(key []*vector.Vector, i int) (row *batch.Chunk, ok bool) {
	if im.spec.Key == nil {
		return nil, false
	}
	probe, hash := probeRow(im.spec, im.codec, im.hash, key, i)
	r := im.table.Find(hash, func(r state.Ref) bool {
		return im.codec.EqualAt(im.store.Get(r)[viewHeader:], probe, im.spec.Key)
	})
	if r == 0 {
		return nil, true
	}
	return decodeChunk(im.codec, [][]byte{im.store.Get(r)[viewHeader:]}, nil), true
}

// Scan begins a reading of all rows.
func (im *ViewImage) Scan() Scanner { return &ViewScan{im: im} }

// ViewScan reads an image in pieces. One goroutine at a time.
type ViewScan struct {
	im   *ViewImage
	next state.Ref
	rows [][]byte
}

// Next returns at most maxRows rows, nil at the end. Weights say how often each is there.
func (s *ViewScan) Next(maxRows int) *batch.Chunk {
	s.rows = s.rows[:0]
	var weights []int64
	s.im.store.RowsFrom(s.next, func(r state.Ref, row []byte) bool {
		if len(s.rows) == maxRows {
			s.next = r
			return false
		}
		s.next = r + 1
		s.rows = append(s.rows, row[viewHeader:])
		weights = append(weights, getInt(row))
		return true
	})
	if len(s.rows) == 0 {
		return nil
	}
	return decodeChunk(s.im.codec, s.rows, weights)
}

// decodeChunk makes a chunk of encoded rows.
func decodeChunk(codec *state.Codec, rows [][]byte, weights []int64) *batch.Chunk {
	c := &batch.Chunk{Cols: newVectors(codec.Types, len(rows)), N: len(rows)}
	codec.Decode(rows, c.Cols)
	for _, w := range weights {
		if w != 1 {
			c.Weights = weights
			break
		}
	}
	return c
}
