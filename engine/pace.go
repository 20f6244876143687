package engine

import (
	"time"

	"streamsql/catalog"
)

// Under load a batch is as large as its readers can take in within a target: then
// a row costs little, and nobody waits long for it. What comes to an idle system is cut
// at once, whatever the target.
const (
	defaultBatchTarget = 100 * time.Millisecond
	// leastBatchRows is what a batch may always have: less gains no time.
	leastBatchRows = 4096
	// pacedRows: a batch of fewer rows says nothing of what a row takes.
	pacedRows = 256
)

// pace is how long a row takes a job, as its last batches show.
type pace struct {
	perRow float64 // ns; 0: not known
	last   time.Time
}

// note takes in a batch that was sent at a time and is applied now. Batches are on
// their way side by side: its own time began when the one before was applied.
func (p *pace) note(rows int, sent, now time.Time) {
	began := p.last
	if sent.After(began) {
		began = sent
	}
	p.last = now
	if rows < pacedRows {
		return
	}
	took := float64(now.Sub(began)) / float64(rows)
	if p.perRow == 0 {
		p.perRow = took
	}
	p.perRow += (took - p.perRow) / 4
}

// SetBatchTarget says how long a batch may take its readers under load.
func (e *Engine) SetBatchTarget(d time.Duration) { e.batchTarget.Store(int64(d)) }

// batchRows is how many rows of a table a batch gets, at most the given number:
// what each reader that keeps up works off within the target. Engine.mu is held.
func (e *Engine) batchRows(id catalog.ID, most int) int {
	least := min(most, leastBatchRows)
	target := float64(e.batchTarget.Load())
	for _, j := range e.readers[id] {
		if j.keepsUp() && j.pace.perRow > 0 && len(j.pending) < nearBatches {
			most = min(most, int(target/j.pace.perRow))
		}
	}
	return max(most, least)
}
