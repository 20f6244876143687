package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/types"
)

// Merge keeps one row per key across batches. At the end of a batch it gives,
// for each group that the batch touched and whose result has changed, the
// retraction of the old result row and the new one. A group without rows has no
// result, but for the one group of a Merge without keys: its row is there from
// the first batch on, whether or not that batch had a row, because the end of
// the first batch finds no such group in the state, makes it, and gives it out.
//
// A group's row in the store:
//
//	0   how many rows the group has, 8
//	8   id + 1 of the last batch that touched it, 8
//	16  the states of the aggregates
//	…   with Expiry, for each distinctValues the head of the group's list, 8
//	…   the encoded key
type Merge struct {
	inbox
	lending
	spec  AggSpec
	env   Env
	batch *Batch
	index *index
	aggs  []aggregate
	seen  []*distinctValues // for the DISTINCT ones of aggs
	read  []results         // of aggs, by the operator's own stores
	out   []types.Type
	fixed int // bytes before the key
	heap  storeHeap
	over  *mergeExpiry // nil: no group is forgotten

	dirty  []dirtyGroup
	before rowsBefore
	given  int  // dirty groups that are done
	ready  bool // the global group was looked for

	block int // rows of the present block, in refs and rows
	refs  [blockRows]state.Ref
	rows  [blockRows][]byte
	give  giving

	touched byte // makes the loads of fetch count

	// quiet: nobody takes the output, so that only the state is brought up to date.
	quiet     bool
	refreshes bool // some aggregate must be refreshed before its result is read
}

type dirtyGroup struct {
	ref    state.Ref
	hash   uint64
	before int32 // number in Merge.before; −1: the group had no result, given out or withheld
}

// rowsBefore keeps what the rows of dirty groups were before the batch, their
// first bytes, in blocks, so that a batch with a million groups copies nothing twice.
type rowsBefore struct {
	size   int
	blocks [][]byte
	n      int32
}

const beforeBlock = 256 // rows

func (b *rowsBefore) add(row []byte) int32 {
	k := int(b.n) / beforeBlock
	if k == len(b.blocks) {
		b.blocks = append(b.blocks, make([]byte, 0, beforeBlock*b.size))
	}
	b.blocks[k] = append(b.blocks[k], row[:b.size]...)
	b.n++
	return b.n - 1
}

func (b *rowsBefore) at(i int32) []byte {
	at := int(i) % beforeBlock * b.size
	return b.blocks[i/beforeBlock][at : at+b.size]
}

// reset forgets all rows, and keeps memory for a batch of usual size.
func (b *rowsBefore) reset() {
	if len(b.blocks) > 64 {
		clear(b.blocks[64:])
		b.blocks = b.blocks[:64]
	}
	for k := range b.blocks {
		b.blocks[k] = b.blocks[k][:0]
	}
	b.n = 0
}

const groupHeader = 16

// NewMerge makes a Merge.
func NewMerge(spec AggSpec, env Env) (*Merge, error) {
	m := &Merge{spec: spec, env: env, fixed: groupHeader, heap: storeHeap{store: state.NewStore(env.Account)}}
	group := newGrouping(spec.Input, spec.Keys)
	if err := checkGivenKeys(pickTypes(spec.Input, group.keys)); err != nil {
		return nil, err
	}
	m.out = append(m.out, group.types...)
	next := len(spec.Keys)
	for _, c := range spec.Aggs {
		cols := argColumns(c)
		if spec.Partial {
			cols = positions(len(agg.Partial(c)))
			for i := range cols {
				cols[i] += next
			}
			next += len(cols)
		}
		a, err := newAggregate(c, cols, m.fixed, spec, &m.seen, &m.heap, env.Account)
		if err != nil {
			return nil, err
		}
		m.aggs = append(m.aggs, a)
		m.refreshes = m.refreshes || a.refreshes()
		if values := a.multiset(); values != nil {
			m.read = append(m.read, a.results(&m.heap, values.store))
		} else {
			m.read = append(m.read, a.results(&m.heap, nil))
		}
		m.fixed += a.size()
		m.out = append(m.out, c.Type)
	}
	if spec.Expiry != nil { // the values of a group must be found
		for _, d := range m.seen {
			d.headAt = m.fixed
			m.fixed += 8
		}
	}
	if len(spec.Bounds) > 0 && !group.one {
		group.lieNear(spec.Bounds, spec.Step)
	}
	m.index = newIndex(group, m.fixed, env.Account)
	for _, d := range m.seen {
		d.groups = m.index.store
	}
	m.before.size = m.fixed
	if spec.Expiry != nil {
		m.over = newMergeExpiry(m, *spec.Expiry)
	}
	return m, nil
}

// String names the operator as EXPLAIN does.
func (m *Merge) String() string { return "Merge" }

// Types are the types of the output columns.
func (m *Merge) Types() []types.Type { return m.out }

// Transient: groups copy what they need of a row.
func (m *Merge) Transient() bool { return true }

// Begin opens a batch.
func (m *Merge) Begin(b *Batch) {
	m.batch, m.ready = b, len(m.spec.Keys) > 0
	m.begin(1)
}

// Push queues a chunk.
func (m *Merge) Push(_ int, c *batch.Chunk) {
	if m.over != nil && m.over.input >= 0 {
		if c = m.over.live(c, m.over.input); c == nil {
			return
		}
	}
	m.push(0, c)
}

// CloseInput notes the end of the input.
func (m *Merge) CloseInput(int) { m.close() }

// States are the groups, their long values, each multiset, and the distinct values.
func (m *Merge) States() []*state.Store {
	s := []*state.Store{m.index.store, m.heap.store}
	for _, a := range m.aggs {
		if values := a.multiset(); values != nil {
			s = append(s, values.store)
		}
	}
	for _, d := range m.seen {
		s = append(s, d.store)
	}
	if m.over != nil {
		s = append(s, m.over.over.store)
	}
	return s
}

// Rebuild derives the indexes from the stores.
func (m *Merge) Rebuild() error {
	m.index.rebuild()
	for _, a := range m.aggs {
		if values := a.multiset(); values != nil {
			values.rebuild()
		}
	}
	for _, d := range m.seen {
		d.rebuild()
	}
	if m.over != nil {
		m.over.rebuild(m.index.store)
	}
	return nil
}

// Step applies rows to their groups, and with the input closed gives out what changed.
func (m *Merge) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for m.head < len(m.queue) {
		if budget <= 0 {
			return More, nil
		}
		n, err := m.take(min(budget, blockRows))
		if err != nil {
			return Done, err
		}
		budget -= n
	}
	if !m.closed() {
		return Done, nil
	}
	if !m.ready {
		if err := m.makeGlobal(); err != nil {
			return Done, err
		}
	}
	for m.given < len(m.dirty) {
		if budget <= 0 {
			return More, nil
		}
		n := min(max(budget/2, 1), blockRows, len(m.dirty)-m.given)
		if err := m.giveOut(n, emit); err != nil {
			return Done, err
		}
		budget -= 2 * n
	}
	return m.settle(budget)
}

// settle frees what the batch has emptied, and what is over after it.
func (m *Merge) settle(budget int) (Status, error) {
	for _, a := range m.aggs {
		for values := a.multiset(); values != nil && len(values.idle) > 0; {
			if budget <= 0 {
				return More, nil
			}
			n, err := values.settle(min(budget, blockRows))
			if err != nil {
				return Done, err
			}
			budget -= n
		}
	}
	for _, d := range m.seen {
		for len(d.idle) > 0 {
			if budget <= 0 {
				return More, nil
			}
			n, err := d.settle(min(budget, blockRows))
			if err != nil {
				return Done, err
			}
			budget -= n
		}
	}
	if m.over != nil {
		if err := m.over.advance(m.batch); err != nil {
			return Done, err
		}
		if m.over.drop(max(budget, 1)) > 0 {
			return More, nil
		}
	}
	m.heap.settle()
	m.before.reset()
	if cap(m.dirty) > max(1<<16, 8*len(m.dirty)) {
		m.dirty = nil // of a batch that was larger than they are
	}
	m.dirty, m.given = m.dirty[:0], 0
	return Done, nil
}

// take applies at most n rows of the first chunk.
func (m *Merge) take(n int) (int, error) {
	_, c, lo := m.first()
	if lo == 0 {
		m.index.openChunk(c)
	}
	n = min(n, c.N-lo)
	m.block = n
	refs, rows := m.refs[:n], m.rows[:n]
	m.index.findAll(lo, refs)
	for i := range refs {
		if refs[i] == 0 {
			// Maybe a row of this block just made it.
			if refs[i] = m.index.find(lo + i); refs[i] == 0 {
				var err error
				if refs[i], err = m.index.add(lo + i); err != nil {
					return 0, err
				}
			}
		}
	}
	m.fetch(refs, rows)
	if m.quiet && !m.refreshes {
		m.count(lo, c.Weights)
	} else {
		m.countAndTouch(lo, c.Weights)
	}
	for _, d := range m.seen {
		if err := d.add(refs, rows, c.Cols, lo, c.Weights); err != nil {
			return 0, err
		}
	}
	for _, a := range m.aggs {
		if err := a.add(refs, rows, c.Cols, lo, c.Weights); err != nil {
			return 0, err
		}
	}
	m.done(n)
	return n, nil
}

// countAndTouch counts a block's rows in their groups, and keeps what each group
// was before the batch.
func (m *Merge) countAndTouch(lo int, weights []int64) {
	mark := int64(m.batch.ID + 1)
	for i, row := range m.rows[:m.block] {
		if getInt(row[8:]) != mark {
			m.touch(m.refs[i], m.index.hashes[lo+i], row, mark)
		}
		putInt(row, getInt(row)+weightAt(weights, lo+i))
	}
}

// count counts a block's rows in their groups, and notes only the groups that
// may be empty at the end of the batch.
func (m *Merge) count(lo int, weights []int64) {
	mark := int64(m.batch.ID + 1)
	for i, row := range m.rows[:m.block] {
		n := getInt(row) + weightAt(weights, lo+i)
		putInt(row, n)
		if n <= 0 && getInt(row[8:]) != mark {
			putInt(row[8:], mark)
			m.dirty = append(m.dirty, dirtyGroup{m.refs[i], m.index.hashes[lo+i], -1})
		}
	}
}

func weightAt(weights []int64, i int) int64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// fetch finds the rows. In a large state each is a cache miss or two; loads that
// do not depend on one another wait for memory together.
func (m *Merge) fetch(refs []state.Ref, rows [][]byte) {
	for i, r := range refs {
		rows[i] = m.index.store.MutableSlot(r)
	}
	touched := byte(0)
	for _, row := range rows {
		touched |= row[0]
	}
	m.touched = touched
}

// touch keeps what a group was before the batch.
func (m *Merge) touch(r state.Ref, hash uint64, row []byte, mark int64) {
	before := int32(-1)
	if !m.quiet && (getInt(row) != 0 || len(m.spec.Keys) == 0 && getInt(row[8:]) != 0) {
		before = m.before.add(row)
	}
	m.dirty = append(m.dirty, dirtyGroup{r, hash, before})
	putInt(row[8:], mark)
}

// makeGlobal sees to the group of a Merge without keys.
func (m *Merge) makeGlobal() error {
	m.ready = true
	m.index.open(nil, 1)
	if m.index.find(0) != 0 {
		return nil
	}
	r, err := m.index.add(0)
	if err != nil {
		return err
	}
	m.touch(r, m.index.hashes[0], m.index.store.MutableSlot(r), int64(m.batch.ID+1))
	return nil
}

// storeHeap keeps what is too long for a row. What is dropped in a batch stays
// readable until its end, for the old result.
type storeHeap struct {
	store   *state.Store
	dropped []state.Ref
}

// Put keeps b, with a byte before it so that it is never empty.
func (h *storeHeap) Put(b []byte) (uint64, error) {
	r, err := h.store.Alloc(len(b) + 1)
	if err != nil {
		return 0, err
	}
	copy(h.store.Mutable(r)[1:], b)
	return uint64(r), nil
}

// Get returns what Put kept.
func (h *storeHeap) Get(x uint64) []byte { return h.store.Get(state.Ref(x))[1:] }

// Drop ends it with the batch.
func (h *storeHeap) Drop(x uint64) { h.dropped = append(h.dropped, state.Ref(x)) }

func (h *storeHeap) settle() {
	for _, r := range h.dropped {
		h.store.Free(r)
	}
	h.dropped = h.dropped[:0]
}
