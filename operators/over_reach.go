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
}

type reachKind uint8

const (
	reachRows reachKind = iota
	reachShift
	reachRank
	reachDense
	reachPeers
	reachKeys
	reachGroups
	reachFirst
	reachLast
	reachTiles
	reachSize
	reachAll
)

// reaches are those of all functions. The one of kind reachRows, which all changed
// rows themselves need, comes first.
func reaches(funcs []OverFunc, order []OrderKey) []*reach {
	rows := &reach{}
	list := []*reach{rows}
	add := func(r *reach) {
		for _, have := range list {
			if have.kind == r.kind && have.n == r.n && (r.frame == nil || have.frame.Frame == r.frame.Frame) {
				return
			}
		}
		list = append(list, r)
	}
	for _, f := range funcs {
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
		case WindowAggregate:
			contents(f.Frame, order, rows, add)
		default:
			edges(f, order, rows, add)
		}
	}
	return list
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
		add(&reach{kind: reachAll})
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
		add(&reach{kind: reachLast})
	case f.Func == WindowLast:
	case start.Kind == UnboundedPreceding:
		add(&reach{kind: reachFirst, n: max(f.N, 1)})
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
	moved int64    // reachTiles: shift of the rows that were reached last
	group struct { // reachDense: the peers of the last change
		some       bool
		order      []byte
		now, delta int64
	}
}

// begin goes to a partition, of which the changes from first on are, and then those
// of other partitions.
func (r *reacher) begin(p *overPart, changes *longList[rankChange], first int) {
	r.from, r.shift, r.had, r.group.some = 0, 0, p.n, false
	if r.kind != reachTiles && r.kind != reachSize {
		return
	}
	for i := first; i < changes.len() && changes.at(i).group == p.group; i++ {
		c := changes.at(i)
		r.had -= c.now - c.old
	}
}

// change is what a change of delta rows reaches, at index at, with the given
// ORDER BY part, which may be written behind.
func (r *reacher) change(p *overPart, at, delta int64, order []byte) (lo, hi int64) {
	switch r.kind {
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

// end is what is reached behind the last change.
func (r *reacher) end(p *overPart) (lo, hi int64) {
	if r.group.some {
		r.leave()
	}
	if !r.moves(p) {
		return 0, 0
	}
	r.moved = r.shift
	return r.from, p.n
}

// moves reports that rows behind the last change may have other results.
func (r *reacher) moves(p *overPart) bool {
	return r.shift != 0 || r.kind == reachTiles && p.n != r.had
}

// keys finds the rows whose range has a key: their bounds grow with their index.
func (r *reacher) keys(p *overPart, order []byte) (lo, hi int64) {
	row := func(i int) (orderPartOf, columns []byte) {
		pos, _ := p.tree.at(p.first + int64(i))
		stored := p.store.Get(pos.entry().ref)
		return orderPart(stored), rowPart(stored)
	}
	// compare is how a bound of row i stands to the key.
	compare := func(i int, b Bound) int {
		switch b.Kind {
		case UnboundedPreceding:
			return -1
		case UnboundedFollowing:
			return 1
		}
		own, columns := row(i)
		if b.Kind == CurrentRow {
			return bytes.Compare(own, order)
		}
		key, beyond := r.frame.boundKey(p.ranking, columns, b)
		switch {
		case beyond && b.Kind == Preceding:
			return -1
		case beyond:
			return 1
		}
		return bytes.Compare(key, order)
	}
	n := int(p.n)
	lo = int64(sort.Search(n, func(i int) bool { return compare(i, r.frame.End) >= 0 }))
	hi = int64(sort.Search(n, func(i int) bool { return compare(i, r.frame.Start) > 0 }))
	return lo, hi
}
