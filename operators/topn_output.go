package operators

import (
	"bytes"

	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// topNOutput finds out what the changes of a batch do to the first rows of their
// partitions, without reading the others.
//
// The changes of a partition, in order, part its other rows into segments. Within
// one, the number of each row has moved by the same amount, the shift: how many
// more rows (or groups of peers) come before it than did. The rows that are new in
// the result, are no more in it, or have another number there, are then at most
// two ranges of a segment, whose ends the tree finds by their numbers. A row among
// the peers of a changed one has the shift of the segment before the peers.
type topNOutput struct {
	*ranking
	fn     RankFunc
	lo, hi int64 // the numbers that are in the result, from 0 on, hi exclusive
	number bool
	trims  bool // rows beyond the result are dropped
	out    []types.Type

	next  int // change to look at
	part  rankPart
	peers struct { // the last changed row's group of peers
		order []byte
		end   int64
		now   int64 // rows that it has
		delta int64 // rows that it has more than before
		some  bool
	}
	ranges []rankRange // to be given out, from head on
	head   int
	at     orderPos // in the first of ranges, where index rows of the tree come before
	index  int64
	open   bool // at is set
	trim   bool // the partition is to be trimmed

	rows    [][]byte
	weights []int64
	numbers []int64
}

// rankPart is the partition that is being worked on. Positions are over the whole tree.
type rankPart struct {
	group       uint64
	some        bool
	first, end  int64 // rows
	heads, tops int64 // heads before it, and before its end
	seen        int64 // position up to which segments are done
	shift       int64
}

// rankRange are rows to give: those between two positions, or a changed one.
type rankRange struct {
	from, to int64
	weight   int64 // 1 or −1, times the row's own
	shift    int64 // to be taken off the number
	changed  *rankChange
	number   int64 // changed: of the first copy, from 0 on
}

func (o *topNOutput) begin() {
	o.next, o.part.some, o.trim = 0, false, false
}

// done reports that nothing is left to give.
func (o *topNOutput) done() bool {
	return o.next == o.changes.len() && !o.part.some && o.head == len(o.ranges) && !o.trim
}

// give works about n rows off, and returns how much it did.
func (o *topNOutput) give(n int, emit func(*batch.Chunk)) int {
	work := 0
	for work < n && !o.done() {
		switch {
		case o.head < len(o.ranges):
			work += o.read(n - work)
		case o.trim:
			work += o.trimOne()
		default:
			o.advance()
			work++
		}
	}
	o.flush(emit)
	return max(work, 1)
}

// advance looks at the next change, or ends the partition.
func (o *topNOutput) advance() {
	if o.part.some && (o.next == o.changes.len() || o.changes.at(o.next).group != o.part.group) {
		if o.peers.some {
			o.endPeers()
		}
		o.segment(o.part.end)
		o.part.some, o.trim = false, o.trims
		return
	}
	c := o.changes.at(o.next)
	if !o.part.some {
		o.enter(c.group)
	}
	key, order, _ := o.keyOf(c.ref)
	start := o.start(c, key, order)
	number := start - o.part.first
	if o.fn == DenseRank {
		number = o.denseOf(start)
	}
	if number >= o.hi && number-o.part.shift >= o.hi { // so is all that comes after
		for o.next < o.changes.len() && o.changes.at(o.next).group == o.part.group {
			o.next++
		}
		o.part.some, o.trim = false, o.trims
		return
	}
	o.next++
	o.changed(c, number)
}

// enter begins a partition.
func (o *topNOutput) enter(group uint64) {
	o.part = rankPart{group: group, some: true}
	o.part.first, o.part.heads = o.tree.index(o.tree.seek(group, nil))
	o.part.end, o.part.tops = o.tree.index(o.tree.seek(group+1, nil))
	o.part.seen = o.part.first
	o.peers.some = false
}

// start finds where the changed row is, or would be; of RANK and DENSE_RANK, where
// its peers begin. When the row is none of the last one's peers, what lies between is given.
func (o *topNOutput) start(c *rankChange, key, order []byte) int64 {
	if o.fn == RowNumber {
		at, _ := o.tree.index(o.tree.seek(c.group, key))
		o.segment(at)
		o.part.seen = at + c.now
		return at
	}
	if o.peers.some && bytes.Equal(o.peers.order, order) {
		return o.peers.end - o.peers.now
	}
	if o.peers.some {
		o.endPeers()
	}
	at, _ := o.tree.index(o.tree.seek(c.group, order))
	o.peers.order = append(o.peers.order[:0], order...)
	o.peers.end, _ = o.tree.index(o.tree.seekBehind(c.group, o.peers.order))
	o.peers.now, o.peers.delta, o.peers.some = o.peers.end-at, 0, true
	o.segment(o.peers.end)
	return at
}

// endPeers counts a group of changed peers into the shift.
func (o *topNOutput) endPeers() {
	p := &o.peers
	p.some = false
	if o.fn == Rank {
		o.part.shift += p.delta
		return
	}
	if p.now > 0 {
		o.part.shift++
	}
	if p.now-p.delta > 0 {
		o.part.shift--
	}
}

// changed gives the changed row itself, whose number, from 0 on, is now.
func (o *topNOutput) changed(c *rankChange, now int64) {
	if o.fn == RowNumber {
		o.copies(c, now-o.part.shift, c.old, -1)
		o.copies(c, now, c.now, 1)
		o.part.shift += c.now - c.old
		return
	}
	if old := now - o.part.shift; old >= o.lo && old < o.hi {
		o.ranges = append(o.ranges, rankRange{to: c.old, weight: -1, changed: c, number: old})
	}
	if now >= o.lo && now < o.hi {
		o.ranges = append(o.ranges, rankRange{to: c.now, weight: 1, changed: c, number: now})
	}
	o.peers.delta += c.now - c.old
}

// denseOf is the number, from 0 on, of the group of peers that begins at a position.
func (o *topNOutput) denseOf(start int64) int64 {
	p, _ := o.tree.at(start)
	if start >= o.part.end {
		return o.part.tops - o.part.heads
	}
	_, heads := o.tree.index(p)
	return heads - o.part.heads
}

// copies gives those of n copies of a row, numbered from number on, that are in the result.
func (o *topNOutput) copies(c *rankChange, number, n, weight int64) {
	from, to := max(number, o.lo), min(number+n, o.hi)
	if from < to {
		o.ranges = append(o.ranges, rankRange{to: to - from, weight: weight, changed: c, number: from})
	}
}

// segment gives what the shift has changed between the last segment and a position.
func (o *topNOutput) segment(to int64) {
	from, s := o.part.seen, o.part.shift
	o.part.seen = max(to, from)
	if s == 0 || from >= to {
		return
	}
	lo, hi := o.bound(o.lo), o.bound(o.hi)
	wasLo, wasHi := o.bound(o.lo+s), o.bound(o.hi+s)
	push := func(a, b, weight, shift int64) {
		if a, b = max(a, from), min(b, to); a < b {
			o.ranges = append(o.ranges, rankRange{from: a, to: b, weight: weight, shift: shift})
		}
	}
	if o.number {
		push(wasLo, wasHi, -1, s)
		push(lo, hi, 1, 0)
		return
	}
	// Only what is in one of the two.
	push(wasLo, min(wasHi, lo), -1, s)
	push(max(wasLo, hi), wasHi, -1, s)
	push(lo, min(hi, wasLo), 1, 0)
	push(max(lo, wasHi), hi, 1, 0)
}

// bound is the position of the first row whose number, from 0 on, is at least n.
func (o *topNOutput) bound(n int64) int64 {
	p := &o.part
	if n <= 0 {
		return p.first
	}
	switch o.fn {
	case RowNumber:
		return min(p.first+n, p.end)
	case DenseRank:
		if n >= p.tops-p.heads {
			return p.end
		}
		at, _ := o.tree.index(o.tree.atHead(p.heads + n))
		return at
	}
	if n >= p.end-p.first {
		return p.end
	}
	at, _ := o.tree.at(p.first + n - 1)
	_, heads := o.tree.index(at.after())
	if heads >= p.tops {
		return p.end
	}
	end, _ := o.tree.index(o.tree.atHead(heads))
	return end
}

// read gives about n rows of the first range, and returns how many it read.
func (o *topNOutput) read(n int) int {
	r := &o.ranges[o.head]
	if r.changed != nil {
		_, _, row := o.keyOf(r.changed.ref)
		if !o.number || o.fn != RowNumber {
			o.push(row, r.to*r.weight, r.number)
			r.to = 0
		}
		work := int64(0)
		for ; work < r.to && work < int64(n); work++ {
			o.push(row, r.weight, r.number+work)
		}
		if r.to, r.number = r.to-work, r.number+work; r.to == 0 {
			o.popRange()
		}
		return int(work) + 1
	}
	work := 0
	for work < n {
		if !o.open {
			o.at, o.index = o.tree.at(r.from)
			o.open = true
		}
		if r.from >= r.to {
			o.popRange()
			break
		}
		e := o.at.entry()
		to := min(o.index+e.weight, r.to)
		if e.mark != o.mark { // a changed one is given by itself
			work += o.readEntry(r, e, to)
		} else {
			r.from = to
			work++
		}
		if r.from == o.index+e.weight {
			o.index += e.weight
			o.at = o.at.after()
		}
	}
	return work
}

// readEntry gives the copies of an entry up to position to.
func (o *topNOutput) readEntry(r *rankRange, e *orderEntry, to int64) int {
	row := rowPart(o.store.Get(e.ref))
	if o.number && o.fn == RowNumber {
		o.push(row, r.weight, r.from-o.part.first-r.shift)
		r.from++
		return 1
	}
	number := int64(0)
	if o.number {
		_, heads := o.tree.index(o.at.after())
		if number = heads - o.part.heads - 1; o.fn == Rank {
			number, _ = o.tree.index(o.tree.atHead(heads - 1))
			number -= o.part.first
		}
	}
	o.push(row, r.weight*(to-r.from), number-r.shift)
	r.from = to
	return 1
}

func (o *topNOutput) popRange() {
	o.open = false
	if o.head++; o.head == len(o.ranges) {
		o.ranges, o.head = o.ranges[:0], 0
	}
}

// push adds a row to the output. number is from 0 on.
func (o *topNOutput) push(row []byte, weight, number int64) {
	if weight == 0 {
		return
	}
	o.rows, o.weights, o.numbers = append(o.rows, row), append(o.weights, weight), append(o.numbers, number+1)
}

// flush emits the rows that were pushed.
func (o *topNOutput) flush(emit func(*batch.Chunk)) {
	if len(o.rows) == 0 {
		return
	}
	c := batch.New(o.out, len(o.rows))
	decodeOrdered(o.rows, c.Cols[:len(o.input)])
	if o.number {
		for _, n := range o.numbers {
			c.Cols[len(o.input)].AppendInt(n)
		}
	}
	c.N, c.Weights = len(o.rows), plain(append([]int64(nil), o.weights...))
	o.rows, o.weights, o.numbers = o.rows[:0], o.weights[:0], o.numbers[:0]
	emit(c)
}

// trimOne drops the last row of the partition that was worked on, if it is beyond the result.
func (o *topNOutput) trimOne() int {
	p := &o.part
	end := o.tree.seek(p.group+1, nil)
	p.end, p.tops = o.tree.index(end)
	last := o.tree.prior(end)
	if last == nil || last.group != p.group || p.end-last.weight < o.bound(o.hi) {
		o.trim = false
		return 1
	}
	at, _ := o.tree.at(p.end - 1)
	o.drop(at)
	return 1
}
