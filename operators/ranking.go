package operators

import (
	"encoding/binary"
	"fmt"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// ranking keeps the rows of an input by partition and in order, for TopN and
// Over. Ties break by the row's own columns, from the first to the last. What a
// batch changes is put together first (take), then applied (apply), partition by
// partition and in order, so that in changes each row stands once and sorted.
//
// Each partition has a row in parts: how many rows it has, 8; id + 1 of the last
// batch that touched it, 8; its encoded key. The rows are as orderTree says.
type ranking struct {
	env   Env
	input []types.Type
	order []OrderKey
	parts *index
	store *state.Store
	tree  *orderTree
	runs  sortedRuns
	// copies: a row is kept as often as it is there (see Over).
	copies  bool
	copyKey []byte

	expiry *partExpiry // nil: partitions stay
	dying  state.Ref   // the partition that is being dropped; 0: none

	batch   *Batch
	id      uint64
	mark    uint32 // generation of the batch
	touched longList[touchedPart]
	changes longList[rankChange]
	settled int // of changes, then of touched: freed
}

type touchedPart struct {
	ref  state.Ref
	hash uint64
}

// rankChange is a row whose count a batch changed, from old to now. With now 0
// it is out of the tree, and stays readable until the end of the batch.
type rankChange struct {
	ref      state.Ref
	group    uint64
	old, now int64
}

const partHeader = 16

// placeCost is what it costs to put a row in its place in the order, or to take it
// out, where to take it in costs 1.
const placeCost = 4

func newRanking(input []types.Type, partition []int, order []OrderKey, env Env) (*ranking, error) {
	group := newGrouping(input, partition)
	r := &ranking{env: env, input: input, order: order, store: state.NewStore(env.Account), runs: sortedRuns{account: env.Account}}
	r.parts = newIndex(group, partHeader, env.Account)
	r.tree = newOrderTree(r.store, env.Account)
	return r, nil
}

// begin opens a batch.
func (r *ranking) begin(b *Batch) {
	r.batch = b
	if r.expiry != nil {
		r.expiry.advanced = false
	}
	r.id = b.ID + 1
	r.mark++
}

// rebuild derives the indexes from the stores.
func (r *ranking) rebuild() {
	r.parts.rebuild()
	r.tree.rebuild()
	if r.expiry != nil {
		r.expiry.rebuild(r.parts.store)
	}
}

// key appends the key of row i, and returns where its ORDER BY part ends.
func (r *ranking) key(dst []byte, cols []*vector.Vector, i int) ([]byte, int) {
	at := len(dst)
	for _, k := range r.order {
		dst = state.AppendOrderedKey(dst, cols[k.Col], i, k.Desc)
	}
	n := len(dst) - at
	for _, v := range cols {
		dst = state.AppendOrdered(dst, v, i, false)
	}
	return dst, n
}

// take makes a run of the rows lo to hi of c. skip, if not nil, says of a row,
// by its partition and key, that it changes nothing.
func (r *ranking) take(c *batch.Chunk, lo, hi int, skip func(part state.Ref, key []byte, order int) bool) error {
	if lo == 0 {
		r.parts.open(c.Cols, c.N)
	}
	m := r.runs.begin()
	for i := lo; i < hi; i++ {
		part := r.parts.find(i)
		if part == 0 {
			var err error
			if part, err = r.parts.add(i); err != nil {
				return err
			}
			if r.expiry != nil {
				r.expiry.add(part)
			}
		}
		if row := r.parts.store.Get(part); uint64(getInt(row[8:])) != r.id {
			putInt(r.parts.store.Mutable(part)[8:], int64(r.id))
			r.touched.push(touchedPart{part, r.parts.hashes[i]})
		}
		at := len(m.buf)
		var order int
		m.buf = binary.BigEndian.AppendUint64(m.buf, uint64(part))
		m.buf, order = r.key(m.buf, c.Cols, i)
		if skip != nil && skip(part, m.buf[at+8:], order) {
			m.buf = m.buf[:at]
			continue
		}
		end := len(m.buf)
		m.buf = binary.LittleEndian.AppendUint32(m.buf, uint32(order))
		m.push(end, c.Weight(i))
	}
	return r.runs.finish()
}

// apply brings the state up to date with about n rows that were taken, and
// returns how many they were.
func (r *ranking) apply(n int) (int, error) {
	took := 0
	for took < n && !r.runs.empty() {
		key, rest, w, k := r.runs.next()
		took += k
		if w == 0 {
			continue
		}
		if err := r.change(key[8:], state.Ref(binary.BigEndian.Uint64(key)), int(binary.LittleEndian.Uint32(rest)), w); err != nil {
			return 0, err
		}
	}
	if r.runs.empty() {
		r.runs.reset()
	}
	return took, nil
}

// change counts a row w times more.
func (r *ranking) change(key []byte, part state.Ref, order int, w int64) error {
	if r.copies {
		return r.changeCopies(key, part, order, w)
	}
	return r.changeRow(key, part, order, w)
}

// changeRow counts what is stored under a key w times more.
func (r *ranking) changeRow(key []byte, part state.Ref, order int, w int64) error {
	p, e := r.tree.find(uint64(part), key)
	c := rankChange{group: uint64(part)}
	if e != nil {
		c.ref, c.old = e.ref, e.weight
	}
	if c.now = c.old + w; c.now < 0 {
		return fmt.Errorf("%s: a row is there %d times: a retraction of what was never inserted", r.env.Node, c.now)
	}
	switch {
	case e == nil:
		var err error
		if c.ref, err = r.store.Alloc(rankHeader + len(key)); err != nil {
			return err
		}
		row := r.store.Mutable(c.ref)
		clear(row[:rankHeader])
		putInt(row, w)
		putInt(row[8:], int64(part))
		binary.LittleEndian.PutUint32(row[24:], uint32(order))
		copy(row[rankHeader:], key)
		r.tree.insert(p, c.ref, w, r.mark)
	case c.now == 0:
		r.tree.remove(p)
	default:
		putInt(r.store.Mutable(c.ref), c.now)
		e.mark = r.mark
		r.tree.add(p, w)
	}
	count := r.parts.store.Mutable(part)
	putInt(count, getInt(count)+w)
	r.changes.push(c)
	return nil
}

// keyOf is the key of a stored row, its ORDER BY part alone, and its columns.
func (r *ranking) keyOf(ref state.Ref) (key, order, row []byte) {
	stored := r.store.Get(ref)
	return stored[rankHeader:], orderPart(stored), rowPart(stored)
}

// drop takes the entry at p out for good.
func (r *ranking) drop(p orderPos) {
	e := *p.entry()
	r.tree.remove(p)
	r.store.Free(e.ref)
	count := r.parts.store.Mutable(state.Ref(e.group))
	putInt(count, getInt(count)-e.weight)
}

// settle frees what the batch has emptied, about n rows, and reports whether all is done.
func (r *ranking) settle(n int) (done bool) {
	for ; r.settled < r.changes.len(); r.settled++ {
		if n--; n < 0 {
			return false
		}
		if c := r.changes.at(r.settled); c.now == 0 {
			r.store.Free(c.ref)
		}
	}
	for r.touched.len() > 0 {
		if n--; n < 0 {
			return false
		}
		last := r.touched.pop()
		if getInt(r.parts.store.Get(last.ref)) == 0 {
			if r.expiry != nil {
				r.expiry.gone(last.ref)
			}
			r.parts.remove(last.hash, last.ref)
		}
	}
	r.changes.clear()
	r.settled = 0
	return true
}

// decodeOrdered appends rows of columns in the form of state.AppendOrdered to cols.
func decodeOrdered(rows [][]byte, cols []*vector.Vector) {
	for _, row := range rows {
		for _, v := range cols {
			row = state.DecodeOrdered(row, v)
		}
	}
}
