package engine

import (
	"testing"
	"time"

	"streamsql/catalog"
)

// A batch gets what its slowest reader works off within the target, but neither
// less than what is worth a batch nor for a reader that is far behind anyway.
func TestBatchesAreAsLargeAsTheTargetAllows(t *testing.T) {
	at := time.Unix(1000, 0)
	fast, slow, behind := newPaced(), newPaced(), newPaced()
	behind.pending = make([]*pendingBatch, nearBatches)
	// Two batches at once: the second one's time begins when the first is applied.
	fast.pace.note(10_000, at, at.Add(10*time.Millisecond))
	fast.pace.note(10_000, at, at.Add(20*time.Millisecond))
	slow.pace.note(10_000, at, at.Add(100*time.Millisecond))
	slow.pace.note(10, at.Add(time.Second), at.Add(2*time.Second)) // says nothing
	behind.pace.note(10_000, at, at.Add(time.Hour))
	e := &Engine{readers: map[catalog.ID][]*job{1: {fast}, 2: {fast, slow}, 3: {fast, behind}, 4: {newPaced()}}}
	for _, c := range []struct {
		table  catalog.ID
		target time.Duration
		most   int
		want   int
	}{
		{1, 100 * time.Millisecond, 1 << 20, 100_000},
		{2, 100 * time.Millisecond, 1 << 20, 10_000},
		{3, 100 * time.Millisecond, 1 << 20, 100_000},
		{4, 100 * time.Millisecond, 1 << 20, 1 << 20}, // nothing is known yet
		{5, 100 * time.Millisecond, 1 << 20, 1 << 20}, // nobody reads it
		{2, time.Second, 1 << 20, 100_000},
		{2, time.Millisecond, 1 << 20, leastBatchRows},
		{2, time.Millisecond, 1000, 1000},
	} {
		e.SetBatchTarget(c.target)
		if got := e.batchRows(c.table, c.most); got != c.want {
			t.Errorf("table %d, target %v: %d rows, want %d", c.table, c.target, got, c.want)
		}
	}
}

func newPaced() *job { return &job{table: &catalog.Table{}} }
