// Package fault stands between a log and its disk and does what disks do: slow
// fsyncs, refusals, answers that never come, and damaged files.
package fault

import (
	"context"
	"errors"
	"sync"
	"time"

	"streamsql/engine/topic"
)

// ErrInjected is the error of an injected failure.
var ErrInjected = errors.New("injected fault")

// Kind is what happens to a publish.
type Kind uint8

// The kinds of faults of a publish.
const (
	None   Kind = iota
	Refuse      // an error; nothing is written
	Lose        // written, but the answer is an error
	Hang        // written, but no answer comes before the caller's deadline
	Drop        // not written, and no answer comes
)

// Disk injects faults into the streams that it opens. Safe for concurrent use.
type Disk struct {
	streams topic.Streams

	mu    sync.Mutex
	plan  []Kind
	delay time.Duration
	gate  chan struct{}
	reads int // that fail

	synced int
}

// New makes a Disk without faults in front of s.
func New(s topic.Streams) *Disk { return &Disk{streams: s} }

// Next says what happens to the publishes to come, one by one.
func (d *Disk) Next(kinds ...Kind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.plan = append(d.plan, kinds...)
}

// Heal forgets what was planned by Next and did not happen yet.
func (d *Disk) Heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.plan = nil
}

// Delay makes every fsync take at least t longer.
func (d *Disk) Delay(t time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.delay = t
}

// Stall makes fsyncs wait until the function it returns is called.
func (d *Disk) Stall() (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	gate := make(chan struct{})
	d.gate = gate
	return func() {
		d.mu.Lock()
		d.gate = nil
		d.mu.Unlock()
		close(gate)
	}
}

// FailReads makes the next n reads fail.
func (d *Disk) FailReads(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads = n
}

// Synced returns how many messages were acknowledged by the disk so far.
func (d *Disk) Synced() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.synced
}

// Stream opens a stream of the underlying streams with the faults in front.
func (d *Disk) Stream(ctx context.Context, name string) (topic.Stream, error) {
	s, err := d.streams.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	return &stream{Stream: s, d: d}, nil
}

type stream struct {
	topic.Stream
	d *Disk
}

func (s *stream) Publish(data []byte, expect uint64) topic.Ack {
	s.d.mu.Lock()
	kind := None
	if len(s.d.plan) > 0 {
		kind, s.d.plan = s.d.plan[0], s.d.plan[1:]
	}
	delay, gate := s.d.delay, s.d.gate
	s.d.mu.Unlock()
	if kind == Refuse || kind == Drop {
		return func(ctx context.Context) (uint64, error) {
			if kind == Drop {
				<-ctx.Done()
			}
			return 0, ErrInjected
		}
	}
	ack := s.Stream.Publish(data, expect)
	return func(ctx context.Context) (uint64, error) {
		seq, err := ack(ctx)
		if err != nil {
			return 0, err
		}
		switch kind {
		case Hang:
			<-ctx.Done()
			return 0, ctx.Err()
		case Lose:
			return 0, ErrInjected
		}
		if err := wait(ctx, delay, gate); err != nil {
			return 0, err
		}
		s.d.mu.Lock()
		s.d.synced++
		s.d.mu.Unlock()
		return seq, nil
	}
}

// wait takes as long as a slow fsync does.
func wait(ctx context.Context, delay time.Duration, gate chan struct{}) error {
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *stream) Read(ctx context.Context, from, to uint64, fn func(uint64, []byte) error) error {
	s.d.mu.Lock()
	fail := s.d.reads > 0
	if fail {
		s.d.reads--
	}
	s.d.mu.Unlock()
	if fail {
		return ErrInjected
	}
	return s.Stream.Read(ctx, from, to, fn)
}
