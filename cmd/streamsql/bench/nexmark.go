package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"streamsql/cmd/streamsql/bench/nexmark"
	"streamsql/cmd/streamsql/settings"
)

// What a timed run has at least unless the flags say otherwise.
const (
	leastEvents = 30_000_000
	leastTime   = 30 * time.Second
	trialEvents = 5_000_000 // of the run that tells how many take so long
)

func nexmarkFlags(fs *settings.Flags, o *options) {
	fs.StringVar(&o.queries, "queries", "", "which `queries`, as q1,q5; empty: all but q12, whose result depends on when it runs")
	fs.StringVar(&o.lanes, "lane", "", "which `lanes`, as a or a,b; empty: b, and a where the result does not hold every event")
	fs.Int64Var(&o.events, "events", 0, "how many events a timed run has; 0: 30 million or more, so that it takes 30 s")
	fs.Int64Var(&o.rate, "rate", 0, "how many events come in a second; 0: as many as are taken")
}

// nexmarkCase is one query in one lane.
type nexmarkCase struct {
	query int
	lane  string
}

func (c nexmarkCase) String() string { return c.name() + " " + c.lane }

// name is that of the view or sink.
func (c nexmarkCase) name() string { return nexmark.Name(c.query) }

// cases are those that the flags ask for.
func (o *options) cases() ([]nexmarkCase, error) {
	var queries []int
	for name := range strings.SplitSeq(o.queries, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		q, err := strconv.Atoi(strings.TrimPrefix(name, "q"))
		if err != nil || q < 0 || q >= nexmark.Queries {
			return nil, fmt.Errorf("--queries: there is no query %q; there are q0 to q%d", name, nexmark.Queries-1)
		}
		queries = append(queries, q)
	}
	if o.queries == "" {
		for q := range nexmark.Queries {
			if q != nexmark.ByTime {
				queries = append(queries, q)
			}
		}
	}
	var out []nexmarkCase
	for _, q := range queries {
		lanes := strings.Split(strings.ReplaceAll(o.lanes, " ", ""), ",")
		if o.lanes == "" {
			if lanes = []string{"a", "b"}; slices.Contains(stateless, q) {
				lanes = []string{"b"}
			}
		}
		for _, l := range lanes {
			if l != "a" && l != "b" && l != "c" {
				return nil, fmt.Errorf("--lane: there is no lane %q; there are a, b and c", l)
			}
			out = append(out, nexmarkCase{q, l})
		}
	}
	return out, nil
}

// runNexmark checks and measures each case. One that goes wrong has no figures, and
// the others go on.
func runNexmark(ctx context.Context, o *options) ([]Result, error) {
	cases, err := o.cases()
	if err != nil {
		return nil, err
	}
	if err := o.checkSmall(ctx, cases); err != nil {
		return nil, err
	}
	var results []Result
	wrong := 0
	for _, c := range cases {
		r, err := o.nexmarkCase(ctx, c)
		if r.Name = c.String(); err != nil {
			r, wrong = Result{Name: c.String(), Wrong: err.Error()}, wrong+1
			o.progress.say("%s: FAILED: %v", c, err)
		}
		results = append(results, r)
		if ctx.Err() != nil {
			return results, context.Cause(ctx)
		}
	}
	if wrong > 0 {
		return results, fmt.Errorf("%d of %d measurements failed", wrong, len(cases))
	}
	return results, nil
}

// nexmarkCase measures one query in one lane: a run of the wanted length, then how
// fresh the result is at half its speed.
func (o *options) nexmarkCase(ctx context.Context, c nexmarkCase) (r Result, err error) {
	t, err := o.longRun(ctx, c)
	if err != nil {
		return r, err
	}
	t.figures(&r, c)
	if c.lane == "c" {
		return r, nil // how fresh rows are that are written, bench freshness says
	}
	half := max(int64(t.speed/2), 1)
	o.progress.say("%s: freshness at %d events/s", c, half)
	f, err := o.nexmarkFreshness(ctx, c, half)
	if err != nil {
		return r, err
	}
	r.less("p50", "ms", 1e3*f.p50.Seconds()).atMost(20)
	r.less("p99", "ms", 1e3*f.p99.Seconds()).atMost(100)
	return r, nil
}

// longRun is a timed run of as many events as the flags say, or else of leastEvents
// at least that takes leastTime. How many those are, a short run tells; what still
// goes too fast is run again, with more, or, where the state of so many would not fit
// into maxRSS, with its events by the clock.
func (o *options) longRun(ctx context.Context, c nexmarkCase) (*timed, error) {
	events := o.events
	if events == 0 {
		o.progress.say("%s: %s", c, nexmark.Title(c.query))
		t, err := o.timedRun(ctx, c, trialEvents, false)
		if err != nil {
			return nil, err
		}
		if events = longer(t.events, t.took); t.sizeAt(events) > maxRSS<<20 {
			events = leastEvents
		}
	}
	for {
		o.progress.say("%s: %s %d events", c, nexmark.Title(c.query), events)
		t, err := o.timedRun(ctx, c, events, true)
		if err != nil || o.events > 0 || t.took >= leastTime {
			return t, err
		}
		if events = longer(t.events, t.took); t.sizeAt(events) > maxRSS<<20 {
			return o.pacedRun(ctx, c, t)
		}
	}
}

// pacedRun is a run of as many events as fit into most of maxRSS, which come evenly over
// a little more than leastTime, after one without a pace, whose speed it has.
func (o *options) pacedRun(ctx context.Context, c nexmarkCase, free *timed) (*timed, error) {
	paced, events := *o, free.fitting(maxRSS<<20/10*9)
	paced.rate = int64(float64(events) / (1.1 * leastTime.Seconds()))
	o.progress.say("%s: %d events, %d a second", c, events, paced.rate)
	t, err := paced.timedRun(ctx, c, events, true)
	if err == nil {
		t.note = fmt.Sprintf("%.0f M events came by the clock, so that %v of them fit into memory; without, %.0f M took %.1f s", float64(t.events)/1e6, leastTime, float64(free.events)/1e6, free.took.Seconds())
		t.speed = free.speed
	}
	return t, err
}

// sizeAt is about how large the process would be after so many events.
func (t *timed) sizeAt(events int64) int64 {
	more := float64(events)/float64(t.events) - 1
	return int64(float64(t.used.PeakRSS) + more*t.growth())
}

// fitting is about how many events make the process so large: no fewer than there were.
func (t *timed) fitting(size int64) int64 {
	more := max(float64(size-t.used.PeakRSS)/max(t.growth(), 1), 0)
	return int64(float64(t.events) * (1 + more))
}

// growth is about how many bytes as many events again add: state, what of it is copied
// while it is written, and the files, which are mapped.
func (t *timed) growth() float64 { return 1.1*float64(t.memory) + float64(t.disk) }

// longer is how many events should take a little more than leastTime, where some took
// so long.
func longer(events int64, took time.Duration) int64 {
	return max(leastEvents, int64(1.25*leastTime.Seconds()*float64(events)/took.Seconds()))
}
