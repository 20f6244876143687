package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Window puts each row into the windows that it is in: a flat map. It leaves out
// rows without a time, and windows that a row is too late for.
//
// Rows of about the same time come one after another, so the windows are looked
// for when the time leaves the pane of the row before, not for each row.
type Window struct {
	inbox
	lending
	spec  WindowSpec
	env   Env
	out   []types.Type
	clock *clock
	late  *lateness
	batch *Batch

	pane  pane // of the last row
	open  int  // windows of the row at hand that it is not too late for
	next  int  // those of them that are given
	begun bool // the row at hand is that of the first row not done
	sel   []int32
	left  []int64 // the two columns behind those that are kept
	right []int64
	same  [2]*vector.Vector // of many rows, for chunks of which all have the same
}

// NewWindow makes a Window.
func NewWindow(spec WindowSpec, env Env) *Window {
	w := &Window{spec: spec, env: env}
	if spec.Form == OfPanes {
		w.spec.Lateness = Lateness{Late: -1}
	}
	w.late = newLateness(w.spec.Lateness, env)
	for _, k := range spec.Keep {
		w.out = append(w.out, spec.Input[k])
	}
	second := spec.Bound
	if spec.Form == IntoPanes {
		second = types.Type{Kind: types.BigInt, NotNull: true}
	}
	w.out = append(w.out, spec.Bound, second)
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

// Transient: nothing is remembered, and late rows that are kept are copied.
func (w *Window) Transient() bool { return true }

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
		w.sel, w.left, w.right = w.sel[:0], w.left[:0], w.right[:0]
		most := min(budget, batch.TargetRows)
		var n int
		if w.spec.Form == IntoPanes || w.spec.Kind == Tumble {
			n = w.fillOnce(c, lo, most)
		} else {
			n = w.fill(c, lo, most)
		}
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
	for i := lo; i < c.N && i-lo < most; i++ {
		if !w.begun {
			w.next, w.open, w.begun = 0, w.windowsOf(c, i), true
		}
		for ; w.next < w.open; w.next++ {
			if len(w.sel) == most {
				return i - lo
			}
			b := w.pane.windows[w.next]
			w.sel, w.left, w.right = append(w.sel, int32(i)), append(w.left, b.start), append(w.right, b.end)
		}
		w.begun = false
		rows++
	}
	return rows
}

// fillOnce is fill where a row is given at most once.
func (w *Window) fillOnce(c *batch.Chunk, lo, most int) (rows int) {
	rows = min(c.N-lo, most)
	for i := lo; i < lo+rows; i++ {
		switch open := w.windowsOf(c, i); {
		case open == 0:
			continue
		case w.spec.Form == IntoPanes:
			w.left, w.right = append(w.left, w.pane.from), append(w.right, int64(open))
		default:
			w.left, w.right = append(w.left, w.pane.windows[0].start), append(w.right, w.pane.windows[0].end)
		}
		w.sel = append(w.sel, int32(i))
	}
	return rows
}

// windowsOf finds the pane of row i of c, and says in how many of its windows the
// row is.
func (w *Window) windowsOf(c *batch.Chunk, i int) int {
	at := w.batch.Now
	if w.spec.Time >= 0 {
		v := c.Cols[w.spec.Time]
		if v.IsNull(i) {
			return 0
		}
		at = v.I[i]
	}
	if at < w.pane.from || at >= w.pane.to {
		w.pane.find(w.clock, at)
	}
	switch {
	case w.spec.Form == OfPanes:
		return int(c.Cols[w.spec.Count].I[i])
	case w.spec.Time < 0 || len(w.pane.windows) == 0:
		return len(w.pane.windows)
	}
	open := len(w.pane.windows)
	if mark, ok := w.late.watermark(c, i); ok && w.pane.windows[open-1].end+w.late.Allowed <= mark {
		if open = w.pane.open(mark - w.late.Allowed); open == 0 {
			w.late.missed(c, i)
		}
	}
	if mark, ok := w.late.closed(c, i); ok && open > 0 {
		open = min(open, w.pane.open(mark-w.late.Allowed))
	}
	return open
}

// take makes the output chunk of what was collected.
func (w *Window) take(c *batch.Chunk) *batch.Chunk {
	n := len(w.sel)
	out := w.loan.Chunk(len(w.out), n)
	first := int(w.sel[0])
	scattered := int(w.sel[n-1])-first != n-1 || !consecutive(w.sel)
	for i, k := range w.spec.Keep {
		switch v := c.Cols[k]; {
		case scattered:
			out.Cols[i] = w.loan.GatherVector(v, w.sel)
		case n < c.N:
			out.Cols[i] = w.loan.SliceVector(v, first, first+n)
		default:
			out.Cols[i] = v
		}
	}
	if c.Weights != nil {
		out.Weights = w.loan.Ints(n)
		for i, row := range w.sel {
			out.Weights[i] = c.Weights[row]
		}
	}
	out.Cols[len(w.spec.Keep)], out.Cols[len(w.spec.Keep)+1] = w.column(0, w.left), w.column(1, w.right)
	return out
}

// column is a vector of values. Where all are the same, as those of most chunks
// are, it is a piece of one that is made once.
func (w *Window) column(k int, values []int64) *vector.Vector {
	n, t := len(values), w.out[len(w.spec.Keep)+k]
	for _, x := range values {
		if x != values[0] {
			v := w.loan.Vector(t, n)
			v.I, v.N = append(v.I, values...), n
			return v
		}
	}
	if v := w.same[k]; v == nil || v.N < n || v.I[0] != values[0] {
		if v != nil {
			w.loan.Own(v)
		}
		v = vector.Take(t, n)
		v.I, v.N = append(v.I, values...), n
		w.same[k] = v
	}
	return w.loan.SliceVector(w.same[k], 0, n)
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
