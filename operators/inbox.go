package operators

import "streamsql/operators/batch"

// inbox queues what was pushed into an operator during a batch.
type inbox struct {
	queue []delivery
	head  int
	at    int // rows of the first chunk that are done
	open  int // inputs not closed
}

type delivery struct {
	in    int
	chunk *batch.Chunk
}

func (q *inbox) begin(inputs int) { q.open = inputs }

func (q *inbox) push(in int, c *batch.Chunk) {
	if c.N > 0 {
		q.queue = append(q.queue, delivery{in, c})
	}
}

func (q *inbox) close() { q.open-- }

// closed reports that everything of the batch was delivered and is done.
func (q *inbox) closed() bool { return q.open <= 0 && q.head == len(q.queue) }

// first returns the chunk to work on, and the row to go on from; nil: none is there.
func (q *inbox) first() (in int, c *batch.Chunk, at int) {
	if q.head == len(q.queue) {
		return 0, nil, 0
	}
	d := q.queue[q.head]
	return d.in, d.chunk, q.at
}

// done notes that n rows more of the first chunk are done, and reports whether
// the next row belongs to another chunk.
func (q *inbox) done(n int) bool {
	q.at += n
	if q.at < q.queue[q.head].chunk.N {
		return false
	}
	q.queue[q.head] = delivery{}
	q.head, q.at = q.head+1, 0
	if q.head == len(q.queue) {
		q.queue, q.head = q.queue[:0], 0
	}
	return true
}
