package optest

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"streamsql/operators"
	"streamsql/operators/batch"
)

// ThreadTime is the CPU time of this thread: lock the goroutine to it first.
func ThreadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}

// Load is a state to be filled, and small changes to it.
type Load struct {
	Op operators.Operator
	// Fill returns the rows first … first+n of input in, for the first batch.
	Fill func(in, first, n int) *batch.Chunk
	// Change returns the k-th one-row change (an insertion, a retraction, or both)
	// of input in; nil: none. Rows of state: rows.
	Change func(in, k, rows int) *batch.Chunk
	Inputs int
	// At, if not nil, sets the time of the batch with the k-th change.
	At func(b *operators.Batch, k int)
}

// MaxCost is what a one-row change may take of CPU in one operator.
const MaxCost = 500 * time.Microsecond

// Memory that a change may wait for beyond the factor of 2: a state of 10 K rows lies in the core's own
// cache, one of 1 M does not. A row that comes and one that goes each meet, far from each other, a slot of an index
// and a row; what such a load takes is measured, as it differs by machine and neighbour.
const coldLoads = 4

// Cost is the CPU time of a one-row change: the least of the medians of several
// rounds, since a neighbour on the machine, who empties caches, only ever adds to them.
type Cost struct {
	Small, Large time.Duration // at 10 K rows, and at Rows
	Rows         int
	Load         time.Duration // of a word from memory that no cache has
}

// Err tells why the cost is too high; nil: it is not.
func (c Cost) Err() error {
	if most := min(2*c.Small+coldLoads*c.Load, MaxCost); c.Large > most {
		return fmt.Errorf("a one-row change takes %v at %d rows, %v at %d: more than %v", c.Large, c.Rows, c.Small, smallRows, most)
	}
	return nil
}

// FlatCost fails when a one-row change to a state of 1 M rows (200 K with -short) takes more than
// twice the CPU that it takes at 10 K rows and a few loads from memory, or more than MaxCost.
func FlatCost(t *testing.T, load func() Load) Cost {
	t.Helper()
	c := MeasureCost(t, load)
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	smallRows   = 10_000
	roundLength = 256
	leastRounds = 4 // even, so that changes to and fro end where they began
	mostRounds  = 20
)

// MeasureCost measures in turns at both sizes, and goes on while the cost is
// too high, up to mostRounds.
func MeasureCost(t *testing.T, load func() Load) Cost {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := Cost{Small: time.Hour, Large: time.Hour, Rows: 1_000_000, Load: coldLoad()}
	if testing.Short() {
		c.Rows = 200_000
	}
	small, large := fill(t, load(), smallRows), fill(t, load(), c.Rows)
	runtime.GC()
	for n := 0; n < leastRounds || n < mostRounds && c.Large <= MaxCost && c.Err() != nil; n++ {
		c.Small, c.Large = min(c.Small, small.round(t)), min(c.Large, large.round(t))
	}
	return c
}

// coldLoad measures what a load of a word takes that lies anywhere in 128 MB,
// where each address is known only when the word before is there.
var coldLoad = sync.OnceValue(func() time.Duration {
	const words, loads = 1 << 24, 1 << 15
	memory := make([]uint64, words)
	for i := range memory {
		memory[i] = uint64(i) & 1
	}
	least, at := time.Hour, uint64(0)
	for range 8 {
		start := ThreadTime()
		for range loads {
			at = (at*6364136223846793005 + 1442695040888963407 + memory[at>>40]) // the upper 24 bits are the place
		}
		least = min(least, (ThreadTime()-start)/loads)
	}
	runtime.KeepAlive(at)
	return least
})

// filled is an operator with rows rows of state, of which k changes were made.
type filled struct {
	Load
	rows, k int
	times   [roundLength]time.Duration
}

func fill(t *testing.T, l Load, rows int) *filled {
	t.Helper()
	b := operators.Batch{Changes: true, ID: 1}
	if l.At != nil {
		l.At(&b, 0)
	}
	l.batch(t, &b, func(in int, push func(*batch.Chunk)) {
		for at := 0; at < rows; at += batch.TargetRows {
			push(l.Fill(in, at, min(batch.TargetRows, rows-at)))
		}
	})
	return &filled{Load: l, rows: rows}
}

// round returns the median CPU time of the next batches, of one change each.
func (f *filled) round(t *testing.T) time.Duration {
	t.Helper()
	for i := range f.times {
		changes := make([]*batch.Chunk, f.Inputs)
		for in := range changes {
			changes[in] = f.Change(in, f.k, f.rows)
		}
		b := operators.Batch{Changes: true, ID: uint64(2 + f.k)}
		if f.At != nil {
			f.At(&b, f.k)
		}
		start := ThreadTime()
		f.batch(t, &b, func(in int, push func(*batch.Chunk)) {
			if changes[in] != nil {
				push(changes[in])
			}
		})
		f.times[i] = ThreadTime() - start
		f.k++
	}
	slices.Sort(f.times[:])
	return f.times[roundLength/2]
}

func (l Load) batch(t *testing.T, b *operators.Batch, feed func(in int, push func(*batch.Chunk))) {
	t.Helper()
	l.Op.Begin(b)
	step := func() {
		for {
			s, err := l.Op.Step(batch.TargetRows, func(*batch.Chunk) {})
			if err != nil {
				t.Fatal(err)
			}
			if s == operators.Done {
				return
			}
		}
	}
	for in := range l.Inputs {
		feed(in, func(c *batch.Chunk) {
			l.Op.Push(in, c)
			step()
		})
		l.Op.CloseInput(in)
	}
	step()
}
