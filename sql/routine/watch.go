package routine

import (
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Watch stops calls that go on for too long. An instance has one for all its
// calls; the caller says when one begins, goes on to its next row, and ends.
//
// One goroutine looks at all watches every few milliseconds, as long as calls are
// made. What counts is the processor time of the calling thread, so that a call is
// not stopped because the machine is busy with something else.
type Watch struct {
	// stop makes the call end soon. It is called from another goroutine, at most once
	// in a call, and never outside of one.
	stop func(why string)
	// heap: the growth of the heap counts too. (It is that of the whole process, and
	// is looked at only once one row has run for heapFrom.)
	heap bool

	step atomic.Uint64 // of the row that is being computed

	mu      sync.Mutex
	running bool
	stopped uint64 // the step for which the call was stopped; 0: it was not
	thread  int

	// What the watching goroutine saw of the step it saw last.
	seen     uint64
	began    time.Duration
	heapThen uint64
}

// heapFrom is how long a row must have run for its memory to be looked at.
const heapFrom = 2 * time.Millisecond

// lookEvery is the time between two looks.
const lookEvery = 4 * time.Millisecond

// restAfter is how many looks without a call put the goroutine to sleep.
const restAfter = 250

// NewWatch makes a watch. heap says that memory is watched, too.
func NewWatch(stop func(why string), heap bool) *Watch {
	w := &Watch{stop: stop, heap: heap}
	watching.Lock()
	watching.all = append(watching.all, w)
	watching.Unlock()
	return w
}

// Close forgets the watch.
func (w *Watch) Close() {
	watching.Lock()
	defer watching.Unlock()
	if i := slices.Index(watching.all, w); i >= 0 {
		watching.all = slices.Delete(watching.all, i, i+1)
	}
}

// Begin says that a call begins. The goroutine stays on its thread until End.
func (w *Watch) Begin() {
	runtime.LockOSThread()
	w.mu.Lock()
	w.running, w.stopped, w.thread = true, 0, currentThread()
	w.mu.Unlock()
	w.step.Add(1)
	if !watching.awake.Load() {
		wake()
	}
}

// Step says that the next row begins.
func (w *Watch) Step() { w.step.Add(1) }

// End says that the call has ended, and reports whether it was stopped.
func (w *Watch) End() (stopped bool) {
	w.mu.Lock()
	w.running = false
	stopped = w.stopped != 0
	w.mu.Unlock()
	runtime.UnlockOSThread()
	return stopped
}

// Blames reports that the call was stopped for the row that it is at, not for one
// that came to its end at the last moment.
func (w *Watch) Blames() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopped == w.step.Load()
}

var watching struct {
	sync.Mutex
	all   []*Watch
	awake atomic.Bool
}

// wake starts the goroutine that watches, if it sleeps.
func wake() {
	if watching.awake.CompareAndSwap(false, true) {
		go watchAll()
	}
}

func watchAll() {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	var all []*Watch
	for idle := 0; idle < restAfter; idle++ {
		<-t.C
		watching.Lock()
		all = append(all[:0], watching.all...)
		watching.Unlock()
		l := CurrentLimits()
		for _, w := range all {
			if w.look(l) {
				idle = 0
			}
		}
	}
	watching.awake.Store(false)
	// A call that began meanwhile found the goroutine awake.
	watching.Lock()
	defer watching.Unlock()
	for _, w := range watching.all {
		w.mu.Lock()
		running := w.running
		w.mu.Unlock()
		if running {
			wake()
			return
		}
	}
}

// look stops a call that is over a limit. It reports whether there is a call.
func (w *Watch) look(l Limits) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running {
		return false
	}
	now := threadTime(w.thread)
	if step := w.step.Load(); step != w.seen {
		w.seen, w.began, w.heapThen = step, now, 0
		if w.heap {
			w.heapThen = heapBytes()
		}
		return true
	}
	used := now - w.began
	switch {
	case w.stopped != 0:
	case used >= l.Time:
		w.stopped = w.seen
		w.stop(overTime(l))
	case w.heap && used >= heapFrom && heapBytes() > w.heapThen+uint64(l.Memory):
		w.stopped = w.seen
		w.stop(overMemory(l))
	}
	return true
}

// heapBytes is what live and not yet swept objects of the process take.
func heapBytes() uint64 {
	s := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s[:])
	return s[0].Value.Uint64()
}
