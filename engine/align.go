package engine

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"streamsql/catalog"
	"streamsql/engine/eventtime"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/sql/vector"
)

// External streams with event time that one view reads, directly or through other
// views, are read side by side: a batch takes the rows of all their partitions up
// to one moment of event time. Read each as fast as it goes, the sparser streams
// would run far ahead of the denser ones, and joins and windows keep what they
// brought until the others get there. It is a matter of cost alone: which rows a
// batch holds never changes a result. A partition that has nothing at present
// holds nobody back.

// alignment lists the external streams with event time in groups: two are in one
// if some view depends on both. It is worked out anew when views or streams have
// come or gone. Engine.mu is held.
func (e *Engine) alignment() [][]*external {
	if e.aligned != nil {
		return e.aligned
	}
	e.aligned = [][]*external{}
	groupOf := map[*job]int{}
	for _, id := range slices.Sorted(maps.Keys(e.externals)) {
		x := e.externals[id]
		if x.table.EventTime == nil {
			continue
		}
		mine := len(e.aligned)
		e.aligned = append(e.aligned, []*external{x})
		var visit func(j *job)
		visit = func(j *job) {
			switch other, seen := groupOf[j]; {
			case !seen:
				groupOf[j] = mine
				for _, r := range j.readers {
					visit(r)
				}
			case other != mine:
				e.aligned[mine] = append(e.aligned[other], e.aligned[mine]...)
				e.aligned[other] = nil
				for k, g := range groupOf {
					if g == other {
						groupOf[k] = mine
					}
				}
			}
		}
		for _, j := range e.readers[id] {
			visit(j)
		}
	}
	e.aligned = slices.DeleteFunc(e.aligned, func(g []*external) bool { return g == nil })
	return e.aligned
}

// lookAhead looks at the times of what external streams with event time have for
// the next batch. The cutter does that without a lock: it may take time.
func (e *Engine) lookAhead() {
	for _, streams := range e.dueStreams() {
		e.lookAheadOf(streams)
		for _, x := range streams {
			x.release()
		}
	}
}

// dueStreams are the groups of streams of which some reader has room for a batch:
// then all of the group are read on, so that none falls behind the others. They are held.
func (e *Engine) dueStreams() (due [][]*external) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.holds > 0 || e.sourcesStopped {
		return nil
	}
	for _, streams := range e.alignment() {
		wanted := !slices.ContainsFunc(streams, e.resting) && slices.ContainsFunc(streams, func(x *external) bool { return e.wanted(x.table.ID) })
		for _, x := range streams {
			x.due = wanted
			if wanted {
				x.hold()
			}
		}
		if wanted {
			due = append(due, streams)
		}
	}
	return due
}

// ahead is how far a partition of an external stream with event time was looked
// at: a batch may take the rows before to, of which the largest time is high.
type ahead struct {
	to   uint64
	high int64
	end  bool // the partition ends there for ever
}

// lookRows is how many rows are looked at in one go.
const lookRows = 2048

// cursor looks ahead in one partition.
type cursor struct {
	x    *external
	part int
	top  uint64 // as far as it may go
	full bool   // at top it has as many rows as a batch takes
	to   uint64
	high int64 // largest time before to
	// The last piece begins at offset at, with these times; before is high before it.
	at     uint64
	piece  *batch.Chunk
	times  *vector.Vector
	before int64
}

// lookAheadOf looks at partitions that are read side by side. The one whose times
// are lowest is looked at next, until one is full; all others then go as far in
// event time as that one does.
func (e *Engine) lookAheadOf(streams []*external) {
	cursors := e.cursors(streams)
	limit := int64(math.MaxInt64)
	for {
		var low *cursor
		for _, c := range cursors {
			if c.to < c.top && (low == nil || c.high < low.high) {
				low = c
			}
		}
		if low == nil || low.high >= limit {
			break
		}
		if err := low.advance(e.ctx); err != nil {
			slog.Warn("a source cannot be read", "stream", low.x.table.Name, "partition", low.part, "error", err)
			low.top = low.to
			continue
		}
		if low.full && low.to == low.top && low.high != eventtime.None {
			limit = min(limit, low.high)
		}
	}
	for _, c := range cursors {
		c.trim(limit)
		a := &c.x.ahead[c.part]
		a.to, a.high = c.to, c.high
	}
}

// cursors are set on the partitions of streams that have rows. There are none as
// long as a batch has not taken what was looked at before.
func (e *Engine) cursors(streams []*external) (out []*cursor) {
	for _, x := range streams {
		for p, a := range x.ahead {
			if a.to > x.offsets[p] {
				return nil
			}
		}
	}
	now := time.Now()
	for _, x := range streams {
		for p, from := range x.offsets {
			latest, end, err := x.source.Latest(e.ctx, p, connector.Offset(from), now)
			if err != nil {
				slog.Warn("a source cannot say how far it is", "stream", x.table.Name, "partition", p, "error", err)
				continue
			}
			x.ahead[p] = ahead{from, eventtime.None, end && uint64(latest) <= from}
			if uint64(latest) > from {
				rows := min(uint64(latest)-from, externalBatchRows)
				out = append(out, &cursor{x: x, part: p, to: from, top: from + rows, full: rows == externalBatchRows, high: eventtime.None})
			}
		}
	}
	return out
}

// advance looks at the next piece.
func (c *cursor) advance(ctx context.Context) error {
	piece, next, err := c.x.times(ctx, c.part, c.to, min(c.top, c.to+lookRows), c.piece)
	if err != nil {
		return err
	}
	c.piece, c.times = piece, piece.Cols[c.x.table.EventTime.Column]
	c.at, c.before = c.to, c.high
	c.to, c.high = next, max(c.high, highest(c.times))
	return nil
}

// trim takes the rows back from the first one on whose time is beyond limit. It
// lies in the last piece: before that was looked at, the partition was behind.
func (c *cursor) trim(limit int64) {
	if c.high <= limit {
		return
	}
	c.to, c.high = c.at, c.before
	for i, t := range c.times.I[:c.times.N] {
		if !c.times.IsNull(i) {
			if t > limit {
				break
			}
			c.high = max(c.high, t)
		}
		c.to++
	}
}

// times reads the times of rows of a partition, at least one, into the memory of
// those read before.
func (x *external) times(ctx context.Context, part int, from, to uint64, spare *batch.Chunk) (*batch.Chunk, uint64, error) {
	column := x.table.EventTime.Column
	c, next, err := x.source.ReadRange(ctx, part, connector.Offset(from), connector.Offset(to), []int{column}, spare)
	if err != nil {
		return nil, from, err
	}
	if uint64(next) == from {
		return nil, from, fmt.Errorf("connector %s gives no rows at offset %d of partition %d", x.table.Options["connector"], from, part)
	}
	return c, uint64(next), nil
}

// highestOf is the largest time among rows of a partition.
func (x *external) highestOf(ctx context.Context, part int, from, to uint64) (int64, error) {
	high := eventtime.None
	var c *batch.Chunk
	for from < to {
		next := from
		var err error
		if c, next, err = x.times(ctx, part, from, to, c); err != nil {
			return high, err
		}
		high, from = max(high, highest(c.Cols[x.table.EventTime.Column])), next
	}
	return high, nil
}

// takeAhead takes what was looked at into a batch: it moves next on, and stamps each
// partition that has rows. Engine.mu is held.
func (e *Engine) takeAhead(id catalog.ID, x *external, next []uint64) (before []int64, taken []stamped, poll bool) {
	e.streams.Lock()
	defer e.streams.Unlock()
	s := e.streams.of[id]
	before = make([]int64, len(next))
	for p := range next {
		a := x.ahead[p]
		if before[p] = eventtime.None; a.to <= next[p] || s == nil {
			poll = poll || !a.end
			continue
		}
		next[p] = a.to
		before[p], _ = s.clock.Stamp(p, a.high)
		taken = append(taken, stamped{id, p, before[p], a.high})
	}
	return before, taken, poll
}
