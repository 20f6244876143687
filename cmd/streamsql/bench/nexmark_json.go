package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"streamsql/cmd/streamsql/bench/nexmark"
	"streamsql/operators/connector"
	"streamsql/operators/connector/jsonl"
	source "streamsql/operators/connector/nexmark"
)

// Lane c: the events come as lines of JSON over HTTP, in order, from some clients at a
// time. So few events go at once that, however the requests overtake each other, no
// row is later than the streams' watermarks allow.
const (
	posters    = 2
	postEvents = 5000
)

// house makes the rows of the tables that a query reads.
type house struct {
	tables  []string
	sources map[string]connector.Source
	lines   map[string]*jsonl.Writer
	widths  map[string]int
}

func openHouse(tables []string, events int64) (*house, error) {
	h := &house{tables: tables, sources: map[string]connector.Source{}, lines: map[string]*jsonl.Writer{}, widths: map[string]int{}}
	kind := source.Kind()
	for _, t := range tables {
		values, err := kind.Check(map[string]string{"table": t, "events": fmt.Sprint(events), "partitions": "1"})
		if err != nil {
			return nil, err
		}
		var cols []connector.Column
		names := nexmark.Columns(t)
		for _, n := range names {
			for _, c := range kind.Columns {
				if c.Name == n {
					cols = append(cols, c)
				}
			}
		}
		if h.sources[t], err = kind.Source(cols, values); err != nil {
			return nil, err
		}
		h.lines[t], h.widths[t] = jsonl.New(names), len(cols)
	}
	return h, nil
}

// body is the rows of a table among events from one on, as lines of JSON.
func (h *house) body(ctx context.Context, table string, from, to int64) ([]byte, error) {
	want := make([]int, h.widths[table])
	for i := range want {
		want[i] = i
	}
	var out []byte
	at, end := connector.Offset(nexmark.Rows(table, from)), connector.Offset(nexmark.Rows(table, to))
	for at < end {
		c, next, err := h.sources[table].ReadRange(ctx, 0, at, end, want, nil)
		if err != nil {
			return nil, err
		}
		if next == at {
			return nil, fmt.Errorf("table %s ends at row %d, before row %d", table, at, end)
		}
		for i := range c.N {
			out = h.lines[table].Append(out, c.Cols, i)
		}
		at = next
	}
	return out, nil
}

// timedJSON is timedRun of lane c. The clients number their requests, so that one
// whose answer is lost when the server is killed can be sent again.
func (o *options) timedJSON(ctx context.Context, c nexmarkCase, events int64, kill bool) (*timed, error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return nil, err
	}
	defer n.stop()
	h, err := openHouse(nexmark.Tables(c.query), events)
	if err != nil {
		return nil, err
	}
	if err := n.makeStreams(ctx, ""); err != nil {
		return nil, err
	}
	if err := n.exec(ctx, c.define()); err != nil {
		return nil, err
	}
	before, err := n.usage(ctx)
	if err != nil {
		return nil, err
	}
	r := &run{options: o, node: n, of: c, timed: &timed{events: events, rows: c.rows(events)}}
	begin := time.Now()
	if err := r.post(ctx, h, kill, begin); err != nil {
		return nil, err
	}
	if err := n.exec(ctx, "FLUSH STREAMS WITH TIMEOUT 600"); err != nil {
		return nil, err
	}
	r.took = time.Since(begin)
	if r.last, err = n.at(ctx, c); err != nil {
		return nil, err
	}
	r.last.generator = 0 // the clients make the events
	if err := r.measure(ctx, begin, before); err != nil {
		return nil, err
	}
	r.verified, err = n.verify(ctx, c, events)
	return r.timed, err
}

// post sends all events, and kills the server halfway.
func (r *run) post(ctx context.Context, h *house, kill bool, begin time.Time) error {
	whole := ctx // of a profile, which may end after the last row
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var clients sync.WaitGroup
	for client := range posters {
		clients.Go(func() {
			for k := 1; ctx.Err() == nil; k++ {
				from := next.Add(postEvents) - postEvents
				to := min(from+postEvents, r.events)
				if from >= to {
					return
				}
				for _, t := range h.tables {
					body, err := h.body(ctx, t, from, to)
					if err == nil {
						err = r.node.postOnce(ctx, t, body, fmt.Sprintf("client-%d/%d", client, k))
					}
					if err != nil {
						cancel(err)
						return
					}
				}
				done.Add(r.of.rows(to) - r.of.rows(from))
			}
		})
	}
	ended := make(chan struct{})
	go func() { clients.Wait(); close(ended) }()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-tick.C:
		}
		if err := context.Cause(ctx); err != nil {
			clients.Wait()
			return err
		}
		if kill && (!running || done.Load() >= r.rows/2) {
			var err error
			if r.restart, err = r.node.restart(ctx); err != nil {
				return err
			}
			kill = false
			r.profile = r.node.profileFor(whole, r.options, r.of.name()+"-"+r.of.lane, profileSeconds)
		}
		share := float64(done.Load()) / float64(r.rows)
		r.options.progress.show("%s: %.1f of %.1f M events, %.2f M/s", r.of, share*float64(r.events)/1e6, float64(r.events)/1e6,
			share*float64(r.events)/1e6/time.Since(begin).Seconds())
	}
	return nil
}

// postWithin bounds how long a request is tried again.
const postWithin = time.Minute

// postOnce posts lines until they are stored, under a key by which that happens once.
func (n *node) postOnce(ctx context.Context, stream string, lines []byte, key string) error {
	for begin := time.Now(); ; {
		err := n.post(ctx, stream, lines, key)
		var refused *refusedError
		if err == nil || ctx.Err() != nil || errors.As(err, &refused) && !refused.later || time.Since(begin) > postWithin {
			return err
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
