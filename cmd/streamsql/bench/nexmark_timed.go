package bench

import (
	"context"
	"fmt"
	"time"

	"streamsql/cmd/streamsql/child"
)

// timed is what a timed run gave.
type timed struct {
	events    int64 // of the whole sequence, all three tables
	rows      int64 // of the tables that the query reads
	took      time.Duration
	used      child.Usage
	generator time.Duration // CPU that making the events took, a part of used.CPU
	restart   time.Duration // of the server that was killed, until it served again
	memory    int64         // of the query's state
	disk      int64         // of the checkpoints
	verified  string        // how the result was
	speed     float64       // events a second, of a run without a pace
	note      string        // what else is to be said of the run
}

// How often a run is looked at, and when it is given up.
const (
	lookEvery = 50 * time.Millisecond
	giveUpRSS = 14 << 30
	giveUp    = 30 * time.Minute
)

// timedRun runs a query over so many events, from the moment in which it is made
// until its result holds them all. Halfway the server is killed and started again,
// if kill is set; what that costs is part of the run. The result is verified.
func (o *options) timedRun(ctx context.Context, c nexmarkCase, events int64, kill bool) (*timed, error) {
	events = max(events/50, 1) * 50
	if c.lane == "c" {
		return o.timedJSON(ctx, c, events, kill)
	}
	n, err := startNode(ctx, o)
	if err != nil {
		return nil, err
	}
	defer n.stop()
	if err := n.makeStreams(ctx, fmt.Sprintf("connector = 'nexmark', table = '%%s', events = '%d', pace = '%d'", events, o.rate)); err != nil {
		return nil, err
	}
	before, err := n.usage(ctx)
	if err != nil {
		return nil, err
	}
	r := &run{options: o, node: n, of: c, timed: &timed{events: events, rows: c.rows(events)}, kill: kill}
	begin := time.Now()
	if err := n.exec(ctx, c.define()); err != nil {
		return nil, err
	}
	if err := r.follow(ctx, begin); err != nil {
		return nil, err
	}
	if err := r.measure(ctx, begin, before); err != nil {
		return nil, err
	}
	r.verified, err = n.verify(ctx, c, events)
	return r.timed, err
}

// run is a timed run under way.
type run struct {
	*timed
	options   *options
	node      *node
	of        nexmarkCase
	kill      bool // is still to be done
	profile   <-chan error
	generated time.Duration // by processes that are gone
	last      position
}

// follow waits for the end, and kills the server on the way.
func (r *run) follow(ctx context.Context, begin time.Time) error {
	for {
		p, err := r.node.at(ctx, r.of)
		if err != nil {
			return err
		}
		r.last = p
		done := p.read >= r.rows && p.behind == 0
		if done && !r.kill {
			break
		}
		if r.kill && (done || p.read >= r.rows/2) {
			r.generated += time.Duration(p.generator) * time.Microsecond
			if r.restart, err = r.node.restart(ctx); err != nil {
				return err
			}
			r.kill = false
			continue
		}
		if r.profile == nil && !r.kill {
			r.profile = r.node.profileFor(ctx, r.options, r.of.name()+"-"+r.of.lane, profileSeconds)
		}
		if err := r.look(ctx, begin); err != nil {
			return err
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	r.took = time.Since(begin)
	return nil
}

// profileSeconds is how much of the second half of a run a profile covers.
const profileSeconds = 5

// look tells how far the run is, and ends one that takes too much.
func (r *run) look(ctx context.Context, begin time.Time) error {
	took := time.Since(begin)
	done := float64(r.last.read) / float64(r.rows)
	u, err := r.node.usage(ctx)
	if err != nil {
		return err
	}
	r.options.progress.show("%s: %.1f of %.1f M events, %.2f M/s, RSS %d MiB", r.of,
		done*float64(r.events)/1e6, float64(r.events)/1e6, done*float64(r.events)/1e6/took.Seconds(), u.PeakRSS>>20)
	switch {
	case u.PeakRSS > giveUpRSS:
		return fmt.Errorf("given up after %.0f%% of the events: the server took %d MiB", 100*done, u.PeakRSS>>20)
	case took > giveUp:
		return fmt.Errorf("given up after %v at %.0f%% of the events", giveUp, 100*done)
	}
	return nil
}

// measure takes the figures at the end.
func (r *run) measure(ctx context.Context, begin time.Time, before child.Usage) error {
	after, err := r.node.usage(ctx)
	if err != nil {
		return err
	}
	r.used = after
	r.used.CPU, r.used.Allocated = after.CPU-before.CPU, after.Allocated-before.Allocated
	r.generator = r.generated + time.Duration(r.last.generator)*time.Microsecond
	r.memory = r.last.memory
	r.speed = float64(r.events) / r.took.Seconds()
	if r.profile != nil {
		if err := <-r.profile; err != nil {
			return fmt.Errorf("profile: %w", err)
		}
	}
	r.disk = r.node.diskSize("checkpoint")
	return nil
}
