package operators

import (
	"fmt"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/types"
	"streamsql/sql/vector"
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
//	…   the encoded key
type Merge struct {
	inbox
	spec  AggSpec
	env   Env
	batch *Batch
	index *index
	aggs  []*aggregate
	out   []types.Type
	fixed int // bytes before the key
	heap  storeHeap

	dirty  []dirtyGroup
	before []byte // the first fixed bytes of the dirty groups' rows before the batch
	given  int    // dirty groups that are done
	ready  bool   // the global group was looked for

	refs [blockRows]state.Ref
	rows [blockRows][]byte
	give giving

	touched byte // makes the loads of fetch count
}

type dirtyGroup struct {
	ref     state.Ref
	hash    uint64
	existed bool // has a result row given out, or withheld
}

const groupHeader = 16

// NewMerge makes a Merge.
func NewMerge(spec AggSpec, env Env) (*Merge, error) {
	m := &Merge{spec: spec, env: env, fixed: groupHeader, heap: storeHeap{store: state.NewStore(env.Account)}}
	group := newGrouping(spec.Input, spec.Keys)
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
		a, err := newAggregate(c, cols, m.fixed, spec, &m.heap, env.Account)
		if err != nil {
			return nil, err
		}
		m.aggs = append(m.aggs, a)
		m.fixed += a.size()
		m.out = append(m.out, c.Type)
	}
	m.index = newIndex(group, m.fixed, env.Account)
	return m, nil
}

// String names the operator as EXPLAIN does.
func (m *Merge) String() string { return "Merge" }

// Types are the types of the output columns.
func (m *Merge) Types() []types.Type { return m.out }

// Begin opens a batch.
func (m *Merge) Begin(b *Batch) {
	m.batch, m.ready = b, len(m.spec.Keys) > 0
	m.begin(1)
}

// Push queues a chunk.
func (m *Merge) Push(_ int, c *batch.Chunk) { m.push(0, c) }

// CloseInput notes the end of the input.
func (m *Merge) CloseInput(int) { m.close() }

// States are the groups, the long values of MIN and MAX, and each multiset.
func (m *Merge) States() []*state.Store {
	s := []*state.Store{m.index.store, m.heap.store}
	for _, a := range m.aggs {
		if a.values != nil {
			s = append(s, a.values.store)
		}
	}
	return s
}

// Rebuild derives the indexes from the stores.
func (m *Merge) Rebuild() error {
	m.index.rebuild()
	for _, a := range m.aggs {
		if a.values != nil {
			a.values.rebuild()
		}
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

// settle frees what the batch has emptied.
func (m *Merge) settle(budget int) (Status, error) {
	for _, a := range m.aggs {
		for a.values != nil && len(a.values.idle) > 0 {
			if budget <= 0 {
				return More, nil
			}
			n, err := a.values.settle(min(budget, blockRows))
			if err != nil {
				return Done, err
			}
			budget -= n
		}
	}
	m.heap.settle()
	m.dirty, m.before, m.given = m.dirty[:0], m.before[:0], 0
	if cap(m.dirty) > 1<<16 {
		m.dirty, m.before = nil, nil
	}
	return Done, nil
}

// take applies at most n rows of the first chunk.
func (m *Merge) take(n int) (int, error) {
	_, c, lo := m.first()
	if lo == 0 {
		m.index.open(c.Cols, c.N)
	}
	n = min(n, c.N-lo)
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
	mark := int64(m.batch.ID + 1)
	for i, r := range refs {
		row := rows[i]
		if getInt(row[8:]) != mark {
			m.touch(r, m.index.hashes[lo+i], row, mark)
		}
		if c.Weights == nil {
			putInt(row, getInt(row)+1)
		} else {
			putInt(row, getInt(row)+c.Weights[lo+i])
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
	m.before = append(m.before, row[:m.fixed]...)
	m.dirty = append(m.dirty, dirtyGroup{r, hash, getInt(row) != 0 || len(m.spec.Keys) == 0 && getInt(row[8:]) != 0})
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

// giving is scratch of giveOut. The result rows of a block of groups, old ones,
// then new ones, lie in one chunk, so that what changed need not be moved.
type giving struct {
	states [][]byte
	keys   [][]byte
	group  []int32 // of each result row: its group in the block
	old    int     // how many of them are old
	chunk  *batch.Chunk
	failed []error // by result row; nil: none has failed
}

// giveOut emits the changes of the next n dirty groups.
func (m *Merge) giveOut(n int, emit func(*batch.Chunk)) error {
	block := m.dirty[m.given : m.given+n]
	g := &m.give
	g.states, g.keys, g.group, g.failed = g.states[:0], g.keys[:0], g.group[:0], nil
	for i, d := range block {
		row := m.index.store.MutableSlot(d.ref)
		m.rows[i] = row
		if count := getInt(row); count < 0 {
			return fmt.Errorf("%s: a group has %d rows: a retraction of what was never inserted", m.env.Node, count)
		}
		for _, a := range m.aggs {
			a.refresh(d.ref, row)
		}
		if d.existed {
			at := (m.given + i) * m.fixed
			g.states = append(g.states, m.before[at:at+m.fixed])
			g.keys = append(g.keys, row[m.fixed:])
			g.group = append(g.group, int32(i))
		}
	}
	g.old = len(g.states)
	for i, row := range m.rows[:n] {
		if getInt(row) > 0 || len(m.spec.Keys) == 0 {
			g.states = append(g.states, row)
			g.keys = append(g.keys, row[m.fixed:])
			g.group = append(g.group, int32(i))
		}
	}
	m.results(g)
	m.reportFailures(n, g)
	if c := g.changes(len(m.spec.Keys), n); c != nil {
		emit(c)
	}
	for i, d := range block {
		if getInt(m.rows[i]) == 0 && len(m.spec.Keys) > 0 {
			m.index.remove(d.hash, d.ref)
		}
	}
	m.given += n
	return nil
}

// results computes the result rows.
func (m *Merge) results(g *giving) {
	n := len(g.states)
	g.chunk = &batch.Chunk{Cols: newVectors(m.out, n), N: n}
	keys := len(m.spec.Keys)
	m.index.codec.Decode(g.keys, g.chunk.Cols[:keys])
	for k, a := range m.aggs {
		a.appendResult(g.states, g.chunk.Cols[keys+k], func(i int, err error) {
			if g.failed == nil {
				g.failed = make([]error, n)
			}
			g.failed[i] = err
		})
	}
}

// reportFailures reports each group that is out of range now and was not before
// the batch, and takes the report back when it is no more.
func (m *Merge) reportFailures(n int, g *giving) {
	if g.failed == nil || m.batch.Fail == nil {
		return
	}
	was, is := make([]int, n), make([]int, n) // result row + 1 of the failure
	for i, err := range g.failed {
		switch {
		case err == nil:
		case i < g.old:
			was[g.group[i]] = i + 1
		default:
			is[g.group[i]] = i + 1
		}
	}
	fail := func(i int, w int64) {
		keys := g.chunk.Cols[:len(m.spec.Keys)]
		m.batch.Fail(RowError{Operator: m.env.Node, Err: g.failed[i], Row: rowText(keys, i, m.env.Location), Weight: w})
	}
	for k := range n {
		switch {
		case is[k] != 0 && was[k] == 0:
			fail(is[k]-1, 1)
		case was[k] != 0 && is[k] == 0:
			fail(was[k]-1, -1)
		}
	}
}

// changes is the chunk without what is withheld, or equal in old and new; nil:
// nothing is left.
func (g *giving) changes(keys, groups int) *batch.Chunk {
	c := g.chunk
	c.Weights = make([]int64, c.N)
	for i := range c.Weights {
		if c.Weights[i] = 1; i < g.old {
			c.Weights[i] = -1
		}
	}
	if drop := g.unchanged(keys); drop != nil {
		sel := make([]int32, 0, c.N)
		for i := range c.N {
			if !drop[i] {
				sel = append(sel, int32(i))
			}
		}
		c = c.Gather(sel)
	}
	if c.N == 0 {
		return nil
	}
	if g.old == 0 {
		c.Weights = nil
	}
	return c
}

// unchanged marks the result rows that are withheld, or the same before and
// after; nil: there are none.
func (g *giving) unchanged(keys int) []bool {
	var drop []bool
	mark := func(i int) {
		if drop == nil {
			drop = make([]bool, g.chunk.N)
		}
		drop[i] = true
	}
	for i, err := range g.failed {
		if err != nil {
			mark(i)
		}
	}
	// Both parts are in the order of their groups.
	for o, n := 0, g.old; o < g.old && n < g.chunk.N; {
		switch a, b := g.group[o], g.group[n]; {
		case a < b:
			o++
		case a > b:
			n++
		default:
			if (g.failed == nil || g.failed[o] == nil && g.failed[n] == nil) && g.sameResult(keys, o, n) {
				mark(o)
				mark(n)
			}
			o, n = o+1, n+1
		}
	}
	return drop
}

func (g *giving) sameResult(keys, o, n int) bool {
	for _, v := range g.chunk.Cols[keys:] {
		if !equalValues(v, o, n) {
			return false
		}
	}
	return true
}

// equalValues compares two values of a column, NULL equal to NULL.
func equalValues(v *vector.Vector, i, j int) bool {
	if v.IsNull(i) || v.IsNull(j) {
		return v.IsNull(i) && v.IsNull(j)
	}
	switch v.Type.Class() {
	case types.ClassFloat:
		return v.F[i] == v.F[j]
	case types.ClassBytes:
		return string(v.Bytes(i)) == string(v.Bytes(j))
	case types.ClassDecimal:
		if v.IsWide() {
			return v.W[i] == v.W[j]
		}
		return v.I[i] == v.I[j]
	default:
		return v.I[i] == v.I[j]
	}
}

// storeHeap keeps long values of MIN and MAX. What is dropped in a batch stays
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
