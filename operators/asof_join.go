package operators

import (
	"bytes"
	"slices"

	"github.com/tidwall/btree"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// AsofJoin gives each left row the one right row of its key that is closest to
// it on one side of its time: for `left.t >= right.t` the one with the largest
// time that is not above the left row's. Ties go to the right row that is first
// by its own columns. Either side may change at any time.
//
// Both sides are ordered alike, by key and by time in that direction in which
// the closest right row is the first from a left row's place on. So a right row
// that comes or goes re-points just the left rows between its place and that of
// the right row before it. A left row keeps which right row it has.
//
// In a batch, right's rows come first. When all have, it is known which are there
// that were not and the other way round, and the left rows of before are
// re-pointed, each once. Then left's rows come, which have waited until then. At last
// rows go that can change nothing any more, if that is known (bounds).
type AsofJoin struct {
	spec   TimedSpec
	env    Env
	groups *asofGroups
	keys   [2]*grouping
	side   [2]*orderedRows

	queue  [2]inbox
	opened [2]bool
	closed [2]bool
	step   asofStep
	dirty  []state.Ref // touched rows of the side at hand
	at     int         // of dirty: the next to be looked at
	moved  *btree.BTreeG[treeEntry]
	point  asofPointer
	given  asofGiven
	bounds *asofBounds // nil: all rows are kept
}

// asofStep is what an AsofJoin does next in a batch.
type asofStep uint8

const (
	asofRight       asofStep = iota // take right's rows
	asofShow                        // make the tree show the right rows that there are
	asofPoint                       // re-point left rows of before
	asofForgetRight                 // free the right rows that are no more
	asofLeft                        // take left's rows
	asofForgetLeft                  // free the left rows that are no more
	asofExpire                      // free rows that can change nothing any more
	asofDone                        //
)

// NewAsofJoin makes an AsofJoin.
func NewAsofJoin(spec TimedSpec, env Env) (*AsofJoin, error) {
	keys := spec.keyTypes()
	j := &AsofJoin{spec: spec, env: env, given: asofGiven{out: spec.output(), left: len(spec.Left), outer: spec.Outer}}
	j.keys = [2]*grouping{newGroupingAs(keys, spec.LeftKeys), newGroupingAs(keys, spec.RightKeys)}
	j.groups = newAsofGroups(j.keys[0], env.Account)
	j.side = [2]*orderedRows{newOrderedRows(spec.Left, env.Account), newOrderedRows(spec.Right, env.Account)}
	j.moved = btree.NewBTreeGOptions(j.side[1].less, btree.Options{NoLocks: true})
	j.bounds = newAsofBounds(j, env)
	return j, nil
}

// String names the operator as EXPLAIN does.
func (j *AsofJoin) String() string { return "AsofJoin" }

// Types are the types of the output columns.
func (j *AsofJoin) Types() []types.Type { return j.given.out }

// Begin opens a batch.
func (j *AsofJoin) Begin(b *Batch) {
	j.closed, j.step = [2]bool{}, asofRight
	if j.bounds != nil {
		j.bounds.begin(b)
	}
}

// Push queues a chunk of the left (0) or right (1) input.
func (j *AsofJoin) Push(in int, c *batch.Chunk) { j.queue[in].push(in, c) }

// CloseInput notes the end of an input.
func (j *AsofJoin) CloseInput(in int) { j.closed[in] = true }

// States are the keys, the left rows and the right rows, and how far both are bounded.
func (j *AsofJoin) States() []*state.Store {
	s := []*state.Store{j.groups.store, j.side[0].store, j.side[1].store}
	if j.bounds != nil {
		s = append(s, j.bounds.states()...)
	}
	return s
}

// Rebuild derives the indexes from the stores.
func (j *AsofJoin) Rebuild() error {
	j.groups.rebuild()
	j.side[0].rebuild()
	j.side[1].rebuild()
	if j.bounds != nil {
		j.bounds.rebuild()
	}
	return nil
}

// Step works on, block by block.
func (j *AsofJoin) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for budget > 0 {
		work, err := j.block(min(budget, blockRows), emit)
		if err != nil || work == 0 {
			return Done, err
		}
		budget -= work
	}
	return More, nil
}

// block does the next piece of work and returns how much it was; 0: there is none.
func (j *AsofJoin) block(limit int, emit func(*batch.Chunk)) (int, error) {
	switch j.step {
	case asofRight:
		n, err := j.take(1, limit, j.takeRight, nil)
		return j.after(n, err, j.closed[1])
	case asofShow:
		return j.listed(limit, j.showRight)
	case asofPoint:
		n := j.repoint(limit, emit)
		return j.after(n, nil, true)
	case asofForgetRight:
		return j.listed(limit, func(r state.Ref) error { return j.forget(1, r) })
	case asofLeft:
		n, err := j.take(0, limit, j.takeLeft, emit)
		return j.after(n, err, j.closed[0])
	case asofForgetLeft:
		return j.listed(limit, func(r state.Ref) error { return j.forget(0, r) })
	case asofExpire:
		n := 0
		if j.bounds != nil {
			var err error
			if n, err = j.bounds.expire(limit); err != nil {
				return n, err
			}
		}
		return j.after(n, nil, true)
	}
	return 0, nil
}

// after goes on to the next step if n is 0 and this one is over.
func (j *AsofJoin) after(n int, err error, over bool) (int, error) {
	if n > 0 || err != nil || !over {
		return n, err
	}
	j.at = 0
	if j.step == asofForgetRight || j.step == asofForgetLeft {
		j.dirty = j.dirty[:0]
	}
	j.step++
	return 1, nil
}

// listed calls f for the next touched rows.
func (j *AsofJoin) listed(limit int, f func(r state.Ref) error) (int, error) {
	n := min(limit, len(j.dirty)-j.at)
	for _, r := range j.dirty[j.at : j.at+n] {
		if err := f(r); err != nil {
			return n, err
		}
	}
	j.at += n
	return j.after(n, nil, true)
}

// take calls f for the next rows of an input, at most limit.
func (j *AsofJoin) take(in, limit int, f func(c *batch.Chunk, i int) error, emit func(*batch.Chunk)) (int, error) {
	_, c, at := j.queue[in].first()
	if c == nil {
		return 0, nil
	}
	if !j.opened[in] {
		j.keys[in].open(c.Cols, c.N)
		j.opened[in] = true
	}
	j.groups.grouping = j.keys[in]
	n := min(limit, c.N-at)
	for i := at; i < at+n; i++ {
		if err := f(c, i); err != nil {
			return n, err
		}
	}
	j.given.emitMet(j.side[1], c, emit)
	if j.queue[in].done(n) {
		j.opened[in] = false
	}
	return n, nil
}

// touch counts row i of a chunk of an input as often as its weight says.
func (j *AsofJoin) touch(in int, c *batch.Chunk, i int) (state.Ref, error) {
	group, err := j.groups.of(i)
	if err != nil {
		return 0, err
	}
	o := j.side[in]
	o.enc = state.AppendOrderedKey(o.enc[:0], c.Cols[j.time(in)], i, j.backward())
	r, made, err := o.find(group, c.Cols, i)
	if err != nil {
		return 0, err
	}
	if made {
		j.groups.count(group, 1)
	}
	row := o.store.Mutable(r)
	putInt(row, getInt(row)+c.Weight(i))
	if row[8]&touched == 0 {
		row[8] |= touched
		j.dirty = append(j.dirty, r)
	}
	return r, nil
}

func (j *AsofJoin) time(in int) int { return [2]int{j.spec.LeftTime, j.spec.RightTime}[in] }

// apart reports that row i of an open chunk can match nothing.
func (j *AsofJoin) apart(in int, c *batch.Chunk, i int) bool {
	return c.Cols[j.time(in)].IsNull(i) || j.spec.unmatchable(j.keys[in].cols, i)
}

// backward: the closest right row is the last one before the left row's time.
func (j *AsofJoin) backward() bool { return j.spec.Order[0] == '>' }

// strict: it is not at the very time of the left row.
func (j *AsofJoin) strict() bool { return len(j.spec.Order) == 1 }

func (j *AsofJoin) takeRight(c *batch.Chunk, i int) error {
	if j.apart(1, c, i) || j.bounds != nil && j.bounds.leavesOut(1, c, i, j.spec.RightTime) {
		return nil
	}
	_, err := j.touch(1, c, i)
	return err
}

// showRight makes the tree show a touched right row, or not, as it is there or
// not, and notes in moved that this has changed.
func (j *AsofJoin) showRight(r state.Ref) error {
	right := j.side[1]
	row := right.store.Get(r)
	count, shown := getInt(row), row[8]&inTree != 0
	switch {
	case count < 0:
		return gone(j.env.Node, count)
	case shown == (count > 0):
		return nil
	case shown:
		right.hide(r)
	default:
		right.show(r)
		if j.bounds != nil {
			j.bounds.over[1].add(r)
		}
	}
	if j.side[0].tree.Len() > 0 {
		j.moved.Set(right.entry(r))
	}
	return nil
}

// takeLeft gives row i of a left chunk the right row that is closest.
func (j *AsofJoin) takeLeft(c *batch.Chunk, i int) error {
	if j.apart(0, c, i) {
		j.given.meet(i, 0)
		return nil
	}
	if j.bounds != nil && j.bounds.leavesOut(0, c, i, j.spec.LeftTime) {
		return nil
	}
	left := j.side[0]
	if j.spec.OneBatch {
		group := j.groups.find(i)
		left.enc = state.AppendOrderedKey(left.enc[:0], c.Cols[j.spec.LeftTime], i, j.backward())
		j.given.meet(i, j.closest(group, left.enc))
		return nil
	}
	l, err := j.touch(0, c, i)
	if err != nil {
		return err
	}
	if left.store.Get(l)[8]&inTree == 0 {
		left.own(l, j.closest(left.group(l), left.time(l)))
		left.show(l)
		if j.bounds != nil {
			j.bounds.over[0].add(l)
		}
	}
	j.given.meet(i, left.owned(l))
	return nil
}

// closest is the right row of a group for a left row's time, 0 if there is none.
func (j *AsofJoin) closest(group state.Ref, time []byte) state.Ref {
	if group == 0 {
		return 0
	}
	if j.strict() {
		time = append(slices.Clip(time), behind)
	}
	return j.side[1].first(j.side[1].at(group, time))
}

// behind, added to a place, makes the place behind all rows of that time: no
// column's encoding begins with it.
const behind = 0xFF

// forget frees a touched row if it is no more, and its key with the last one.
func (j *AsofJoin) forget(in int, r state.Ref) error {
	o := j.side[in]
	row := o.store.Mutable(r)
	row[8] &^= touched
	count := getInt(row)
	if count < 0 {
		return gone(j.env.Node, count)
	}
	if count > 0 {
		return nil
	}
	if row[8]&inTree != 0 {
		o.hide(r)
	}
	group := o.group(r)
	o.free(r)
	j.groups.count(group, -1)
	return nil
}

// asofPointer is how far re-pointing is within the left rows of one moved right row.
type asofPointer struct {
	under bool      // it is under way
	next  treeEntry // the left row to go on with
	high  []byte    // its left rows lie before this place …
	now   state.Ref // … and have this right row now
	last  state.Ref // the moved row before it, 0: there is none
}

// repoint re-points at most limit left rows, and returns how much work that was.
func (j *AsofJoin) repoint(limit int, emit func(*batch.Chunk)) int {
	e, ok := j.moved.Min()
	if !ok {
		j.point.last = 0
		return 0
	}
	p, left := &j.point, j.side[0]
	if !p.under {
		j.aim(e)
	}
	var rows []state.Ref
	p.under = false
	left.tree.Ascend(p.next, func(l treeEntry) bool {
		if l.group != e.group || bytes.Compare(left.place(l.row), p.high) >= 0 {
			return false
		}
		if len(rows) == limit {
			p.next, p.under = l, true
			return false
		}
		rows = append(rows, l.row)
		return true
	})
	for _, l := range rows {
		if old := left.owned(l); old != p.now {
			j.given.repoint(l, old, p.now, getInt(left.store.Get(l)))
			left.own(l, p.now)
		}
	}
	j.given.emitMoved(j.side, emit)
	if !p.under {
		j.moved.PopMin()
		p.last = e.row
	}
	return len(rows) + 1
}

// aim finds the left rows of a moved right row: those between it and the right
// row before it, or the moved one before it, whose left rows are done.
func (j *AsofJoin) aim(e treeEntry) {
	p, left, right := &j.point, j.side[0], j.side[1]
	low := right.before(e)
	if p.last != 0 && right.group(p.last) == state.Ref(e.group) && (low == 0 || right.less(right.entry(low), right.entry(p.last))) {
		low = p.last
	}
	var from []byte
	if low != 0 {
		from = j.edge(right.time(low))
	}
	p.high = j.edge(right.time(e.row))
	p.now = right.first(e)
	p.next = left.at(state.Ref(e.group), from)
}

// edge is the place that parts the left rows that may have a right row of a time
// from those behind.
func (j *AsofJoin) edge(time []byte) []byte {
	if j.strict() {
		return slices.Clone(time)
	}
	return append(slices.Clip(time), behind)
}
