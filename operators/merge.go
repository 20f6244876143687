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
	m.index = newIndex(group, state.NewStore(env.Account), m.fixed)
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
	mark := int64(m.batch.ID + 1)
	for i, r := range refs {
		row := m.index.store.MutableSlot(r)
		if getInt(row[8:]) != mark {
			m.touch(r, m.index.hashes[lo+i], row, mark)
		}
		rows[i] = row
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

// giving is scratch of giveOut: the old and the new side of a block of groups.
type giving struct{ old, new side }

// side is one side's result rows.
type side struct {
	rows   [][]byte // the states
	keys   [][]byte
	group  []int // which group of the block each row is of
	chunk  *batch.Chunk
	failed []error // by row; nil: none has failed
}

func (s *side) reset() { s.rows, s.keys, s.group, s.failed = s.rows[:0], s.keys[:0], s.group[:0], nil }

// giveOut emits the changes of the next n dirty groups.
func (m *Merge) giveOut(n int, emit func(*batch.Chunk)) error {
	block := m.dirty[m.given : m.given+n]
	old, now := &m.give.old, &m.give.new
	old.reset()
	now.reset()
	for i, d := range block {
		row := m.index.store.MutableSlot(d.ref)
		whole := m.index.store.Get(d.ref)
		count := getInt(row)
		if count < 0 {
			return fmt.Errorf("%s: a group has %d rows: a retraction of what was never inserted", m.env.Node, count)
		}
		for _, a := range m.aggs {
			a.refresh(d.ref, row)
		}
		if d.existed {
			at := (m.given + i) * m.fixed
			old.rows = append(old.rows, m.before[at:at+m.fixed])
			old.keys = append(old.keys, whole[m.fixed:])
			old.group = append(old.group, i)
		}
		if count > 0 || len(m.spec.Keys) == 0 {
			now.rows = append(now.rows, row)
			now.keys = append(now.keys, whole[m.fixed:])
			now.group = append(now.group, i)
		}
	}
	m.results(old)
	m.results(now)
	m.reportFailures(n, old, now)
	if c := changes(m.out, len(m.spec.Keys), n, old, now); c != nil {
		emit(c)
	}
	for _, d := range block {
		if getInt(m.index.store.Slot(d.ref)) == 0 && len(m.spec.Keys) > 0 {
			m.index.remove(d.hash, d.ref)
		}
	}
	m.given += n
	return nil
}

// results computes the rows of one side.
func (m *Merge) results(s *side) {
	s.chunk = &batch.Chunk{Cols: newVectors(m.out, len(s.rows)), N: len(s.rows)}
	keys := len(m.spec.Keys)
	m.index.codec.Decode(s.keys, s.chunk.Cols[:keys])
	for k, a := range m.aggs {
		a.appendResult(s.rows, s.chunk.Cols[keys+k], func(i int, err error) {
			if s.failed == nil {
				s.failed = make([]error, len(s.rows))
			}
			s.failed[i] = err
		})
	}
}

// reportFailures reports each group that is out of range now and was not before
// the batch, and takes the report back when it is no more.
func (m *Merge) reportFailures(n int, old, now *side) {
	if old.failed == nil && now.failed == nil {
		return
	}
	was, is := make([]int, n), make([]int, n) // row + 1 of the failure
	for i, err := range old.failed {
		if err != nil {
			was[old.group[i]] = i + 1
		}
	}
	for i, err := range now.failed {
		if err != nil {
			is[now.group[i]] = i + 1
		}
	}
	for g := range n {
		switch {
		case is[g] != 0 && was[g] == 0:
			m.fail(now, is[g]-1, 1)
		case was[g] != 0 && is[g] == 0:
			m.fail(old, was[g]-1, -1)
		}
	}
}

func (m *Merge) fail(s *side, i int, w int64) {
	if m.batch.Fail == nil {
		return
	}
	keys := s.chunk.Cols[:len(m.spec.Keys)]
	m.batch.Fail(RowError{Operator: m.env.Node, Err: s.failed[i], Row: rowText(keys, i, m.env.Location), Weight: w})
}

// changes puts the two sides together, without what is equal on both; nil: nothing is left.
func changes(ts []types.Type, keys, groups int, old, now *side) *batch.Chunk {
	same := make([]bool, groups)
	oldRow := make([]int32, groups) // + 1
	for i, g := range old.group {
		oldRow[g] = int32(i) + 1
	}
	equal := 0
	for i, g := range now.group {
		o := int(oldRow[g]) - 1
		if o < 0 || old.failed != nil && old.failed[o] != nil || now.failed != nil && now.failed[i] != nil {
			continue
		}
		same[g] = true
		for k := keys; k < len(ts) && same[g]; k++ {
			same[g] = equalValues(old.chunk.Cols[k], o, now.chunk.Cols[k], i)
		}
		if same[g] {
			equal++
		}
	}
	if equal == groups {
		return nil
	}
	o, n := old.chunk, now.chunk
	if equal > 0 || old.failed != nil || now.failed != nil {
		o, n = old.kept(same), now.kept(same)
	}
	if o.N+n.N == 0 {
		return nil
	}
	c := &batch.Chunk{Cols: make([]*vector.Vector, len(ts)), N: o.N + n.N}
	if o.N == 0 {
		return n
	}
	for k := range ts {
		c.Cols[k] = o.Cols[k]
		c.Cols[k].AppendAll(n.Cols[k])
	}
	c.Weights = make([]int64, c.N)
	for i := range c.Weights {
		if c.Weights[i] = 1; i < o.N {
			c.Weights[i] = -1
		}
	}
	return c
}

// kept are the rows of a side that are neither withheld nor the same as before.
func (s *side) kept(same []bool) *batch.Chunk {
	sel := make([]int32, 0, len(s.group))
	for i, g := range s.group {
		if !same[g] && (s.failed == nil || s.failed[i] == nil) {
			sel = append(sel, int32(i))
		}
	}
	return s.chunk.Gather(sel)
}

// equalValues compares two values of one type, NULL equal to NULL.
func equalValues(a *vector.Vector, i int, b *vector.Vector, j int) bool {
	if a.IsNull(i) || b.IsNull(j) {
		return a.IsNull(i) && b.IsNull(j)
	}
	switch a.Type.Class() {
	case types.ClassFloat:
		return a.F[i] == b.F[j]
	case types.ClassBytes:
		return string(a.Bytes(i)) == string(b.Bytes(j))
	case types.ClassDecimal:
		return a.Wide(i) == b.Wide(j)
	default:
		return a.I[i] == b.I[j]
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
