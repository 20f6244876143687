package bench

import "slices"

// stateless are the queries that look at one bid at a time.
var stateless = []int{0, 1, 2, 10, 14, 21, 22}

// perCore is how many million events a second a core should take of each query; of
// those that are not named, the last.
func perCore(q int) float64 {
	switch q {
	case 3:
		return 2
	case 4, 5, 8:
		return 1
	case 7:
		return 1.5
	case 9:
		return 0.5
	}
	if slices.Contains(stateless, q) {
		return 3
	}
	return 0.2
}

// sparing are the queries that should allocate at most allocation bytes an event.
var sparing = []int{1, 2, 4, 5, 7}

const (
	allocation = 16
	maxRSS     = 8 << 10 // MiB
)

// figures are those of a timed run.
func (t *timed) figures(r *Result, c nexmarkCase) {
	events, rows := float64(t.events), float64(t.rows)
	own := (t.used.CPU - t.generator).Seconds()
	r.add("events", "M", events/1e6)
	r.add("time", "s", t.took.Seconds())
	r.more("events/s", "M", events/1e6/t.took.Seconds())
	r.more("rows/s", "M", rows/1e6/t.took.Seconds())
	if core := r.more("events/s/core", "M", events/1e6/own); c.lane != "c" {
		core.atLeast(perCore(c.query))
	}
	r.less("cpu", "s/M", own/events*1e6)
	r.add("generator", "s/M", t.generator.Seconds()/events*1e6)
	alloc := r.less("alloc", "B/ev", float64(t.used.Allocated)/events)
	if c.lane != "c" && slices.Contains(sparing, c.query) {
		alloc.atMost(allocation)
	}
	r.less("RSS", "MiB", float64(t.used.PeakRSS)/(1<<20)).atMost(maxRSS)
	r.less("state", "MiB", float64(t.memory)/(1<<20))
	r.less("disk", "MiB", float64(t.disk)/(1<<20))
	r.less("restart", "s", t.restart.Seconds())
	r.Notes = append(r.Notes, t.verified)
	if t.note != "" {
		r.Notes = append(r.Notes, t.note)
	}
}
