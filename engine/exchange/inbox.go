// Package exchange carries chunks between the tasks of one process: a queue for
// each edge (producer → consumer), pointers only, bounded by credit.
package exchange

import (
	"sync"

	"streamsql/operators/batch"
)

// Credit is how many rows may wait on one edge before its producer pauses. It
// is counted per edge: an edge that is ahead by a batch must not hold back the
// edge that its consumer waits for.
const Credit = 64 * 1024

// Message is one item of an edge: a chunk, rows still to be made, or the end of a batch.
type Message struct {
	Batch uint64
	Info  any // what the tasks know of the batch; the same pointer in all its messages
	Chunk *batch.Chunk
	// Loan, with Chunk, has its memory. Who takes the message may Return it once nobody
	// holds the chunk any more.
	Loan *batch.Loan
	// Rows, if set, makes the next chunk of at most max rows, nil at the end. It
	// runs on a worker and must not block.
	Rows func(max int) *batch.Chunk
	// Reuse, with Rows, may be called before the next Rows, if nobody holds the chunk
	// that Rows gave last any more: its memory may be used again.
	Reuse func()
	End   bool
	Token uint64 // with End
}

// Inbox holds the edges into one task. Messages of one edge stay in order.
type Inbox struct {
	mu    sync.Mutex
	edges []edge
	ready func() // called, outside the lock, when something arrives
}

type edge struct {
	queue   []Message
	head    int
	rows    int
	waiting []func() // to call when there is credit again
}

// NewInbox makes an inbox with n edges; ready is called when a message arrives.
func NewInbox(n int, ready func()) *Inbox {
	return &Inbox{edges: make([]edge, n), ready: ready}
}

// Send appends m to an edge. It never blocks: a producer asks HasCredit before it works.
func (in *Inbox) Send(e int, m Message) {
	in.mu.Lock()
	q := &in.edges[e]
	q.queue = append(q.queue, m)
	if m.Chunk != nil {
		q.rows += m.Chunk.N
	}
	in.mu.Unlock()
	in.ready()
}

// HasCredit reports whether the producer of an edge may go on. If not, wake is
// called once there is credit.
func (in *Inbox) HasCredit(e int, wake func()) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	q := &in.edges[e]
	if q.rows < Credit {
		return true
	}
	q.waiting = append(q.waiting, wake)
	return false
}

// Peek returns the first message of an edge without taking it.
func (in *Inbox) Peek(e int) (Message, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	q := &in.edges[e]
	if q.head == len(q.queue) {
		return Message{}, false
	}
	return q.queue[q.head], true
}

// Take removes and returns the first message of an edge if it belongs to batchID.
func (in *Inbox) Take(e int, batchID uint64) (Message, bool) {
	in.mu.Lock()
	q := &in.edges[e]
	if q.head == len(q.queue) || q.queue[q.head].Batch != batchID {
		in.mu.Unlock()
		return Message{}, false
	}
	m := q.queue[q.head]
	q.queue[q.head] = Message{}
	if q.head++; q.head == len(q.queue) {
		q.queue, q.head = q.queue[:0], 0
	}
	var wake []func()
	if m.Chunk != nil {
		if q.rows -= m.Chunk.N; q.rows < Credit/2 && len(q.waiting) > 0 {
			wake, q.waiting = q.waiting, nil
		}
	}
	in.mu.Unlock()
	for _, f := range wake {
		f()
	}
	return m, true
}
