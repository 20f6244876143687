package operators

import (
	"bytes"
	"math"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// leading finds those rows of a batch that RANK() numbers 1 among the batch's
// rows of their partition. What is behind a row that came before is left out at
// once, so of many rows few are kept.
type leading struct {
	input  []types.Type
	group  *grouping
	order  leadOrder
	find   finder
	parts  []leader // by number of find
	rows   []leadRow
	opened *batch.Chunk // the chunk at hand, whose keys group knows; nil: none is
	moved  int          // so many of rows are in mine, the others in the chunk at hand
	mine   *batch.Chunk // copies of rows
	kept   int          // of rows, after the last time that the overtaken ones went
	memory batch.Loan   // of mine
	spare  batch.Loan   // what mine was of before
	sel    []int32
	index  [blockRows]uint32
}

// leader is the best row of a partition so far that is not taken back.
type leader struct {
	at   int // of rows
	some bool
	leadKey
}

// leadRow is a row of leading.mine, or of the chunk at hand, and what it is of.
type leadRow struct{ part, row uint32 }

// leadKey is what a row is ordered by: an integer among NULLs before (class −1)
// or behind (1), or else bytes. What is less comes first.
type leadKey struct {
	class int8
	value int64
	enc   []byte
}

// leadOrder reads and compares keys.
type leadOrder struct {
	keys []OrderKey
	one  bool // one column of integers
	flip int64
	key  leadKey // scratch
}

func newLeadOrder(input []types.Type, keys []OrderKey) leadOrder {
	o := leadOrder{keys: keys}
	if o.one = len(keys) == 1 && input[keys[0].Col].Class() == types.ClassInt; !o.one {
		return o
	}
	if input[keys[0].Col].Unsigned {
		o.flip = math.MinInt64
	}
	if keys[0].Desc {
		o.flip = ^o.flip
	}
	return o
}

// of is the key of row i, good until the next call.
func (o *leadOrder) of(cols []*vector.Vector, i int) *leadKey {
	k := &o.key
	if !o.one {
		k.enc = k.enc[:0]
		for _, key := range o.keys {
			k.enc = state.AppendOrderedKey(k.enc, cols[key.Col], i, key.Desc)
		}
		return k
	}
	v := cols[o.keys[0].Col]
	switch {
	case !v.IsNull(i):
		k.class, k.value = 0, v.I[i]^o.flip
	case o.keys[0].Desc:
		k.class, k.value = 1, 0
	default:
		k.class, k.value = -1, 0
	}
	return k
}

// behind is above 0 if k comes behind l, below if before it.
func (k *leadKey) behind(l *leadKey) int {
	switch {
	case k.class != l.class:
		return int(k.class) - int(l.class)
	case k.value != l.value && k.value < l.value:
		return -1
	case k.value != l.value:
		return 1
	}
	return bytes.Compare(k.enc, l.enc)
}

func newLeading(spec TopNSpec) *leading {
	return &leading{input: spec.Input, group: newGrouping(spec.Input, spec.Partition), order: newLeadOrder(spec.Input, spec.Order)}
}

// takeAll looks at what is in q, budget rows of it at most. It returns what is left of the
// budget, and whether rows are.
func (l *leading) takeAll(q *inbox, budget int) (left int, more bool) {
	for q.head < len(q.queue) {
		if budget <= 0 {
			return 0, true
		}
		_, c, lo := q.first()
		n := min(budget, blockRows, c.N-lo)
		l.take(c, lo, n)
		if q.done(n) {
			l.move()
		}
		budget -= n
	}
	return budget, false
}

// take looks at the rows lo … lo+n of c, n at most blockRows.
func (l *leading) take(c *batch.Chunk, lo, n int) {
	if l.opened != c {
		l.group.openChunk(c)
		l.opened = c
	}
	index := l.index[:n]
	l.find.groupsOf(l.group, lo, index)
	for len(l.parts) < l.find.n {
		l.extend()
	}
	for i, part := range index {
		p, k, w := &l.parts[part], l.order.of(c.Cols, lo+i), c.Weight(lo+i)
		order := -1
		if p.some {
			order = k.behind(&p.leadKey)
		}
		if order > 0 || w == 0 {
			continue
		}
		if order < 0 && w > 0 {
			p.at, p.some, p.class, p.value = len(l.rows), true, k.class, k.value
			p.enc = append(p.enc[:0], k.enc...)
		}
		l.rows = append(l.rows, leadRow{part, uint32(lo + i)})
	}
}

// move copies those rows of the chunk at hand that none has come before, which is done with.
func (l *leading) move() {
	l.trim(l.moved)
	if l.mine == nil && l.moved < len(l.rows) {
		l.mine = l.memory.New(l.input, batch.TargetRows)
	}
	for k, r := range l.rows[l.moved:] {
		l.mine.AppendFrom(l.opened, int(r.row), l.opened.Weight(int(r.row)))
		l.rows[l.moved+k].row = uint32(l.mine.N - 1)
	}
	l.moved, l.opened = len(l.rows), nil
	if len(l.rows) > 2*l.kept+batch.TargetRows {
		l.dropOvertaken()
	}
}

// extend makes room for one partition more, where there may have been one before.
func (l *leading) extend() {
	if n := len(l.parts); n < cap(l.parts) {
		l.parts = l.parts[:n+1]
		l.parts[n] = leader{leadKey: leadKey{enc: l.parts[n].enc[:0]}}
		return
	}
	l.parts = append(l.parts, leader{})
}

// trim leaves out rows, from the one at from on, that others have come before. Those
// that are taken back stay unless a leader is before them.
func (l *leading) trim(from int) {
	cols := l.colsOf(from)
	kept := l.rows[:from]
	for k, r := range l.rows[from:] {
		p := &l.parts[r.part]
		if p.some && l.order.of(cols, int(r.row)).behind(&p.leadKey) > 0 {
			continue
		}
		if p.some && p.at == from+k {
			p.at = len(kept)
		}
		kept = append(kept, r)
	}
	l.rows = kept
}

// colsOf are the columns that the row at of rows is in.
func (l *leading) colsOf(at int) []*vector.Vector {
	if at < l.moved {
		return l.mine.Cols
	}
	if l.opened == nil {
		return nil
	}
	return l.opened.Cols
}

// dropOvertaken leaves out all rows that others have come before. No chunk is at hand.
func (l *leading) dropOvertaken() {
	l.trim(0)
	if l.kept, l.moved = len(l.rows), len(l.rows); l.mine == nil {
		return
	}
	l.sel = l.sel[:0]
	for k := range l.rows {
		l.sel = append(l.sel, int32(l.rows[k].row))
		l.rows[k].row = uint32(k)
	}
	old := l.mine
	l.spare, l.memory = l.memory, l.spare
	l.mine = l.memory.Gather(old, l.sel)
	l.spare.End()
}

// reset forgets all rows.
func (l *leading) reset() {
	l.find.reset()
	l.memory.End()
	l.rows, l.parts, l.opened, l.mine, l.moved, l.kept = emptied(l.rows), emptied(l.parts), nil, nil, 0, 0
}

// LeadersOfBatch gives of each batch the rows that Leaders may keep, so that few
// go through the shuffle. It remembers nothing.
type LeadersOfBatch struct {
	inbox
	lending
	*leading
	out   []types.Type
	ended bool
	given int // of rows
}

// NewLeadersOfBatch makes a LeadersOfBatch.
func NewLeadersOfBatch(spec TopNSpec) *LeadersOfBatch {
	return &LeadersOfBatch{leading: newLeading(spec), out: spec.Input}
}

// String names the operator as EXPLAIN does.
func (l *LeadersOfBatch) String() string { return "TopN" }

// Types are the types of the output columns.
func (l *LeadersOfBatch) Types() []types.Type { return l.out }

// Transient: rows in the lead are copied.
func (l *LeadersOfBatch) Transient() bool { return true }

// Begin opens a batch.
func (l *LeadersOfBatch) Begin(*Batch) {
	l.begin(1)
	l.ended, l.given = false, 0
}

// Push queues a chunk.
func (l *LeadersOfBatch) Push(_ int, c *batch.Chunk) { l.push(0, c) }

// CloseInput notes the end of the input.
func (l *LeadersOfBatch) CloseInput(int) { l.close() }

// Step looks at rows, and with the input closed gives those in the lead.
func (l *LeadersOfBatch) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	budget, more := l.takeAll(&l.inbox, budget)
	if more {
		return More, nil
	}
	if !l.closed() {
		return Done, nil
	}
	if !l.ended {
		l.dropOvertaken()
		l.ended = true
	}
	for l.given < len(l.rows) {
		if budget <= 0 {
			return More, nil
		}
		budget -= l.give(min(budget, batch.TargetRows), emit)
	}
	l.reset()
	l.given = 0
	return Done, nil
}

// give emits at most n of the rows.
func (l *LeadersOfBatch) give(n int, emit func(*batch.Chunk)) int {
	n = min(n, len(l.rows)-l.given)
	emit(l.loan.Copy(l.mine.Slice(l.given, l.given+n)))
	l.given += n
	return n
}
