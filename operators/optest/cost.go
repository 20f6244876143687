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
	// At, if not nil, sets the time of the batch with the k-th change.
	At func(b *operators.Batch, k int)
}

// MaxCost is what a one-row change may take of CPU in one operator.
const MaxCost = 500 * time.Microsecond

// FlatCost fails when a one-row change to a state of 1 M rows (200 K with -short) takes more than
// twice the CPU that it takes at 10 K rows, or more than MaxCost. It returns both
// costs: the least median of several rounds, since a neighbour on the machine,
// who empties caches, only ever adds to them.
func FlatCost(t *testing.T, load func() Load) (small, large time.Duration) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	big := 1_000_000
	if testing.Short() {
		big = 200_000
	}
	small, large = time.Hour, time.Hour
	for attempt := 0; ; attempt++ {
		small, large = min(small, oneRowCost(t, load(), 10_000)), min(large, oneRowCost(t, load(), big))
		if large <= min(2*small, MaxCost) {
			return small, large
		}
		if attempt == 4 {
			t.Fatalf("a one-row change takes %v at %d rows, %v at 10000", large, big, small)
		}
	}
}

// Rounds are even so that changes to and fro end where they began.
const (
	rounds      = 4
	roundLength = 256
)

// oneRowCost fills the state with rows rows, and returns the least, over the
// rounds, of the median CPU time of the batches that then change one row.
func oneRowCost(t *testing.T, l Load, rows int) time.Duration {
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
	runtime.GC()
	least := time.Hour
	var times [roundLength]time.Duration
	for k := range rounds * roundLength {
		changes := make([]*batch.Chunk, l.Inputs)
		for in := range changes {
			changes[in] = l.Change(in, k, rows)
		}
		b := operators.Batch{Changes: true, ID: uint64(2 + k)}
		if l.At != nil {
			l.At(&b, k)
		}
		start := ThreadTime()
		l.batch(t, &b, func(in int, push func(*batch.Chunk)) {
			if changes[in] != nil {
				push(changes[in])
			}
		})
		times[k%roundLength] = ThreadTime() - start
		if k%roundLength == roundLength-1 {
			slices.Sort(times[:])
			least = min(least, times[roundLength/2])
		}
	}
	return least
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
