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
	group  *grouping
	order  leadOrder
	find   finder
	parts  []leader // by number of find
	rows   []leadRow
	chunks []*batch.Chunk // that rows are in
	opened *batch.Chunk   // whose keys group knows
	held   bool           // it is the last of chunks
	kept   int            // of rows, after the last time that the overtaken ones went
	index  [blockRows]uint32
}

// leader is the best row of a partition so far that is not taken back.
type leader struct {
	at   leadRow
	some bool
	leadKey
}

// leadRow is a row of leading.chunks.
type leadRow struct{ part, chunk, row uint32 }

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
	return &leading{group: newGrouping(spec.Input, spec.Partition), order: newLeadOrder(spec.Input, spec.Order)}
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
		q.done(n)
		budget -= n
	}
	return budget, false
}

// take looks at the rows lo … lo+n of c, n at most blockRows.
func (l *leading) take(c *batch.Chunk, lo, n int) {
	if l.opened != c {
		l.group.openChunk(c)
		l.opened, l.held = c, false
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
		if !l.held {
			l.chunks, l.held = append(l.chunks, c), true
		}
		at := leadRow{part, uint32(len(l.chunks) - 1), uint32(lo + i)}
		if order < 0 && w > 0 {
			p.at, p.some, p.class, p.value = at, true, k.class, k.value
			p.enc = append(p.enc[:0], k.enc...)
		}
		l.rows = append(l.rows, at)
	}
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

// dropOvertaken leaves out rows that others have come before. Those that are
// taken back stay unless a leader is before them.
func (l *leading) dropOvertaken() {
	kept := l.rows[:0]
	for _, r := range l.rows {
		p := &l.parts[r.part]
		if !p.some || l.order.of(l.chunks[r.chunk].Cols, int(r.row)).behind(&p.leadKey) <= 0 {
			kept = append(kept, r)
		}
	}
	l.rows, l.kept = kept, len(kept)
}

// reset forgets all rows.
func (l *leading) reset() {
	l.find.reset()
	clear(l.chunks)
	l.chunks, l.rows, l.parts, l.opened, l.kept = l.chunks[:0], emptied(l.rows), emptied(l.parts), nil, 0
}

// LeadersOfBatch gives of each batch the rows that Leaders may keep, so that few
// go through the shuffle. It remembers nothing.
type LeadersOfBatch struct {
	inbox
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

// give emits at most n of the rows, all of one chunk.
func (l *LeadersOfBatch) give(n int, emit func(*batch.Chunk)) int {
	first := l.rows[l.given]
	var sel []int32
	for _, r := range l.rows[l.given:min(l.given+n, len(l.rows))] {
		if r.chunk != first.chunk {
			break
		}
		sel = append(sel, int32(r.row))
	}
	l.given += len(sel)
	emit(l.chunks[first.chunk].Gather(sel))
	return len(sel)
}
