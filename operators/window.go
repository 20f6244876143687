package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Window puts each row into the windows that it is in: a flat map. It leaves out
// rows without a time, and windows that a row is too late for.
type Window struct {
	inbox
	spec  WindowSpec
	env   Env
	out   []types.Type
	clock *clock
	late  *lateness
	batch *Batch

	row    []bounds // windows of the row at hand, of which next … are to be given
	next   int
	begun  bool // row is that of the first row not done
	sel    []int32
	starts []int64
	ends   []int64
}

// NewWindow makes a Window.
func NewWindow(spec WindowSpec, env Env) *Window {
	w := &Window{spec: spec, env: env, late: newLateness(spec.Lateness, env)}
	for _, k := range spec.Keep {
		w.out = append(w.out, spec.Input[k])
	}
	w.out = append(w.out, spec.Bound, spec.Bound)
	loc := env.Location
	if spec.Bound.Kind != types.Timestamp {
		loc = nil
	}
	w.clock = newClock(spec, loc)
	return w
}

// String names the operator as EXPLAIN does.
func (w *Window) String() string { return "Window" }

// Types are the types of the output columns.
func (w *Window) Types() []types.Type { return w.out }

// Begin opens a batch.
func (w *Window) Begin(b *Batch) {
	w.batch = b
	w.begin(1)
	w.late.begin(b)
}

// Push queues a chunk.
func (w *Window) Push(_ int, c *batch.Chunk) { w.push(0, c) }

// CloseInput notes the end of the input.
func (w *Window) CloseInput(int) { w.close() }

// States hold the watermark before the batch, where it decides what is late.
func (w *Window) States() []*state.Store { return w.late.states() }

// Rebuild finds it again.
func (w *Window) Rebuild() error {
	w.late.rebuild()
	return nil
}

// Step works off rows, and gives at most about budget of them.
func (w *Window) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for w.head < len(w.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, lo := w.first()
		n := w.fill(c, lo, min(budget, batch.TargetRows))
		budget -= max(n, len(w.sel), 1)
		if len(w.sel) > 0 {
			emit(w.take(c))
		}
		if n > 0 {
			w.done(n)
		}
	}
	if w.closed() {
		return Done, w.late.end()
	}
	return Done, nil
}

// fill collects at most most output rows, of the rows of c from lo on, and
// returns how many of these are done.
func (w *Window) fill(c *batch.Chunk, lo, most int) (rows int) {
	w.sel, w.starts, w.ends = w.sel[:0], w.starts[:0], w.ends[:0]
	var times *vector.Vector
	if w.spec.Time >= 0 {
		times = c.Cols[w.spec.Time]
	}
	for i := lo; i < c.N && i-lo < most; i++ {
		if !w.begun {
			w.row, w.next, w.begun = w.row[:0], 0, true
			switch {
			case times == nil:
				w.row = w.clock.windows(w.row, w.batch.Now)
			case !times.IsNull(i):
				w.row = w.late.open(w.clock.windows(w.row, times.I[i]), c, i)
			}
		}
		for ; w.next < len(w.row); w.next++ {
			if len(w.sel) == most {
				return i - lo
			}
			b := w.row[w.next]
			w.sel, w.starts, w.ends = append(w.sel, int32(i)), append(w.starts, b.start), append(w.ends, b.end)
		}
		w.begun = false
		rows++
	}
	return rows
}

// take makes the output chunk of what was collected.
func (w *Window) take(c *batch.Chunk) *batch.Chunk {
	n := len(w.sel)
	kept := &batch.Chunk{Cols: pickColumns(c.Cols, w.spec.Keep), N: c.N, Weights: c.Weights}
	switch first := int(w.sel[0]); {
	case int(w.sel[n-1])-first != n-1 || !consecutive(w.sel):
		kept = kept.Gather(w.sel)
	case n < c.N:
		kept = kept.Slice(first, first+n)
	}
	start, end := vector.New(w.spec.Bound, n), vector.New(w.spec.Bound, n)
	start.I, end.I = append(start.I, w.starts...), append(end.I, w.ends...)
	start.N, end.N = n, n
	return &batch.Chunk{Cols: append(kept.Cols, start, end), N: n, Weights: kept.Weights}
}

// consecutive reports that sel counts up by one.
func consecutive(sel []int32) bool {
	for i := 1; i < len(sel); i++ {
		if sel[i] != sel[i-1]+1 {
			return false
		}
	}
	return true
}
