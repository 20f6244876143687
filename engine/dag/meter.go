package dag

import (
	"sync/atomic"

	"streamsql/operators"
	"streamsql/operators/batch"
)

// Meter counts what one operator of a fragment does. The fragment adds to it once a
// chunk and once a step; anybody may read it.
type Meter struct {
	In, Out    atomic.Int64 // rows of the changelog
	Steps      atomic.Int64
	Time       atomic.Int64 // spent in steps, in the unit of the clock
	StateRows  atomic.Int64 // as of the last batch
	StateBytes atomic.Int64
}

// Metered makes the fragment count, by a clock that only its own goroutine reads.
func (f *Fragment) Metered(clock func() int64) {
	f.clock, f.Meters = clock, make([]Meter, len(f.Nodes))
}

// MeasureState notes how large the states are. Between batches.
func (f *Fragment) MeasureState() {
	if f.Meters == nil {
		return
	}
	for i, n := range f.Nodes {
		op, ok := n.Op.(operators.Stateful)
		if !ok {
			continue
		}
		var rows, bytes int64
		for _, s := range op.States() {
			rows, bytes = rows+s.Rows(), bytes+s.Bytes()
		}
		f.Meters[i].StateRows.Store(rows)
		f.Meters[i].StateBytes.Store(bytes)
	}
}

// counted is emit of node i that counts the rows.
func (f *Fragment) counted(i int, emit func(*batch.Chunk)) func(*batch.Chunk) {
	m, to := &f.Meters[i], f.Nodes[i].To
	return func(c *batch.Chunk) {
		m.Out.Add(int64(c.N))
		if to >= 0 {
			f.Meters[to].In.Add(int64(c.N))
		}
		emit(c)
	}
}
