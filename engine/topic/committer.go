package topic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"
)

// overlapFrom is how many bytes must wait before a second message goes out
// while the first is in flight. Small ones wait: they share the next fsync.
const overlapFrom = 256 << 10

// request is one Append under way.
type request struct {
	tx      Tx
	data    []byte // the encoded blocks
	taken   bool   // by the committer
	stamped bool
	seq     uint64
	err     error
	done    chan struct{}
}

// flight is a message that was published and not yet acknowledged.
type flight struct {
	reqs    []*request
	buf     []byte
	seq     uint64
	nonce   uint64
	ack     Ack
	expires time.Time
}

// committer turns requests into messages: one goroutine, which collects what
// comes while a message is in flight into the next.
type committer struct {
	log      *Log
	deadline time.Duration

	mu     sync.Mutex
	wake   *sync.Cond
	queue  []*request
	closed bool
	ended  chan struct{}

	// Of the goroutine alone:
	sent    uint64 // sequence of the last message published
	nonce   uint64
	flights []*flight
	spare   [][]byte
	fenced  error
	resync  bool // the end of the log is not known
}

func (c *committer) start(l *Log) {
	c.log = l
	c.deadline = publishDeadline
	c.wake = sync.NewCond(&c.mu)
	c.ended = make(chan struct{})
	c.sent = l.last.Load()
	go c.run()
}

func (c *committer) stop() {
	c.mu.Lock()
	c.closed = true
	c.wake.Signal()
	c.mu.Unlock()
	<-c.ended
}

// submit queues r and waits for its outcome.
func (c *committer) submit(ctx context.Context, r *request) (uint64, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return 0, &LogError{c.log.name, c.log.LastSeq(), ErrClosed}
	}
	c.queue = append(c.queue, r)
	c.wake.Signal()
	c.mu.Unlock()
	select {
	case <-r.done:
		return r.seq, r.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.taken {
		return 0, &LogError{c.log.name, c.log.LastSeq(), fmt.Errorf("%w: %w", ErrUnknown, ctx.Err())}
	}
	for i, q := range c.queue {
		if q == r {
			c.queue = append(c.queue[:i], c.queue[i+1:]...)
			break
		}
	}
	return 0, ctx.Err()
}

func (c *committer) run() {
	defer close(c.ended)
	for {
		reqs := c.take()
		switch {
		case reqs != nil:
			c.send(reqs)
		case len(c.flights) > 0:
			c.settle()
			runtime.Gosched() // the writers just told may have more to say: into the next message
		default:
			return
		}
	}
}

// take returns the requests for the next message: nil if a message in flight is
// to be waited for first, or if the log is closed and nothing is left.
func (c *committer) take() []*request {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 && len(c.flights) == 0 && !c.closed {
		c.wake.Wait()
	}
	if len(c.queue) == 0 || len(c.flights) >= 2 {
		return nil
	}
	n, size := 0, groupHeader+8+crcSize
	for n < len(c.queue) {
		s := txHeader + len(c.queue[n].data)
		if n > 0 && size+s > maxGroup {
			break
		}
		size += s
		n++
	}
	if len(c.flights) > 0 && (size < overlapFrom || size > maxGroup) {
		return nil
	}
	reqs := append([]*request(nil), c.queue[:n]...)
	clear(c.queue[:n])
	c.queue = c.queue[n:]
	for _, r := range reqs {
		r.taken = true
	}
	return reqs
}

// send publishes one message with all of reqs, or, if they are a single large
// transaction, one message for each part.
func (c *committer) send(reqs []*request) {
	if err := c.ready(); err != nil {
		c.finish(reqs, 0, err)
		return
	}
	for _, r := range reqs {
		c.stampAll(r)
	}
	r := reqs[0]
	if groupHeader+8+txHeader+len(r.data)+crcSize > maxGroup {
		n := (len(r.data) + partSize - 1) / partSize
		for k := range n {
			var last []*request
			if k == n-1 {
				last = reqs
			}
			seq, nonce := c.number()
			c.launch(&flight{reqs: last, seq: seq, nonce: nonce, buf: appendPart(c.buffer(), seq, c.log.run, nonce, r, k, n)})
			if last == nil {
				if err := c.settlePart(); err != nil {
					c.finish(reqs, 0, err)
					return
				}
			}
		}
		return
	}
	seq, nonce := c.number()
	c.launch(&flight{reqs: reqs, seq: seq, nonce: nonce, buf: appendWhole(c.buffer(), seq, c.log.run, nonce, reqs)})
}

// ready makes sure that the end of the log is known.
func (c *committer) ready() error {
	if c.fenced == nil && c.resync {
		if err := c.catchUp(nil); err != nil {
			return err
		}
	}
	return c.fenced
}

func (c *committer) number() (seq, nonce uint64) {
	c.nonce++
	return c.sent + 1, c.nonce
}

func (c *committer) buffer() []byte {
	if n := len(c.spare); n > 0 {
		b := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return b[:0]
	}
	return nil
}

func (c *committer) launch(f *flight) {
	f.expires = time.Now().Add(c.deadline)
	f.ack = c.log.stream.Publish(f.buf, f.seq-1)
	c.sent = f.seq
	c.flights = append(c.flights, f)
}

// land waits for the oldest message in flight.
func (c *committer) land() (*flight, error) {
	f := c.flights[0]
	c.flights = append(c.flights[:0], c.flights[1:]...)
	ctx, cancel := context.WithDeadline(context.Background(), f.expires)
	defer cancel()
	seq, err := f.ack(ctx)
	if err == nil && seq != f.seq {
		err = fmt.Errorf("%w: acknowledged as %d, expected %d", ErrCorrupt, seq, f.seq)
	}
	if err == nil && cap(f.buf) <= 1<<20 {
		c.spare = append(c.spare, f.buf) // only then the transport is done with it
	}
	return f, err
}

// settle completes the oldest message in flight.
func (c *committer) settle() {
	f, err := c.land()
	if err != nil {
		c.failed(f, err)
		return
	}
	c.deliver(f.seq, txsOf(f.reqs))
	c.finish(f.reqs, f.seq, nil)
}

// settlePart waits for a part of a large transaction, which is alone in flight.
func (c *committer) settlePart() error {
	f, err := c.land()
	if err == nil {
		c.log.last.Store(f.seq)
		return nil
	}
	c.resync = true
	return &LogError{c.log.name, f.seq, fmt.Errorf("the transaction was given up: %w", err)}
}

func txsOf(reqs []*request) []Tx {
	txs := make([]Tx, len(reqs))
	for i, r := range reqs {
		txs[i] = r.tx
	}
	return txs
}

// failed deals with a publish that was refused or not answered: it finds out
// what became of all that was in flight. A message that is there counts as
// usual; one that was certainly refused goes out again; of any other the
// outcome is unknown.
func (c *committer) failed(f *flight, err error) {
	type fate struct {
		*flight
		err error
	}
	fates := []fate{{f, err}}
	for len(c.flights) > 0 {
		g, err := c.land()
		fates = append(fates, fate{g, err})
	}
	landed := map[uint64]*flight{}
	for _, x := range fates {
		landed[x.nonce] = x.flight
	}
	slog.Warn("commit log: publish failed", "log", c.log.name, "sequence", f.seq, "error", err)
	c.resync = true
	syncErr := c.catchUp(landed)
	var again []*request
	for _, x := range fates {
		if x.flight.reqs == nil || landed[x.nonce] == nil {
			continue // done by catchUp
		}
		switch {
		case c.fenced != nil:
			c.finish(x.reqs, 0, c.fenced)
		case syncErr == nil && errors.Is(x.err, ErrConflict) && !c.split(x.reqs):
			again = append(again, x.reqs...)
		default:
			c.finish(x.reqs, 0, &LogError{c.log.name, x.seq, fmt.Errorf("%w: %w", ErrUnknown, x.err)})
		}
	}
	if len(again) > 0 {
		c.mu.Lock()
		c.queue = append(again, c.queue...)
		c.mu.Unlock()
	}
}

// split reports a transaction that takes several messages.
func (c *committer) split(reqs []*request) bool {
	return groupHeader+8+txHeader+len(reqs[0].data)+crcSize > maxGroup
}

// catchUp reads what the log holds beyond what was delivered and delivers it.
// Messages of ours that are among `flights` (by nonce) are completed and taken
// out of it.
func (c *committer) catchUp(flights map[uint64]*flight) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.deadline)
	defer cancel()
	l := c.log
	_, last, err := l.stream.Bounds(ctx)
	if err != nil {
		return &LogError{l.name, l.LastSeq(), fmt.Errorf("the log does not answer: %w", err)}
	}
	err = l.read(ctx, l.LastSeq()+1, last, func(seq uint64, m *message, txs []Tx) error {
		if m.run != l.run {
			c.fenced = &LogError{l.name, seq, ErrFenced}
			return c.fenced
		}
		f := flights[m.nonce]
		if f == nil {
			c.deliver(seq, txs)
			return nil
		}
		delete(flights, m.nonce)
		c.deliver(seq, txsOf(f.reqs))
		c.finish(f.reqs, seq, nil)
		return nil
	})
	if err != nil {
		return err
	}
	c.sent, c.resync = last, false
	return nil
}

// deliver tells the hooks of a durable group.
func (c *committer) deliver(seq uint64, txs []Tx) {
	if len(txs) > 0 {
		place(txs)
		g := &Group{Seq: seq, Txs: txs}
		for _, fn := range c.log.hooks {
			fn(seq, g)
		}
	}
	c.log.last.Store(seq)
}

func (c *committer) finish(reqs []*request, seq uint64, err error) {
	for _, r := range reqs {
		r.seq, r.err = seq, err
		close(r.done)
	}
}
