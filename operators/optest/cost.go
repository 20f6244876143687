package optest

import (
	"runtime"
	"slices"
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
}

// FlatCost fails when a one-row change to a state of 1 M rows takes more than
// twice the CPU that it takes at 10 K rows. It returns both medians.
func FlatCost(t *testing.T, load func() Load) (small, large time.Duration) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	big := 1_000_000
	if testing.Short() {
		big = 200_000
	}
	for attempt := 0; ; attempt++ {
		small, large = oneRowCost(t, load(), 10_000), oneRowCost(t, load(), big)
		if large <= 2*small {
			return small, large
		}
		// A neighbour on the machine empties caches: the best of five counts.
		if attempt == 4 {
			t.Fatalf("a one-row change takes %v at %d rows, %v at 10000", large, big, small)
		}
	}
}

// oneRowCost fills the state with rows rows, and returns the median CPU time of
// the batches that then change one row.
func oneRowCost(t *testing.T, l Load, rows int) time.Duration {
	t.Helper()
	id := uint64(1)
	l.batch(t, id, func(in int, push func(*batch.Chunk)) {
		for at := 0; at < rows; at += batch.TargetRows {
			push(l.Fill(in, at, min(batch.TargetRows, rows-at)))
		}
	})
	runtime.GC()
	const runs = 801
	times := make([]time.Duration, runs)
	for k := range runs {
		changes := make([]*batch.Chunk, l.Inputs)
		for in := range changes {
			changes[in] = l.Change(in, k, rows)
		}
		id++
		start := ThreadTime()
		l.batch(t, id, func(in int, push func(*batch.Chunk)) {
			if changes[in] != nil {
				push(changes[in])
			}
		})
		times[k] = ThreadTime() - start
	}
	slices.Sort(times)
	return times[runs/2]
}

func (l Load) batch(t *testing.T, id uint64, feed func(in int, push func(*batch.Chunk))) {
	t.Helper()
	l.Op.Begin(&operators.Batch{Changes: true, ID: id})
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
