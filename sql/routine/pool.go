package routine

import "sync"

// keptInstances is how many idle instances of a function are kept.
const keptInstances = 4

// Pool keeps instances of a function between calls. Open and Drop are set before
// its first use.
type Pool[T any] struct {
	Open func() (T, error) // makes an instance
	Drop func(T)           // frees one

	mu     sync.Mutex
	idle   []T
	closed bool
}

// Take gives an instance for one goroutine.
func (p *Pool[T]) Take() (T, error) {
	p.mu.Lock()
	if n := len(p.idle) - 1; n >= 0 {
		in := p.idle[n]
		p.idle = p.idle[:n]
		p.mu.Unlock()
		return in, nil
	}
	p.mu.Unlock()
	return p.Open()
}

// Give takes an instance back that is good for another call.
func (p *Pool[T]) Give(in T) {
	p.mu.Lock()
	keep := !p.closed && len(p.idle) < keptInstances
	if keep {
		p.idle = append(p.idle, in)
	}
	p.mu.Unlock()
	if !keep {
		p.Drop(in)
	}
}

// Close frees what is idle; what is out is freed when it comes back.
func (p *Pool[T]) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, in := range idle {
		p.Drop(in)
	}
}
