package cutlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"streamsql/engine/topic"
)

// Times of the writer.
const (
	deadline = 10 * time.Second // for one message
	pause    = 100 * time.Millisecond
)

// Log is the durable log of cuts. Append is for one goroutine at a time, the
// rest is safe for concurrent use.
type Log struct {
	stream topic.Stream
	run    uint64
	damage error

	mu      sync.Mutex
	wake    *sync.Cond
	queue   []pending
	closed  bool
	index   []message // what the stream holds, in order
	lastID  uint64    // last one handed to Append, or found at the start
	durable uint64    // last one on disk
	stop    context.CancelFunc
	ended   chan struct{}

	seq uint64 // of the last message; the writer's own
}

// pending is a record on its way.
type pending struct {
	id   uint64
	data []byte
	done chan error
}

// message is where the records first to last lie.
type message struct{ seq, first, last uint64 }

// Open opens the log of cuts and makes it if missing. It reads the log through:
// an error says that it does not verify.
func Open(ctx context.Context, s topic.Streams, name string) (*Log, error) {
	st, err := s.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	l := &Log{stream: st, run: rand.Uint64(), ended: make(chan struct{})}
	l.wake = sync.NewCond(&l.mu)
	if err := l.catchUp(ctx, false); errors.Is(err, topic.ErrLost) {
		l.damage = err
	} else if err != nil {
		return nil, err
	}
	l.lastID = l.durable
	run, stop := context.WithCancel(context.Background())
	l.stop = stop
	go l.write(run)
	return l, nil
}

// Damage returns nil, or an error (topic.ErrLost) that says that durable records
// are missing: those up to LastID can be read, and nothing can be appended.
func (l *Log) Damage() error { return l.damage }

// LastID returns the id of the last durable record, 0 if there is none.
func (l *Log) LastID() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.durable
}

// FirstID returns the id of the first record there is, 0 if none.
func (l *Log) FirstID() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.index) == 0 {
		return 0
	}
	return l.index[0].first
}

// Append queues r, whose id is greater than all before, and returns at once. The
// channel gets nil when r and all before it are on disk. A write that fails is
// tried again until it succeeds, so that cuts never have holes; an error comes
// only at Close or when somebody else writes the log (topic.ErrFenced).
func (l *Log) Append(r *Record) <-chan error {
	p := pending{id: r.ID, data: appendRecord(nil, r), done: make(chan error, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.damage != nil:
		p.done <- l.damage
	case l.closed:
		p.done <- topic.ErrClosed
	case r.ID <= l.lastID:
		p.done <- fmt.Errorf("cut %d after cut %d", r.ID, l.lastID)
	default:
		l.lastID = r.ID
		l.queue = append(l.queue, p)
		l.wake.Signal()
	}
	return p.done
}

// Read calls fn for each durable record from id fromID on, in order.
func (l *Log) Read(ctx context.Context, fromID uint64, fn func(*Record) error) error {
	l.mu.Lock()
	i := 0
	for i < len(l.index) && l.index[i].last < fromID {
		i++
	}
	want := append([]message(nil), l.index[i:]...)
	l.mu.Unlock()
	if len(want) == 0 {
		return nil
	}
	err := l.stream.Read(ctx, want[0].seq, want[len(want)-1].seq, func(seq uint64, data []byte) error {
		if seq != want[0].seq {
			return lost(want[0].seq)
		}
		want = want[1:]
		_, records, err := decodeMessage(seq, data)
		if err != nil {
			return err
		}
		for i := range records {
			if records[i].ID < fromID {
				continue
			}
			if err := fn(&records[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(want) > 0 {
		err = lost(want[0].seq)
	}
	return err
}

func lost(seq uint64) error {
	return &topic.LogError{Log: "cuts", Seq: seq, Err: topic.ErrLost}
}

// TrimBefore removes records below id, as far as whole messages of them go. The
// last message always stays, so that ids go on after a restart.
func (l *Log) TrimBefore(ctx context.Context, id uint64) error {
	l.mu.Lock()
	i := 0
	for i < len(l.index)-1 && l.index[i].last < id {
		i++
	}
	if i == 0 {
		l.mu.Unlock()
		return nil
	}
	seq := l.index[i].seq
	l.index = append([]message(nil), l.index[i:]...)
	l.mu.Unlock()
	return l.stream.Purge(ctx, seq)
}

// Close gives up what is not yet durable.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.wake.Signal()
	l.mu.Unlock()
	l.stop()
	<-l.ended
	return nil
}

// write is the writer: one message in flight; what queues up meanwhile goes
// into the next.
func (l *Log) write(ctx context.Context) {
	defer close(l.ended)
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.closed {
			l.wake.Wait()
		}
		n, size := 0, 0
		var records [][]byte
		for n < len(l.queue) && (n == 0 || size+len(l.queue[n].data) < maxMessage) {
			size += len(l.queue[n].data)
			records = append(records, l.queue[n].data)
			n++
		}
		closed := l.closed
		l.mu.Unlock()
		if closed {
			l.fail(topic.ErrClosed)
			return
		}
		if err := l.publish(ctx, records); err != nil {
			if errors.Is(err, topic.ErrFenced) {
				l.fail(err)
				return
			}
			slog.Warn("log of cuts: write failed, trying again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}
}

// publish writes the first records of the queue as one message. On an error it
// finds out first, at the next call, what became of them.
func (l *Log) publish(ctx context.Context, records [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	seq, err := l.stream.Publish(encodeMessage(l.seq+1, l.run, records), l.seq)(ctx)
	if err == nil && seq != l.seq+1 {
		err = topic.ErrConflict
	}
	if err == nil {
		l.mu.Lock()
		last := l.queue[len(records)-1].id
		l.landed(seq, l.queue[0].id, last)
		l.mu.Unlock()
		return nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return err // Close does not wait
	}
	again, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadline)
	defer cancel()
	if e := l.catchUp(again, true); e != nil {
		return errors.Join(err, e)
	}
	return err
}

// landed notes a message on disk and tells those who wait. l.mu is held.
func (l *Log) landed(seq, first, last uint64) {
	l.seq, l.durable = seq, last
	l.index = append(l.index, message{seq, first, last})
	n := 0
	for n < len(l.queue) && l.queue[n].id <= last {
		l.queue[n].done <- nil
		n++
	}
	l.queue = append([]pending(nil), l.queue[n:]...)
}

// catchUp takes in what the stream holds beyond l.seq. With ours set, anything
// that another run wrote is an error.
func (l *Log) catchUp(ctx context.Context, ours bool) error {
	first, last, tail := l.stream.Bounds(ctx)
	if tail != nil && !errors.Is(tail, topic.ErrLost) {
		return tail
	}
	if l.seq == 0 {
		l.seq = first - 1
	}
	err := l.stream.Read(ctx, l.seq+1, last, func(seq uint64, data []byte) error {
		if seq != l.seq+1 {
			return lost(l.seq + 1)
		}
		run, records, err := decodeMessage(seq, data)
		if err != nil {
			return err
		}
		if ours && run != l.run {
			return &topic.LogError{Log: "cuts", Seq: seq, Err: topic.ErrFenced}
		}
		if len(records) == 0 || records[0].ID <= l.durable {
			return corrupt(seq, "ids do not ascend")
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.landed(seq, records[0].ID, records[len(records)-1].ID)
		return nil
	})
	if err == nil && l.seq != last {
		err = lost(l.seq + 1)
	}
	if err == nil {
		err = tail
	}
	return err
}

// fail tells all who wait, and all who come later, that nothing more is written.
func (l *Log) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, p := range l.queue {
		p.done <- err
	}
	l.queue = nil
}
