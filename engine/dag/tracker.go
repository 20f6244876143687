package dag

import (
	"math/rand/v2"
	"sync"
)

// Tracker knows when a batch is complete, by the XOR of random tokens: each
// end-of-batch message on an edge carries one, which goes in when the message
// is sent and out when its receiver has finished the batch. At zero, nothing is
// on the way (Storm's acker, at one control message per batch and edge instead
// of one per row). A false zero has a chance of 2⁻⁶⁴ per batch.
type Tracker struct {
	mu   sync.Mutex
	sums map[uint64]uint64 // batch id → XOR of the tokens on the way
	done func(batchID uint64)
}

// NewTracker makes a tracker that calls done, outside its lock, for each batch
// that becomes complete.
func NewTracker(done func(batchID uint64)) *Tracker {
	return &Tracker{sums: map[uint64]uint64{}, done: done}
}

// NewToken draws a token.
func NewToken() uint64 {
	for {
		if t := rand.Uint64(); t != 0 {
			return t
		}
	}
}

// Apply takes in what one task (or the coordinator, at the start) received and
// sent for a batch: the XOR of all these tokens at once.
func (t *Tracker) Apply(batchID, tokens uint64) {
	t.mu.Lock()
	sum := t.sums[batchID] ^ tokens
	if sum == 0 {
		delete(t.sums, batchID)
	} else {
		t.sums[batchID] = sum
	}
	t.mu.Unlock()
	if sum == 0 {
		t.done(batchID)
	}
}

// Open lists how many batches are on the way.
func (t *Tracker) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.sums)
}
