package operators

import (
	"bytes"
	"fmt"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// Emit holds rows back until the watermark has reached their column Col, and
// then gives each as often as it is there. It takes nothing back: what changes
// later of a row that was due is passed over. A row in the store:
//
//	0   how often it is there, 8
//	8   the encoded row
type Emit struct {
	inbox
	spec   EmitSpec
	env    Env
	batch  *Batch
	codec  *state.Codec
	store  *state.Store
	byRow  *state.Table
	due    *expiring
	passed bool // due knows of the watermark after the batch

	all    []int
	hashes []uint64
	enc    []byte
	one    [][]byte
}

// EmitSpec says which column tells when a row is due, and by which watermark.
type EmitSpec struct {
	Input     []types.Type
	Col       int
	Watermark Watermark
	// Shrinks: windows are sessions of rows that can go. What is left of one that was
	// open can be over already, and is given like all else.
	Shrinks bool
}

const emitHeader = 8

// NewEmit makes an Emit.
func NewEmit(spec EmitSpec, env Env) *Emit {
	e := &Emit{
		spec: spec, env: env, codec: state.NewCodec(spec.Input), store: state.NewStore(env.Account), byRow: state.NewTable(env.Account),
		all: positions(len(spec.Input)), one: make([][]byte, 1),
	}
	e.due = newExpiring(spec.Watermark, 1, e.time, env.Account)
	e.due.shrinks = spec.Shrinks
	return e
}

// time is when the window of a row is over.
func (e *Emit) time(r state.Ref) (int64, bool) {
	if !e.store.Has(r) {
		return 0, false
	}
	return e.codec.Int(e.store.Get(r)[emitHeader:], e.spec.Col)
}

// String names the operator as EXPLAIN does.
func (e *Emit) String() string { return "Emit" }

// Types are the types of the output columns.
func (e *Emit) Types() []types.Type { return e.spec.Input }

// Begin opens a batch.
func (e *Emit) Begin(b *Batch) {
	e.batch, e.passed = b, false
	e.begin(1)
}

// Push queues a chunk, but for rows whose window was over before the batch.
func (e *Emit) Push(_ int, c *batch.Chunk) {
	if c = e.due.live(c, e.spec.Col); c != nil {
		e.push(0, c)
	}
}

// CloseInput notes the end of the input.
func (e *Emit) CloseInput(int) { e.close() }

// States are the rows, and the watermark that they were given up to.
func (e *Emit) States() []*state.Store { return []*state.Store{e.store, e.due.over.store} }

// Rebuild derives the indexes from the store.
func (e *Emit) Rebuild() error {
	cols := newVectors(e.codec.Types, 1)
	var one [1]uint64
	e.store.Scan(func(r state.Ref, row []byte) bool {
		resetVectors(cols)
		e.codec.Decode([][]byte{row[emitHeader:]}, cols)
		e.byRow.Insert(state.HashRows(cols, e.all, 1, one[:])[0], r)
		return true
	})
	e.due.rebuild(e.store)
	return nil
}

// Due is when the next window by the batch's own time is over.
func (e *Emit) Due() int64 { return e.due.dueAt() }

// Step takes rows in, and with the input closed gives out those that are due.
func (e *Emit) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for e.head < len(e.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, lo := e.first()
		if lo == 0 {
			e.hashes = state.HashRows(c.Cols, e.all, c.N, e.hashes)
		}
		n := min(budget, c.N-lo)
		for i := lo; i < lo+n; i++ {
			if err := e.count(c, i); err != nil {
				return Done, err
			}
		}
		e.done(n)
		budget -= n
	}
	if !e.closed() {
		return Done, nil
	}
	if !e.passed {
		e.passed = true
		if err := e.due.advance(e.batch); err != nil {
			return Done, err
		}
	}
	for {
		if budget <= 0 {
			return More, nil
		}
		refs := e.due.next(min(budget, batch.TargetRows))
		if refs == nil {
			return Done, nil
		}
		if err := e.release(refs, emit); err != nil {
			return Done, err
		}
		budget -= len(refs)
	}
}

// count counts row i of c as often more as its weight says.
func (e *Emit) count(c *batch.Chunk, i int) error {
	w := c.Weight(i)
	if w == 0 {
		return nil
	}
	e.enc = e.codec.Append(e.enc[:0], c.Cols, i)
	r := e.byRow.Find(e.hashes[i], func(r state.Ref) bool { return bytes.HasPrefix(e.store.Slot(r)[emitHeader:], e.enc) })
	if r != 0 {
		row := e.store.Mutable(r)
		if w += getInt(row); w != 0 {
			putInt(row, w)
			return nil
		}
		e.due.gone(r)
		e.byRow.Delete(e.hashes[i], r)
		e.store.Free(r)
		return nil
	}
	r, err := e.store.Alloc(emitHeader + len(e.enc))
	if err != nil {
		return err
	}
	row := e.store.Mutable(r)
	putInt(row, w)
	copy(row[emitHeader:], e.enc)
	e.byRow.Insert(e.hashes[i], r)
	e.due.add(r)
	return nil
}

// release gives rows out, and ends them.
func (e *Emit) release(refs []state.Ref, emit func(*batch.Chunk)) error {
	out := batch.New(e.spec.Input, len(refs))
	var one [1]uint64
	for k, r := range refs {
		row := e.store.Get(r)
		n := getInt(row)
		if n < 0 {
			return fmt.Errorf("%s: a row is there %d times: a retraction of what was never inserted", e.env.Node, n)
		}
		e.one[0] = row[emitHeader:]
		e.codec.Decode(e.one, out.Cols)
		out.PushWeight(n)
		last := out.Slice(k, k+1)
		e.byRow.Delete(state.HashRows(last.Cols, e.all, 1, one[:])[0], r)
		e.store.Free(r)
	}
	emit(out)
	return nil
}
