package operators

import (
	"math"
	"time"

	"streamsql/sql/types"
)

// bounds are those of a window.
type bounds struct{ start, end int64 }

// clock finds the windows of points of time on the clock of a column: its own
// for a DATETIME, the zone's for a TIMESTAMP, whose values are UTC.
//
// Windows of whole days go by the calendar: local midnight to local midnight, or noon to
// noon, be it 23 or 25 hours. Shorter ones all last as long as they say, but for those
// which a change of the clock would put out of step: they end there, and new
// ones begin.
type clock struct {
	spec     WindowSpec
	loc      *time.Location // nil: the column's own clock
	calendar bool           // windows of whole days in loc

	// The period without a change of the clock that the last time was in.
	from, to  int64
	offset    int64
	cut, ends bool        // it does not go on in step with the one before, the one after
	days      [8]localDay // what instants were found for, by chance of hash
}

type localDay struct {
	local, instant int64
	known          bool
}

func newClock(spec WindowSpec, loc *time.Location) *clock {
	c := &clock{spec: spec, loc: loc, from: math.MinInt64, to: math.MinInt64}
	if loc == nil || loc == time.UTC {
		c.loc, c.from, c.to = nil, math.MinInt64, math.MaxInt64
	}
	day := int64(types.Day)
	c.calendar = c.loc != nil && spec.Size%day == 0
	return c
}

// pane is a stretch of time, to exclusive, that is in the same windows from its
// beginning to its end. These stand in the order of their ends, the latest first.
type pane struct {
	from, to int64
	windows  []bounds
}

// find makes p the pane that t is in.
func (p *pane) find(c *clock, t int64) {
	p.windows = c.windows(p.windows[:0], t)
	p.from, p.to = c.around(t)
}

// open is how many of the windows, the first ones, are not over at a watermark.
func (p *pane) open(watermark int64) int {
	n := len(p.windows)
	for n > 0 && p.windows[n-1].end <= watermark {
		n--
	}
	return n
}

// around is the stretch of time that is in the same windows as t.
func (c *clock) around(t int64) (from, to int64) {
	if c.loc == nil {
		return c.localAround(t)
	}
	if t < c.from || t >= c.to {
		c.enter(t)
	}
	from, to = c.localAround(t + c.offset)
	return max(from-c.offset, c.from), min(to-c.offset, c.to)
}

// localAround is around on a clock that is never changed.
func (c *clock) localAround(t int64) (from, to int64) {
	s := &c.spec
	if s.Kind == Tumble {
		from = t - mod(t-s.Offset, s.Size)
		return from, from + s.Size
	}
	if s.Kind == Cumulate {
		start := t - mod(t-s.Offset, s.Size)
		from = t - mod(t-start, s.Slide)
		return from, min(from+s.Slide, start+s.Size)
	}
	from = t - mod(t-s.Offset, s.Slide)        // a window begins
	end := t - mod(t-s.Offset-s.Size, s.Slide) // a window ends
	return max(from, end), min(from, end) + s.Slide
}

// windows appends the bounds of the windows that t is in, the latest end first.
func (c *clock) windows(out []bounds, t int64) []bounds {
	if c.loc == nil {
		return c.local(out, t)
	}
	if t < c.from || t >= c.to {
		c.enter(t)
	}
	if c.calendar && c.spec.Kind == Hop {
		return c.hopsOnCalendar(out, t)
	}
	at := len(out)
	out = c.local(out, t+c.offset)
	if c.calendar {
		return c.onCalendar(out, at)
	}
	for i := range out[at:] {
		w := &out[at+i]
		w.start, w.end = w.start-c.offset, w.end-c.offset
		if c.cut {
			w.start = max(w.start, c.from)
		}
		if c.ends {
			w.end = min(w.end, c.to)
		}
	}
	return out
}

// local are the windows on a clock that is never changed.
func (c *clock) local(out []bounds, t int64) []bounds {
	s := &c.spec
	switch s.Kind {
	case Tumble:
		start := t - mod(t-s.Offset, s.Size)
		return append(out, bounds{start, start + s.Size})
	case Hop:
		for start := t - mod(t-s.Offset, s.Slide); start > t-s.Size; start -= s.Slide {
			out = append(out, bounds{start, start + s.Size})
		}
	case Cumulate:
		start := t - mod(t-s.Offset, s.Size)
		for end := start + s.Size - mod(s.Size, s.Slide); end > t; end -= s.Slide {
			out = append(out, bounds{start, end})
		}
	}
	return out
}

// mod is a modulo m, never negative.
func mod(a, m int64) int64 {
	if a %= m; a < 0 {
		a += m
	}
	return a
}

// onCalendar turns local bounds into instants. Bounds that a change of the clock
// makes equal are one window.
func (c *clock) onCalendar(out []bounds, at int) []bounds {
	kept := out[:at]
	for _, w := range out[at:] {
		w = bounds{c.instant(w.start), c.instant(w.end)}
		if n := len(kept); w.start < w.end && (n == at || kept[n-1] != w) {
			kept = append(kept, w)
		}
	}
	return kept
}

// hopsOnCalendar are the windows of whole days that t is in. Where the clock is put back
// t may be in one that begins later by the clock, so those around are looked at too.
func (c *clock) hopsOnCalendar(out []bounds, t int64) []bounds {
	const most = 3 * types.Hour // that a clock is put forward or back
	s, at := &c.spec, len(out)
	first := t + c.offset + most
	for start := first - mod(first-s.Offset, s.Slide); start > t+c.offset-s.Size-most; start -= s.Slide {
		w := bounds{c.instant(start), c.instant(start + s.Size)}
		if n := len(out); w.start <= t && t < w.end && (n == at || out[n-1] != w) {
			out = append(out, w)
		}
	}
	return out
}

// enter finds the period that t is in.
func (c *clock) enter(t int64) {
	c.from, c.to, c.offset = period(t, c.loc)
	step := c.spec.Slide
	if c.spec.Kind == Cumulate {
		step = c.spec.Size
	}
	if c.from != math.MinInt64 {
		_, _, before := period(c.from-1, c.loc)
		c.cut = (c.offset-before)%step != 0
	}
	if c.to != math.MaxInt64 {
		_, _, after := period(c.to, c.loc)
		c.ends = (after-c.offset)%step != 0
	}
}

// period is the time around t in which loc's clock is not changed, and by how
// much it is ahead of UTC then.
func period(t int64, loc *time.Location) (from, to, offset int64) {
	at := time.UnixMicro(t).In(loc)
	_, seconds := at.Zone()
	from, to = math.MinInt64, math.MaxInt64
	start, end := at.ZoneBounds()
	if !start.IsZero() {
		from = start.UnixMicro()
	}
	if !end.IsZero() {
		to = end.UnixMicro()
	}
	return from, to, int64(seconds) * types.Second
}

// farthest is more than any clock is ahead of UTC.
const farthest = 26 * types.Hour

// instant is the first at which the local clock reads local, or has passed it.
func (c *clock) instant(local int64) int64 {
	d := &c.days[uint64(local/types.Second)*0x9E3779B97F4A7C15>>61]
	if d.known && d.local == local {
		return d.instant
	}
	from, to, offset := period(local-farthest, c.loc)
	for local-offset >= to {
		from, to, offset = period(to, c.loc)
	}
	*d = localDay{local, max(local-offset, from), true}
	return d.instant
}
