// Package sched shares the cores among resource groups. Workers are as many as
// cores, each locked to its thread; they pull quanta of a few milliseconds,
// measure them with the thread's CPU clock, and charge the group. The group
// with the least CPU used per weight goes next. Nothing blocks inside a quantum.
package sched

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Quantum is how long a runnable may hold a worker: it looks at Over after each
// step and gives the worker back.
type Quantum struct{ deadline time.Time }

// Length is the nominal length of a quantum.
const Length = 2 * time.Millisecond

// Over reports that the time is used up.
func (q *Quantum) Over() bool { return time.Now().After(q.deadline) }

// NewQuantum starts a quantum outside the pool, for work on a caller's own goroutine.
func NewQuantum() *Quantum { return &Quantum{deadline: time.Now().Add(Length)} }

// Runnable is something that workers run. Run works until there is nothing left
// to do (false) or the quantum is over (true: more to do). Never two at a time.
type Runnable interface {
	Run(q *Quantum) (more bool)
	// Ticket is the runnable's own scheduling state, always the same.
	Ticket() *Ticket
}

// Ticket is what the pool keeps in a runnable. The zero value with a Group is ready for use.
type Ticket struct {
	Group *Group
	lent  atomic.Pointer[Group]
	state atomic.Int32
}

// Lend makes another group be charged from the next time on that the runnable is
// made ready; nil: its own again.
func (t *Ticket) Lend(g *Group) { t.lent.Store(g) }

// charged is the group that is charged now.
func (t *Ticket) charged() *Group {
	if g := t.lent.Load(); g != nil {
		return g
	}
	return t.Group
}

// The states of a ticket.
const (
	idle    = iota
	queued  // in its group's queue
	running // a worker has it
	again   // running, and made ready meanwhile
)

// Group is a resource group: who is charged.
type Group struct {
	Name   string
	Weight float64
	cpu    atomic.Int64 // nanoseconds charged for ever
	// under Pool.mu:
	used  float64 // weighted CPU that decides who is next
	queue []Runnable
}

// CPU returns what the group was charged so far.
func (g *Group) CPU() time.Duration { return time.Duration(g.cpu.Load()) }

// ThreadCPU is the CPU time that the calling thread has used, in ns. It means
// something to a runnable on a worker, which keeps its thread.
func ThreadCPU() int64 { return int64(threadCPU()) }

// Charge adds CPU that was used outside of quanta.
func (g *Group) Charge(d time.Duration) { g.cpu.Add(int64(d)) }

// Pool is the workers.
type Pool struct {
	mu      sync.Mutex
	wake    sync.Cond
	active  []*Group // groups with a queue
	floor   float64  // a group that comes back starts here, so that sleeping saves nothing up
	asleep  int
	queued  int // runnables in all queues
	closed  bool
	workers sync.WaitGroup
	n       int
	longest atomic.Int64 // of the quanta since Longest was last asked, in ns
}

// Longest is the most CPU time that one quantum took since the last call: nobody
// else could have its worker meanwhile.
func (p *Pool) Longest() time.Duration { return time.Duration(p.longest.Swap(0)) }

// NewPool starts n workers.
func NewPool(n int) *Pool {
	p := &Pool{n: n}
	p.wake.L = &p.mu
	if runtime.GOMAXPROCS(0) < n+2 {
		// Busy workers must not starve the network and the clients' goroutines.
		runtime.GOMAXPROCS(n + 2)
	}
	p.workers.Add(n)
	for range n {
		go p.work()
	}
	return p
}

// Workers says how many there are.
func (p *Pool) Workers() int { return p.n }

// Close stops the workers after their present quantum.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.wake.Broadcast()
	p.mu.Unlock()
	p.workers.Wait()
}

// Ready says that r has something to do. It may be called from anywhere, at any time.
func (p *Pool) Ready(r Runnable) {
	t := r.Ticket()
	for {
		switch s := t.state.Load(); s {
		case idle:
			if t.state.CompareAndSwap(idle, queued) {
				p.push(r)
				return
			}
		case running:
			if t.state.CompareAndSwap(running, again) {
				return
			}
		default: // queued or again: it will run
			return
		}
	}
}

func (p *Pool) push(r Runnable) {
	g := r.Ticket().charged()
	p.mu.Lock()
	if len(g.queue) == 0 {
		g.used = max(g.used, p.floor)
		p.active = append(p.active, g)
	}
	g.queue = append(g.queue, r)
	// Waking a locked worker costs more than most quanta. One that is awake takes
	// the next runnable as soon as it is done with the present one, so that another
	// is woken only when there is more to do than that.
	if p.queued++; p.asleep > 0 && p.queued > p.n-p.asleep {
		p.wake.Signal()
	}
	p.mu.Unlock()
}

// next blocks until there is a runnable; nil when the pool closes.
func (p *Pool) next() Runnable {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.active) == 0 && !p.closed {
		p.asleep++
		p.wake.Wait()
		p.asleep--
	}
	if p.closed {
		return nil
	}
	best := 0
	for i, g := range p.active {
		if g.used < p.active[best].used {
			best = i
		}
	}
	g := p.active[best]
	p.queued--
	p.floor = g.used
	r := g.queue[0]
	g.queue[0] = nil
	if g.queue = g.queue[1:]; len(g.queue) == 0 {
		g.queue = nil
		p.active[best] = p.active[len(p.active)-1]
		p.active = p.active[:len(p.active)-1]
	}
	return r
}

func (p *Pool) charge(g *Group, d time.Duration) {
	g.cpu.Add(int64(d))
	w := g.Weight
	if w <= 0 {
		w = 1
	}
	p.mu.Lock()
	g.used += float64(d) / w
	p.mu.Unlock()
}

func (p *Pool) work() {
	defer p.workers.Done()
	runtime.LockOSThread() // never unlocked: the thread's priority dies with it
	lowerPriority()
	last := threadCPU()
	q := &Quantum{}
	for {
		r := p.next()
		if r == nil {
			return
		}
		t := r.Ticket()
		t.state.Store(running)
		q.deadline = time.Now().Add(Length)
		more := r.Run(q)
		now := threadCPU()
		p.charge(t.charged(), now-last)
		for old := p.longest.Load(); int64(now-last) > old && !p.longest.CompareAndSwap(old, int64(now-last)); old = p.longest.Load() {
		}
		last = now
		if more {
			t.state.Store(queued)
			p.push(r)
		} else if !t.state.CompareAndSwap(running, idle) { // again
			t.state.Store(queued)
			p.push(r)
		}
	}
}
