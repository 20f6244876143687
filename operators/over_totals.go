package operators

import "streamsql/sql/agg"

// totals are the reaches of an aggregate, number call of the folder. Where the frame
// is open at a side, or a range, many rows may have the change in it whose result
// stays: those are left out.
func totals(f OverFunc, call int, order []OrderKey, rows *reach, add func(*reach)) {
	frame := f.Frame
	open := func(b Bound) bool { return b.Kind == UnboundedPreceding || b.Kind == UnboundedFollowing }
	if frame.Unit == FrameGroups && (open(frame.Start) || frame.Start.Kind == CurrentRow) && (open(frame.End) || frame.End.Kind == CurrentRow) {
		frame.Unit = FrameRange // the same rows
	}
	best := f.Call.Keeping() == agg.End
	switch {
	case open(frame.Start) && open(frame.End),
		frame.Unit == FrameGroups,
		frame.Unit == FrameRows && !open(frame.Start) && !open(frame.End),
		best && !longFrame(frame):
		contents(frame, order, rows, add)
		return
	case frame.Unit == FrameRows && open(frame.Start):
		rows.widen(frame.End)
	case frame.Unit == FrameRows:
		rows.widen(frame.Start)
	}
	if best {
		add(&reach{kind: reachBest, frame: rangeOf(frame, order), calls: []int{call}})
	} else {
		add(&reach{kind: reachNet, frame: rangeOf(frame, order), calls: []int{call}})
	}
}

// netChanges finds the rows whose totals a partition's changes alter: with the rows
// that have a change in their frame from lo to hi, which grow from change to change,
// it goes along the rows, and knows of each the sum of the changes that it has. So
// a row that is replaced by one with the same values, or moved within the frame,
// reaches nothing behind it.
type netChanges struct {
	folder  *folder
	sum     *fold
	changes longList[netChange]
	entered int // of changes: those whose first row was passed
	left    int // those whose last row was
	at      int64
}

type netChange struct {
	*rankChange
	lo, hi int64
}

func (n *netChanges) init(f *folder, calls []int) {
	n.folder, n.sum = f, f.new()
	n.sum.calls = calls
}

func (n *netChanges) begin() {
	n.changes.clear()
	n.entered, n.left, n.at = 0, 0, 0
	if n.sum != nil {
		clear(n.sum.state)
	}
}

// add takes a change in that the rows from lo to hi have.
func (n *netChanges) add(c *rankChange, lo, hi int64) {
	if lo < hi {
		n.changes.push(netChange{c, lo, hi})
	}
}

// next goes to where the next change enters the frames or leaves them, and returns
// the rows up to there if their totals change.
func (n *netChanges) next() (lo, hi int64, more bool, err error) {
	if n.left == n.changes.len() {
		return 0, 0, false, nil
	}
	c, w, at := n.changes.at(n.left), int64(-1), int64(0)
	if at = c.hi; n.entered < n.changes.len() {
		if in := n.changes.at(n.entered); in.lo <= at {
			c, w, at = in, 1, in.lo
		}
	}
	if lo, hi = n.at, at; !n.some() {
		lo = hi
	}
	n.at = max(n.at, at)
	if w > 0 {
		n.entered++
	} else {
		n.left++
	}
	return lo, hi, true, n.folder.addOne(n.sum, c.ref, w*(c.now-c.old))
}

// some reports that the sum is not that of nothing, which is all zero.
func (n *netChanges) some() bool {
	for _, b := range n.sum.state {
		if b != 0 {
			return true
		}
	}
	return false
}
