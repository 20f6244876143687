package operators

import (
	"bytes"
	"sort"
)

// reach says which rows of a partition a change may give other results. Each
// function has one or several; a row that is reached needlessly is computed in
// vain, one that is not reached stays wrong. With the changes in order, the runs
// of rows that they reach begin one after the other.
//
//	reachRows   rows whose frame, or what lies between it and them, has the change
//	reachShift  what comes behind, while more or fewer rows come before than did
//	reachRank   the same, by groups of peers: rows before the group
//	reachDense  the same: groups before
//	reachPeers  the peers of the changed row
//	reachKeys   rows whose RANGE has the key of the changed row
//	reachNet    rows whose frame has changes that do not cancel out (see netChanges)
//	reachBest   rows whose frame has the change, but no better value (see bestChanges)
//	reachGroups rows whose GROUPS frame has it
//	reachFirst  all rows, if the change is among the first n
//	reachLast   all rows, if the change is the last
//	reachTiles  rows that are in another one of n tiles than before
//	reachSize   all rows, if there are more or fewer than before
//	reachAll    all rows
type reach struct {
	kind          reachKind
	before, after int64 // rows or groups; unlimited: all
	frame         *frameOf
	n             int64
	// uniform: the functions, of these numbers, give all rows of a partition the same.
	uniform bool
	funcs   []int
	calls   []int // reachNet, reachBest: the aggregates, as the folder numbers them
}

type reachKind uint8

const (
	reachRows reachKind = iota
	reachShift
	reachRank
	reachDense
	reachPeers
	reachKeys
	reachNet
	reachBest
	reachGroups
	reachFirst
	reachLast
	reachTiles
	reachSize
	reachAll
)

// reaches are those of all functions: first those that give all rows the same, then
// the one of kind reachRows, which all changed rows themselves need.
func reaches(funcs []OverFunc, order []OrderKey) []*reach {
	rows := &reach{}
	uniform, list := []*reach(nil), []*reach{rows}
	calls := 0
	for k, f := range funcs {
		add := func(r *reach) {
			to := &list
			if r.uniform {
				to = &uniform
			}
			for _, have := range *to {
				if have.kind == r.kind && have.kind != reachBest && have.n == r.n && (r.frame == nil || have.frame.Frame == r.frame.Frame) {
					have.funcs, have.calls = append(have.funcs, k), append(have.calls, r.calls...)
					return
				}
			}
			r.funcs = []int{k}
			*to = append(*to, r)
		}
		if f.Func == WindowAggregate {
			totals(f, calls, order, rows, add)
			calls++
		} else {
			places(f, order, rows, add)
		}
	}
	return append(uniform, list...)
}

// places are the reaches of a function that is no aggregate.
func places(f OverFunc, order []OrderKey, rows *reach, add func(*reach)) {
	switch f.Func {
	case WindowRowNumber:
		add(&reach{kind: reachShift})
	case WindowRank:
		add(&reach{kind: reachRank})
	case WindowDenseRank:
		add(&reach{kind: reachDense})
	case WindowPercentRank:
		add(&reach{kind: reachSize})
		add(&reach{kind: reachRank})
	case WindowCumeDist:
		add(&reach{kind: reachSize})
		add(&reach{kind: reachRank})
		add(&reach{kind: reachPeers})
	case WindowNtile:
		add(&reach{kind: reachTiles, n: f.N})
	case WindowLag:
		rows.after = max(rows.after, f.N)
	case WindowLead:
		rows.before = max(rows.before, f.N)
	default:
		edges(f, order, rows, add)
	}
}

// distance is how far before and after a change rows lie whose bound of a ROWS or
// GROUPS frame it may move.
func (b Bound) distance() (before, after int64) {
	switch b.Kind {
	case UnboundedPreceding:
		return 0, unlimited
	case Preceding:
		return 0, b.N
	case Following:
		return b.N, 0
	case UnboundedFollowing:
		return unlimited, 0
	}
	return 0, 0
}

// widen makes r reach what moves b.
func (r *reach) widen(b Bound) {
	before, after := b.distance()
	r.before, r.after = max(r.before, before), max(r.after, after)
}

// contents: the function depends on all rows of its frame.
func contents(f Frame, order []OrderKey, rows *reach, add func(*reach)) {
	if f.Start.Kind == UnboundedPreceding && f.End.Kind == UnboundedFollowing {
		add(&reach{kind: reachAll, uniform: true})
		return
	}
	switch f.Unit {
	case FrameRows:
		rows.widen(f.Start)
		rows.widen(f.End)
	case FrameGroups:
		g := &reach{kind: reachGroups, frame: &frameOf{Frame: f}}
		g.widen(f.Start)
		g.widen(f.End)
		add(g)
	default:
		add(&reach{kind: reachKeys, frame: rangeOf(f, order)})
	}
}

func rangeOf(f Frame, order []OrderKey) *frameOf {
	return &frameOf{Frame: f, desc: len(order) == 1 && order[0].Desc}
}

// edges: the function depends on one row of its frame, and on whether it is there.
func edges(f OverFunc, order []OrderKey, rows *reach, add func(*reach)) {
	start, end := f.Frame.Start, f.Frame.End
	if f.Frame.Unit == FrameGroups || f.Frame.Unit == FrameRange && (start.Kind == Preceding || start.Kind == Following || end.Kind == Preceding || end.Kind == Following) {
		contents(f.Frame, order, rows, add)
		return
	}
	bound := func(b Bound) {
		switch {
		case b.Kind == UnboundedPreceding || b.Kind == UnboundedFollowing:
		case f.Frame.Unit == FrameRange:
			add(&reach{kind: reachPeers})
		default:
			rows.widen(b)
		}
	}
	bound(start)
	bound(end)
	switch {
	case f.Func == WindowLast && end.Kind == UnboundedFollowing:
		add(&reach{kind: reachLast, uniform: start.Kind <= CurrentRow})
	case f.Func == WindowLast:
	case start.Kind == UnboundedPreceding && f.Func == WindowFirst:
		add(&reach{kind: reachFirst, n: 1, uniform: end.Kind >= CurrentRow})
	case start.Kind == UnboundedPreceding:
		add(&reach{kind: reachFirst, n: f.N})
	case f.Func == WindowNth && f.Frame.Unit == FrameRange:
		add(&reach{kind: reachKeys, frame: rangeOf(Frame{Unit: FrameRange, Start: start, End: Bound{Kind: UnboundedFollowing}}, order)})
	case f.Func == WindowNth:
		before, after := start.distance()
		rows.after = max(rows.after, after)
		rows.before = max(rows.before, before+f.N)
	}
}

// reacher goes through the changes of a partition for one reach.
type reacher struct {
	*reach
	from  int64    // where rows are reached that come behind the last change
	shift int64    // rows or groups that come before it now, less those that did
	had   int64    // reachTiles, reachSize: rows of the partition before the batch
	much  bool     // reachNet, reachBest: much of the partition has changed
	moved int64    // reachTiles: shift of the rows that were reached last
	group struct { // reachDense: the peers of the last change
		some       bool
		order      []byte
		now, delta int64
	}
	net  netChanges
	best bestChanges
}

func newReacher(r *reach, f *folder) *reacher {
	made := &reacher{reach: r}
	switch r.kind {
	case reachNet:
		made.net.init(f, r.calls)
	case reachBest:
		made.best.init(f, r.calls[0])
	}
	return made
}

// begin goes to a partition, of which the changes from first on are, and then those
// of other partitions.
func (r *reacher) begin(p *overPart, changes *longList[rankChange], first int) {
	r.from, r.shift, r.had, r.group.some = 0, 0, p.n, false
	r.net.begin()
	r.best.begin()
	if r.kind != reachTiles && r.kind != reachSize && r.kind != reachNet && r.kind != reachBest {
		return
	}
	n := int64(0)
	for i := first; i < changes.len() && changes.at(i).group == p.group; i++ {
		c := changes.at(i)
		r.had -= c.now - c.old
		n++
	}
	r.much = n >= p.n/muchOf
}

// muchOf: of a partition of which that part or more has changed, all rows are looked
// at, rather than found out which.
const muchOf = 8

// change is what a change of a row reaches, at index at, with the given
// ORDER BY part, which may be written behind.
func (r *reacher) change(p *overPart, c *rankChange, at int64, order []byte) (lo, hi int64) {
	delta := c.now - c.old
	switch r.kind {
	case reachNet, reachBest:
		return r.gather(p, c, at, order)
	case reachRows:
		return at - min(r.before, at), at + 1 + min(r.after, p.n)
	case reachShift, reachTiles, reachRank, reachDense:
		return r.behind(p, at, delta, order)
	case reachPeers:
		return p.index(order), p.behind(order)
	case reachKeys:
		return r.keys(p, order)
	case reachGroups:
		d := p.tops
		if g := p.index(order); g < p.n {
			d = p.of(g).dense
		}
		return p.head(d - min(r.before, d)), p.head(d + 1 + min(r.after, p.tops))
	case reachFirst:
		if at >= r.n {
			return 0, 0
		}
	case reachLast:
		if at < p.n-1 {
			return 0, 0
		}
	case reachSize:
		if p.n == r.had {
			return 0, 0
		}
	}
	return 0, p.n
}

// gather is change for the kinds that put the changes together first.
func (r *reacher) gather(p *overPart, c *rankChange, at int64, order []byte) (lo, hi int64) {
	switch {
	case r.much:
		return 0, p.n
	case r.kind == reachNet:
		lo, hi = r.having(p, at, order)
		r.net.add(c, lo, hi)
	default:
		r.best.add(r, p, c, at, order)
	}
	return 0, 0
}

// behind is change for what comes behind: it gives the run before this change.
func (r *reacher) behind(p *overPart, at, delta int64, order []byte) (lo, hi int64) {
	lo, hi = r.from, at
	if r.kind == reachShift || r.kind == reachTiles {
		if !r.moves(p) {
			hi = lo
		}
		r.moved = r.shift
		r.shift += delta
		r.from = at
		return lo, hi
	}
	if r.group.some && !bytes.Equal(r.group.order, order) {
		r.leave()
	}
	hi = p.behind(order)
	if !r.group.some {
		r.group.some, r.group.delta = true, 0
		r.group.order = append(r.group.order[:0], order...)
		r.group.now = hi - p.index(order)
	}
	r.group.delta += delta
	r.from = hi
	if r.shift == 0 {
		lo = hi
	}
	return lo, hi
}

// leave counts the last group of peers into the shift.
func (r *reacher) leave() {
	r.group.some = false
	if r.kind == reachRank {
		r.shift += r.group.delta
		return
	}
	if r.group.now > 0 {
		r.shift++
	}
	if r.group.now-r.group.delta > 0 {
		r.shift--
	}
}

// end is what is reached behind the last change, or, of a kind that puts the changes
// together first, what is reached at all, run by run: more follow.
func (r *reacher) end(p *overPart) (lo, hi int64, more bool, err error) {
	switch r.kind {
	case reachNet:
		return r.net.next()
	case reachBest:
		lo, hi, more = r.best.next(r, p)
		return lo, hi, more, nil
	}
	if r.group.some {
		r.leave()
	}
	if !r.moves(p) {
		return 0, 0, false, nil
	}
	r.moved = r.shift
	return r.from, p.n, false, nil
}

// moves reports that rows behind the last change may have other results.
func (r *reacher) moves(p *overPart) bool {
	return r.shift != 0 || r.kind == reachTiles && p.n != r.had
}

// having are the rows whose frame has the changed row, at index at: but for a ROWS
// frame, one side of which is open, those that are nearer to it than the other bound.
func (r *reacher) having(p *overPart, at int64, order []byte) (lo, hi int64) {
	switch {
	case r.frame.Unit != FrameRows:
		return r.keys(p, order)
	case r.frame.Start.Kind == UnboundedPreceding:
		return at, p.n
	default:
		return 0, min(at+1, p.n)
	}
}

// keys finds the rows whose range has a key: their bounds grow with their index.
func (r *reacher) keys(p *overPart, order []byte) (lo, hi int64) {
	return r.bounded(p, r.frame.End, order, 0), r.bounded(p, r.frame.Start, order, 1)
}

// bounded is the first row whose bound b of a RANGE is not less than a key; from 1: greater.
func (r *reacher) bounded(p *overPart, b Bound, order []byte, from int) int64 {
	// compare is how the bound of row i stands to the key.
	compare := func(i int) int {
		pos, _ := p.tree.at(p.first + int64(i))
		stored := p.store.Get(pos.entry().ref)
		if b.Kind == CurrentRow {
			return bytes.Compare(orderPart(stored), order)
		}
		key, beyond := r.frame.boundKey(p.ranking, rowPart(stored), b)
		switch {
		case beyond && b.Kind == Preceding:
			return -1
		case beyond:
			return 1
		}
		return bytes.Compare(key, order)
	}
	switch b.Kind {
	case UnboundedPreceding:
		return p.n
	case UnboundedFollowing:
		return 0
	}
	return int64(sort.Search(int(p.n), func(i int) bool { return compare(i) >= from }))
}
