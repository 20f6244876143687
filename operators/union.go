package operators

import "streamsql/operators/batch"

// Union is the bag union of its inputs: it passes every chunk on as it is.
type Union struct {
	open  int // inputs of the batch that are not closed
	n     int
	queue []*batch.Chunk
}

// NewUnion makes a union of n inputs.
func NewUnion(n int) *Union { return &Union{n: n} }

// Begin opens a batch.
func (u *Union) Begin(*Batch) { u.open = u.n }

// Push queues a chunk.
func (u *Union) Push(_ int, c *batch.Chunk) {
	if c.N > 0 {
		u.queue = append(u.queue, c)
	}
}

// CloseInput notes that an input has delivered everything.
func (u *Union) CloseInput(int) { u.open-- }

// Step passes chunks on. A chunk costs its rows, though nothing is done to them,
// so that a budget bounds what the receiver gets at a time.
func (u *Union) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for len(u.queue) > 0 {
		if budget <= 0 {
			return More, nil
		}
		c := u.queue[0]
		u.queue[0], u.queue = nil, u.queue[1:]
		budget -= c.N
		emit(c)
	}
	u.queue = nil
	return Done, nil
}

// String names the operator as EXPLAIN does.
func (u *Union) String() string { return "Union" }
