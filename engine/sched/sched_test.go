package sched

import (
	"sync/atomic"
	"testing"
	"time"
)

// spinner uses CPU for ever.
type spinner struct {
	ticket Ticket
	stop   *atomic.Bool
}

func (s *spinner) Ticket() *Ticket { return &s.ticket }

func (s *spinner) Run(q *Quantum) bool {
	for !q.Over() {
		if s.stop.Load() {
			return false
		}
	}
	return !s.stop.Load()
}

// TestGroupsShareByWeight: ten jobs of one group get no more than one job of
// another of the same weight; a group of threefold weight gets threefold.
func TestGroupsShareByWeight(t *testing.T) {
	for _, x := range []struct {
		name         string
		weight, want float64
	}{{"equal", 1, 0.5}, {"threefold", 3, 0.75}} {
		t.Run(x.name, func(t *testing.T) {
			p := NewPool(1)
			defer p.Close()
			var stop atomic.Bool
			small, greedy := &Group{Name: "small", Weight: x.weight}, &Group{Name: "greedy", Weight: 1}
			one := &spinner{stop: &stop}
			one.ticket.Group = small
			p.Ready(one)
			for range 10 {
				s := &spinner{stop: &stop}
				s.ticket.Group = greedy
				p.Ready(s)
			}
			deadline := time.Now().Add(20 * time.Second)
			for small.CPU()+greedy.CPU() < 400*time.Millisecond && time.Now().Before(deadline) {
				time.Sleep(5 * time.Millisecond)
			}
			stop.Store(true)
			share := float64(small.CPU()) / float64(small.CPU()+greedy.CPU())
			if share < x.want-0.05 || share > x.want+0.05 {
				t.Errorf("the small group got %.3f of the CPU, want %.2f", share, x.want)
			}
		})
	}
}

// counter does one piece of work for each time it is made ready.
type counter struct {
	ticket     Ticket
	todo, done atomic.Int64
	inside     atomic.Int32
	t          *testing.T
}

func (c *counter) Ticket() *Ticket { return &c.ticket }

func (c *counter) Run(*Quantum) bool {
	if c.inside.Add(1) != 1 {
		c.t.Error("a runnable runs twice at a time")
	}
	defer c.inside.Add(-1)
	for c.done.Load() < c.todo.Load() {
		c.done.Add(1)
	}
	return false
}

// TestNoWakeUpIsLost: whatever is announced before Ready is seen by a later Run.
func TestNoWakeUpIsLost(t *testing.T) {
	p := NewPool(2)
	defer p.Close()
	c := &counter{t: t}
	c.ticket.Group = &Group{Name: "g", Weight: 1}
	for i := range int64(20_000) {
		c.todo.Store(i + 1)
		p.Ready(c)
	}
	deadline := time.Now().Add(10 * time.Second)
	for c.done.Load() < 20_000 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if n := c.done.Load(); n != 20_000 {
		t.Errorf("%d of 20000 wake-ups were seen", n)
	}
}
