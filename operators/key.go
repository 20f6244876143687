package operators

import (
	"bytes"
	"encoding/binary"
	"slices"

	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// blockRows is how many rows an operator works on at a time: what the passes of
// several aggregates touch must stay in the second-level cache.
const blockRows = 1024

// grouping says how the key columns of a chunk are looked up: as one int64
// where they are that, else by their encoding.
type grouping struct {
	keys  []int
	types []types.Type // as they come back out of their encoding
	codec *state.Codec
	one   bool      // the key is one column that fits an int64
	near  *nearKeys // nil: each key lies where its own hash says

	cols   []*vector.Vector // the key columns of the current chunk
	hashes []uint64         // of all rows of the current chunk
	own    []uint64         // memory for hashes
	ints   []int64          // one: the keys
	wide   []int64          // scratch for ints
	enc    []byte
}

func newGrouping(input []types.Type, keys []int) *grouping {
	return newGroupingAs(pickTypes(input, keys), keys)
}

// checkGivenKeys finds keys that an operator would have to give back, but cannot: of
// values that Fold a grouping keeps only what they are equal by. A right plan groups
// by a key computed of them, and aggregates the value.
func checkGivenKeys(ts []types.Type) error {
	for _, t := range ts {
		if t.Folds() {
			return sqlerr.New(sqlerr.UnknownError, "a key of type %s does not come back out of its grouping", t)
		}
	}
	return nil
}

func pickTypes(ts []types.Type, at []int) []types.Type {
	var out []types.Type
	for _, k := range at {
		out = append(out, ts[k])
	}
	return out
}

// newGroupingAs is newGrouping with types for the keys other than their columns',
// of the same class and scale.
func newGroupingAs(ts []types.Type, keys []int) *grouping {
	g := &grouping{keys: keys, codec: state.NewKeyCodec(ts)}
	g.types = g.codec.Types
	g.one = len(keys) == 1 && !g.codec.HasBytes() && g.codec.Fixed() == 9 && g.types[0].Class() != types.ClassFloat
	return g
}

// open prepares the keys of a chunk of n rows.
func (g *grouping) open(cols []*vector.Vector, n int) {
	g.own = g.hashesOf(cols, g.keys, n, g.own)
	g.set(cols, n, g.own)
}

// openChunk is open of a chunk, whose hashes may be known.
func (g *grouping) openChunk(c *batch.Chunk) {
	if c.Hashes != nil && g.near == nil && slices.Equal(c.HashedBy, g.keys) {
		g.set(c.Cols, c.N, c.Hashes)
		return
	}
	g.open(c.Cols, c.N)
}

func (g *grouping) set(cols []*vector.Vector, n int, hashes []uint64) {
	g.hashes, g.cols = hashes, g.cols[:0]
	for _, k := range g.keys {
		g.cols = append(g.cols, cols[k])
	}
	if !g.one {
		return
	}
	if v := g.cols[0]; !v.IsWide() {
		g.ints = v.I[:n]
	} else {
		g.wide = g.wide[:0]
		for _, w := range v.W[:n] {
			g.wide = append(g.wide, int64(w[0]))
		}
		g.ints = g.wide
	}
}

// null reports that the key of row i is the one NULL.
func (g *grouping) null(i int) bool { return g.cols[0].IsNull(i) }

// encode returns the encoded key of row i, good until the next call.
func (g *grouping) encode(i int) []byte {
	g.enc = g.codec.Append(g.enc[:0], g.cols, i)
	return g.enc
}

// index finds groups' rows in a store by key. In a row the encoded key lies from
// keyAt to the row's end.
type index struct {
	*grouping
	store *state.Store
	table *state.Table
	keyAt int
	null  state.Ref // one: the row of the key NULL
}

func newIndex(g *grouping, keyAt int, a *account.Account) *index {
	x := &index{grouping: g, store: state.NewStore(a), keyAt: keyAt}
	if g.one {
		x.table = state.NewIntTable(a)
	} else {
		x.table = state.NewTable(a)
	}
	return x
}

// findAll looks the keys of the rows lo … lo+len(refs) up; 0: not there.
func (x *index) findAll(lo int, refs []state.Ref) {
	hi := lo + len(refs)
	if !x.one {
		x.table.FindHashes(x.hashes[lo:hi], refs)
		for i, r := range refs {
			if r != 0 && !x.is(r, lo+i) { // another key has the hash
				refs[i] = x.find(lo + i)
			}
		}
		return
	}
	x.table.FindInts(x.ints[lo:hi], x.hashes[lo:hi], refs)
	if x.cols[0].HasNulls() {
		for i := lo; i < hi; i++ {
			if x.grouping.null(i) {
				refs[i-lo] = x.null
			}
		}
	}
}

// find looks the key of row i up.
func (x *index) find(i int) state.Ref {
	if x.one {
		if x.grouping.null(i) {
			return x.null
		}
		return x.table.FindInt(x.ints[i])
	}
	return x.table.Find(x.hashes[i], func(r state.Ref) bool { return x.is(r, i) })
}

// findIn looks the key that is row i of cols up in images of store and table, and
// of null. Of x it uses only what never changes.
func (x *index) findIn(store *state.Image, table *state.TableImage, null state.Ref, cols []*vector.Vector, i int) state.Ref {
	key := newVectors(x.types, 1)
	for p, v := range cols {
		key[p].AppendFrom(v, i)
	}
	if x.one {
		if key[0].IsNull(0) {
			return null
		}
		k, _ := key[0].Wide(0).Int64()
		return table.FindInt(k)
	}
	enc := x.codec.Append(nil, key, 0)
	return table.Find(x.hashOf(key), func(r state.Ref) bool {
		return bytes.HasPrefix(store.Get(r)[x.keyAt:], enc)
	})
}

// is reports that row r has the key of row i.
func (x *index) is(r state.Ref, i int) bool { return x.codec.Is(x.store.Slot(r)[x.keyAt:], x.cols, i) }

// add makes a row, all zero but for the key, for the key of row i, which has none.
func (x *index) add(i int) (state.Ref, error) {
	enc := x.encode(i)
	r, err := x.store.Alloc(x.keyAt + len(enc))
	if err != nil {
		return 0, err
	}
	row := x.store.Mutable(r)
	clear(row[:x.keyAt])
	copy(row[x.keyAt:], enc)
	x.insert(x.hashes[i], row, r)
	return r, nil
}

func (x *index) insert(hash uint64, row []byte, r state.Ref) {
	switch key := row[x.keyAt:]; {
	case !x.one:
		x.table.Insert(hash, r)
	case key[0] != 0:
		x.null = r
	default:
		x.table.InsertInt(getInt(key[1:]), r)
	}
}

// remove takes the row r out and frees it.
func (x *index) remove(hash uint64, r state.Ref) {
	switch key := x.store.Get(r)[x.keyAt:]; {
	case !x.one:
		x.table.Delete(hash, r)
	case key[0] != 0:
		x.null = 0
	default:
		x.table.DeleteInt(getInt(key[1:]), r)
	}
	x.store.Free(r)
}

// removeAll is remove of many.
func (x *index) removeAll(hashes []uint64, refs []state.Ref) {
	x.table.Touch(hashes)
	for i, r := range refs {
		x.remove(hashes[i], r)
	}
}

// rebuild fills the empty table from the store.
func (x *index) rebuild() {
	cols := newVectors(x.types, 1)
	x.store.Scan(func(r state.Ref, row []byte) bool {
		var hash uint64
		if !x.one {
			resetVectors(cols)
			x.codec.Decode([][]byte{row[x.keyAt:]}, cols)
			hash = x.hashOf(cols)
		}
		x.insert(hash, row, r)
		return true
	})
}

// hashOf is the hash of the one key in cols.
func (g *grouping) hashOf(cols []*vector.Vector) uint64 {
	var one [1]uint64
	return g.hashesOf(cols, positions(len(cols)), 1, one[:])[0]
}

// nearKeys puts groups beside one another that differ in a time alone, by few steps:
// the windows that a row is in are then slots in one place, not each a wait for memory.
type nearKeys struct {
	rest []int // numbers of keys
	time int
	step int64
}

// lieNear makes groups lie together that differ in the keys bounds alone, of which
// the last one is a time that goes by steps.
func (g *grouping) lieNear(bounds []int, step int64) {
	g.near = &nearKeys{time: bounds[len(bounds)-1], step: step}
	for k := range g.keys {
		if !slices.Contains(bounds, k) {
			g.near.rest = append(g.near.rest, k)
		}
	}
}

// hashesOf computes the hashes of n keys, the columns cols at the positions at, into dst.
func (g *grouping) hashesOf(cols []*vector.Vector, at []int, n int, dst []uint64) []uint64 {
	if g.near == nil {
		return state.HashColumns(cols, at, n, dst)
	}
	rest := make([]int, len(g.near.rest))
	for i, k := range g.near.rest {
		rest[i] = at[k]
	}
	dst = state.HashColumns(cols, rest, n, dst)
	for i, t := range cols[at[g.near.time]].I[:n] {
		dst[i] = state.HashBeside(dst[i], (t-mod(t, g.near.step))/g.near.step)
	}
	return dst
}

// positions is 0 … n−1.
func positions(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

func newVectors(ts []types.Type, n int) []*vector.Vector {
	cols := make([]*vector.Vector, len(ts))
	for i, t := range ts {
		cols[i] = vector.New(t, n)
	}
	return cols
}

func resetVectors(cols []*vector.Vector) {
	for _, v := range cols {
		v.Reset()
	}
}

func getInt(b []byte) int64    { return int64(binary.LittleEndian.Uint64(b)) }
func putInt(b []byte, x int64) { binary.LittleEndian.PutUint64(b, uint64(x)) }
