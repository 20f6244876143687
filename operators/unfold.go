package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/eval"
	"streamsql/sql/jsontable"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// UnfoldSpec gives each row of the input as often as the JSON document in it has
// rows. Output: the input's columns Keep, then the table's.
type UnfoldSpec struct {
	Input    []types.Type
	Document int
	Keep     []int
	Table    *jsontable.Table
	Outer    bool // a row whose document has no rows is there once, with NULLs
}

// Unfold is JSON_TABLE: a flat map. The rows of a document are a function of it
// alone, so that a retraction takes back what the row has given.
type Unfold struct {
	inbox
	evaluation
	spec UnfoldSpec
	out  []types.Type
	read *jsontable.Reader
	sel  []int32 // of the rows collected: the row of the chunk that they are of

	// What a long document gives goes out in pieces.
	kept, own []*vector.Vector
	weights   []int64
	ready, at int
}

// NewUnfold makes an Unfold.
func NewUnfold(spec UnfoldSpec, env Env) (*Unfold, error) {
	u := &Unfold{spec: spec}
	u.env = env
	for _, k := range spec.Keep {
		u.out = append(u.out, spec.Input[k])
	}
	for _, c := range spec.Table.Flat() {
		u.out = append(u.out, c.Type)
	}
	var err error
	u.read, err = jsontable.New(spec.Table)
	return u, err
}

// String names the operator as EXPLAIN does.
func (u *Unfold) String() string { return "Unfold" }

// Types are the types of the output columns.
func (u *Unfold) Types() []types.Type { return u.out }

// Transient: nothing is remembered.
func (u *Unfold) Transient() bool { return true }

// Begin opens a batch.
func (u *Unfold) Begin(b *Batch) {
	u.inbox.begin(1)
	u.evaluation.begin(b)
	u.read.Begin(eval.Context{Now: b.Now, Location: u.env.Location})
}

// Push queues a chunk.
func (u *Unfold) Push(_ int, c *batch.Chunk) { u.push(0, c) }

// CloseInput notes the end of the input.
func (u *Unfold) CloseInput(int) { u.close() }

// States of an unfold: none.
func (u *Unfold) States() []*state.Store { return nil }

// Rebuild has nothing to find again.
func (u *Unfold) Rebuild() error { return nil }

// Step works off rows, and gives at most about budget of them.
func (u *Unfold) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for {
		for u.at < u.ready {
			if budget <= 0 {
				return More, nil
			}
			n := min(u.ready-u.at, budget, batch.TargetRows)
			emit(u.piece(n))
			budget -= n
		}
		if u.head == len(u.queue) {
			break
		}
		if budget <= 0 {
			return More, nil
		}
		budget -= u.take(min(budget, batch.TargetRows))
	}
	return Done, nil
}

// take unfolds rows of the first chunk until there are most of them or more, or the
// chunk ends, and returns how many rows of it are done.
func (u *Unfold) take(most int) int {
	_, c, lo := u.first()
	u.sel = u.sel[:0]
	docs, i := c.Cols[u.spec.Document], lo
	for ; i < c.N && i-lo < most && len(u.sel) < most; i++ {
		n := 0
		if !docs.IsNull(i) {
			var err error
			if n, err = u.read.Add(docs.Bytes(i)); err != nil {
				u.ctx.Fail(i, err)
				continue
			}
		}
		if n == 0 && u.spec.Outer {
			u.read.AddNulls()
			n = 1
		}
		for range n {
			u.sel = append(u.sel, int32(i))
		}
	}
	if len(u.failed) > 0 {
		u.report(c, nil)
	}
	u.own, u.ready = u.read.Take()
	u.at = 0
	if u.ready > 0 {
		kept := (&batch.Chunk{Cols: pickColumns(c.Cols, u.spec.Keep), N: c.N, Weights: c.Weights}).Gather(u.sel)
		u.kept, u.weights = kept.Cols, kept.Weights
	}
	u.done(i - lo)
	return i - lo
}

// piece is the next n rows of those that are ready.
func (u *Unfold) piece(n int) *batch.Chunk {
	all := &batch.Chunk{Cols: append(append([]*vector.Vector(nil), u.kept...), u.own...), N: u.ready, Weights: u.weights}
	out := all
	if n < u.ready {
		out = all.Slice(u.at, u.at+n)
	}
	if u.at += n; u.at == u.ready {
		u.kept, u.own, u.weights, u.ready, u.at = nil, nil, nil, 0, 0
	}
	return out
}
