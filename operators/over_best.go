package operators

import (
	"bytes"
	"cmp"
	"slices"
)

// bestChanges finds the rows whose MIN or MAX a partition's changes may alter. If a
// row's best value is another than before, one of the two is the value of a change in
// its frame, and no row that stays there has one that is as good. So of a change
// those rows are left that have it in their frame, but neither the nearest row
// before it nor the nearest behind it that is as good: a run of rows. What came as
// often as it went among peers is no change.
type bestChanges struct {
	folder *folder
	call   int
	order  []byte // of the peers that are put together
	peers  []bestChange
	values []byte
	runs   []rowRun
	sorted bool
	given  int
}

// bestChange is a row with the value values[from:to], at an index.
type bestChange struct {
	from, to int
	at, n    int64
}

// rowRun are the rows from lo to hi.
type rowRun struct{ lo, hi int64 }

func (b *bestChanges) init(f *folder, call int) { b.folder, b.call = f, call }

func (b *bestChanges) begin() {
	b.peers, b.values, b.runs, b.sorted, b.given = b.peers[:0], b.values[:0], b.runs[:0], false, 0
}

// add takes a change at an index in.
func (b *bestChanges) add(r *reacher, p *overPart, c *rankChange, at int64, order []byte) {
	if len(b.peers) > 0 && !bytes.Equal(order, b.order) {
		b.settle(r, p)
	}
	value := b.folder.value(b.call, rowPart(b.folder.store.Get(c.ref)))
	if value == nil {
		return
	}
	b.order = append(b.order[:0], order...)
	from := len(b.values)
	b.values = append(b.values, value...)
	b.peers = append(b.peers, bestChange{from, len(b.values), at, c.now - c.old})
}

// settle makes runs of the changes of peers.
func (b *bestChanges) settle(r *reacher, p *overPart) {
	value := func(c bestChange) []byte { return b.values[c.from:c.to] }
	slices.SortStableFunc(b.peers, func(x, y bestChange) int { return bytes.Compare(value(x), value(y)) })
	for i, j := 0, 0; i < len(b.peers); i = j {
		n := int64(0)
		for j = i; j < len(b.peers) && bytes.Equal(value(b.peers[i]), value(b.peers[j])); j++ {
			n += b.peers[j].n
		}
		first, last := b.peers[i].at, b.peers[j-1].at
		if n != 0 {
			b.push(b.reached(r, p, first, last, value(b.peers[i])))
		} else if r.frame.Unit == FrameRows {
			b.push(first, last+1)
		}
	}
	b.peers, b.values = b.peers[:0], b.values[:0]
}

func (b *bestChanges) push(lo, hi int64) {
	if lo < hi {
		b.runs = append(b.runs, rowRun{lo, hi})
	}
}

// reached are the rows that changes of a value at the indexes from first to last,
// with the ORDER BY part order, reach.
func (b *bestChanges) reached(r *reacher, p *overPart, first, last int64, value []byte) (lo, hi int64) {
	at := first
	if r.frame.Unit == FrameRows && r.frame.End.Kind == UnboundedFollowing {
		at = last
	}
	if lo, hi = r.having(p, at, b.order); lo >= hi {
		return 0, 0
	}
	before := b.folder.nearest(p, b.call, value, 0, at, true)
	if before >= 0 {
		lo = max(lo, r.beyond(p, before))
	}
	if lo >= hi {
		return 0, 0
	}
	if behind := b.folder.nearest(p, b.call, value, at, p.n, false); behind >= 0 {
		hi = min(hi, r.upTo(p, behind))
	}
	return lo, hi
}

// beyond is the first row whose frame begins behind row i, or one before it.
func (r *reacher) beyond(p *overPart, i int64) int64 {
	switch {
	case r.frame.Start.Kind == UnboundedPreceding:
		return p.n
	case r.frame.Unit == FrameRows && r.frame.Start.Kind == Following:
		return i + 1 - min(r.frame.Start.N, p.n)
	case r.frame.Unit == FrameRows:
		return i + 1
	}
	return r.bounded(p, r.frame.Start, p.orderOf(i), 1)
}

// upTo is the first row whose frame has row i or ends behind it, or one behind that.
func (r *reacher) upTo(p *overPart, i int64) int64 {
	switch {
	case r.frame.End.Kind == UnboundedFollowing:
		return 0
	case r.frame.Unit == FrameRows && r.frame.End.Kind == Preceding:
		return i + min(r.frame.End.N, p.n)
	case r.frame.Unit == FrameRows:
		return i
	}
	return r.bounded(p, r.frame.End, p.orderOf(i), 0)
}

// next is the next run of rows, in the order of where they begin.
func (b *bestChanges) next(r *reacher, p *overPart) (lo, hi int64, more bool) {
	if !b.sorted {
		b.settle(r, p)
		slices.SortFunc(b.runs, func(x, y rowRun) int { return cmp.Compare(x.lo, y.lo) })
		b.sorted = true
	}
	if b.given == len(b.runs) {
		return 0, 0, false
	}
	run := b.runs[b.given]
	b.given++
	return run.lo, run.hi, true
}

// nearest is the last (or the first) row of the partition, from row lo to hi, whose
// value is as good as the given one to aggregate call, and was so before the batch, or
// is better; −1: none, or none within reach. The folds of nodes say where not to look.
func (f *folder) nearest(p *overPart, call int, value []byte, lo, hi int64, last bool) int64 {
	s := search{folder: f, call: call, value: value, last: last, ties: mostTies}
	if at := s.below(f.tree.root, p.first+lo, p.first+hi); at >= 0 && s.ties >= 0 {
		return at - p.first
	}
	return -1
}

// mostTies is how many rows that came in this batch with just the value are passed
// over before the search is given up.
const mostTies = 256

type search struct {
	*folder
	call  int
	value []byte
	last  bool
	ties  int
}

// below searches the rows lo to hi of a node.
func (s *search) below(n *orderNode, lo, hi int64) int64 {
	if lo, hi = max(lo, 0), min(hi, n.weight); lo >= hi || n.fold != nil && s.compare(n.fold.best[s.call]) < 0 {
		return -1
	}
	if n.kids == nil { // each entry is one row
		for k := range hi - lo {
			i := lo + k
			if s.last {
				i = hi - 1 - k
			}
			if e := &n.rows[i]; s.holds(e) {
				return i
			}
		}
		return -1
	}
	for i := range n.kids {
		if s.last {
			i = len(n.kids) - 1 - i
		}
		first := int64(0)
		for _, k := range n.kids[:i] {
			first += k.weight
		}
		if at := s.below(n.kids[i], lo-first, hi-first); at >= 0 {
			return first + at
		}
	}
	return -1
}

// holds reports a row that is better than the value, or as good and from before the batch.
func (s *search) holds(e *orderEntry) bool {
	if s.ties < 0 {
		return true
	}
	d := s.compare(s.folder.value(s.call, rowPart(s.store.Get(e.ref))))
	if d == 0 && e.mark == s.ranking.mark {
		s.ties--
		return s.ties < 0
	}
	return d >= 0
}

// compare is how good a row's value is, beside the one that is searched for.
func (s *search) compare(value []byte) int {
	switch {
	case value == nil || value[0] == 0:
		return -1
	case s.calls[s.call].max:
		return bytes.Compare(value, s.value)
	}
	return bytes.Compare(s.value, value)
}
