// Package eventtime keeps the clock of one stream's event time: the watermarks
// of its partitions and of the whole. It is pure: the caller brings locks, the
// wall clock and what must survive.
package eventtime

import "math"

// None is a watermark that is not there yet: it lies before every other.
const None = int64(math.MinInt64)

// Never is a moment that does not come.
const Never = int64(math.MaxInt64)

// Clock is the event time of a stream. Watermarks are in the representation of
// its time column (microseconds), moments of the wall clock in microseconds
// since 1970 UTC.
//
// A block of rows passes twice. Stamp gives it its place in the order of the
// log: the partition's watermark before its first row. Take counts it into the
// cut that is being made; Advance ends that. Between the two the block holds the
// stream's watermark back, so that no window closes before a row that was
// stamped as in time for it.
type Clock struct {
	delay, timeout int64
	parts          []partition
	watermark      int64
	turned         bool // the set of idle partitions changed since the last Advance
}

// partition is one partition's time.
type partition struct {
	stamped int64 // watermark behind the last block that was stamped
	taken   int64 // behind the last block that was cut
	waiting int   // blocks that are stamped and not cut
	last    int64 // moment of the last cut with a row of it, or of its creation
	idle    bool  // as of the last cut
}

// New makes the clock of a stream without rows. timeout 0: partitions are never idle.
func New(partitions int, delay, timeout, created int64) *Clock {
	c := &Clock{delay: delay, timeout: timeout, parts: make([]partition, partitions), watermark: None}
	for i := range c.parts {
		c.parts[i] = partition{stamped: None, taken: None, last: created}
	}
	return c
}

// SetTimeout changes after how long a partition is idle; 0: it never is.
func (c *Clock) SetTimeout(timeout int64) { c.timeout = timeout }

// Stamp says what the next block of a partition begins with: the partition's
// watermark, and whether it adopted that while it was idle. high is the largest
// time of the block's rows, None if no row has one.
func (c *Clock) Stamp(part int, high int64) (before int64, woke bool) {
	p := c.at(part)
	if p.idle && p.waiting == 0 && c.watermark > p.stamped {
		p.stamped, woke = c.watermark, true
	}
	p.waiting++
	before = p.stamped
	p.stamped = max(before, c.behind(high))
	return before, woke
}

// Now is the watermark that the next row of a partition would see.
func (c *Clock) Now(part int) int64 {
	p := c.at(part)
	if p.idle && p.waiting == 0 {
		return max(p.stamped, c.watermark)
	}
	return p.stamped
}

// Unstamp takes a block back that could not be made durable.
func (c *Clock) Unstamp(part int) {
	p := c.at(part)
	if p.waiting--; p.waiting == 0 {
		p.stamped = p.taken
	}
}

// Take counts a block into the cut at moment now: before is its stamp.
func (c *Clock) Take(part int, before, high, now int64) {
	p := c.at(part)
	p.waiting = max(p.waiting-1, 0)
	p.taken = max(p.taken, before, c.behind(high))
	p.stamped = max(p.stamped, p.taken)
	c.turned = c.turned || p.idle
	p.last, p.idle = max(p.last, now), false
}

// Advance ends a cut at moment now: partitions fall idle, and the watermark moves
// as far as they let it; to the largest of all when none is awake any more, as the
// last one would if they fell idle one by one. moved: it did; turned: the set of idle
// partitions changed.
func (c *Clock) Advance(now int64) (moved, turned bool) {
	low, high, awake := Never, None, 0
	for i := range c.parts {
		p := &c.parts[i]
		if !p.idle && c.timeout > 0 && p.waiting == 0 && now-p.last >= c.timeout {
			p.idle, c.turned = true, true
		}
		high = max(high, p.taken)
		if !p.idle {
			awake++
			low = min(low, p.taken)
		} else if p.waiting > 0 {
			awake++
			low = min(low, max(p.taken, c.watermark)) // it woke with the watermark as it is
		}
	}
	if awake == 0 {
		low = high
	}
	if low > c.watermark {
		c.watermark, moved = low, true
	}
	turned, c.turned = c.turned, false
	return moved, turned
}

// Watermark is the stream's own as of the last cut, None before there is one.
func (c *Clock) Watermark() int64 { return c.watermark }

// IdleAt is the next moment at which a partition falls idle unless rows come.
func (c *Clock) IdleAt() int64 {
	next := Never
	for i := range c.parts {
		if p := &c.parts[i]; c.timeout > 0 && !p.idle && p.waiting == 0 {
			next = min(next, p.last+c.timeout)
		}
	}
	return next
}

// Idle lists the partitions that are idle.
func (c *Clock) Idle() []bool {
	idle := make([]bool, len(c.parts))
	for i := range c.parts {
		idle[i] = c.parts[i].idle
	}
	return idle
}

// Replay takes in what a cut that was recorded made of the clock: its watermark,
// and if that changed which partitions are idle (nil: as before).
func (c *Clock) Replay(watermark int64, idle []bool) {
	c.watermark = max(c.watermark, watermark)
	for i := range c.parts {
		if i < len(idle) {
			c.parts[i].idle = idle[i]
		}
	}
}

// Restamped takes in a block that was stamped before a restart and that no cut holds.
func (c *Clock) Restamped(part int, before, high int64) {
	p := c.at(part)
	p.waiting++
	p.stamped = max(p.stamped, before, c.behind(high))
}

func (c *Clock) behind(high int64) int64 {
	if high == None {
		return None
	}
	return high - c.delay
}

// at is a partition. A block may name one beyond those that the stream has now.
func (c *Clock) at(part int) *partition { return &c.parts[part%len(c.parts)] }

// State is a clock as of a cut, to be kept.
type State struct {
	Watermark int64       `json:"watermark"`
	Parts     []PartState `json:"parts"`
}

// PartState is one partition's part of a State.
type PartState struct {
	Watermark int64 `json:"watermark"`
	Last      int64 `json:"last"`
	Idle      bool  `json:"idle,omitempty"`
}

// State returns the clock as of the last cut.
func (c *Clock) State() State {
	s := State{Watermark: c.watermark}
	for i := range c.parts {
		p := &c.parts[i]
		s.Parts = append(s.Parts, PartState{p.taken, p.last, p.idle})
	}
	return s
}

// Restore sets a new clock to a state.
func (c *Clock) Restore(s State) {
	c.watermark = s.Watermark
	for i := range min(len(c.parts), len(s.Parts)) {
		p := s.Parts[i]
		c.parts[i] = partition{stamped: p.Watermark, taken: p.Watermark, last: p.Last, idle: p.Idle}
	}
}
