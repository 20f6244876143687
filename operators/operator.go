// Package operators holds the five primitives (Map, Shuffle, Reduce, Merge,
// Union) and what is built on them. An operator here is a deterministic core:
// chunks in, chunks out, no goroutine, no clock, no I/O. It runs the part of
// one plan node that one range of logical partitions needs.
package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/expr"
)

// Status is what a Step leaves behind.
type Status uint8

// The statuses of Step.
const (
	Done    Status = iota // nothing left to do until the next Push or CloseInput
	More                  // the budget is used up: call Step again
	Waiting               // nothing to do before something comes from outside: see Asking
)

// Batch is what operators know of the batch they work on. The same id always
// comes with the same values, also on replay.
type Batch struct {
	ID      uint64
	Attempt uint32
	Now     int64 // the batch's time: NOW(), in microseconds since 1970 UTC
	// Watermarks are the streams' own after this batch, by catalog id, in the
	// representation of their time columns; a stream that has none yet is not there.
	// They never go back. The map is shared and must not be changed.
	Watermarks map[uint64]int64
	// Changes makes the result keep what the batch changes in it: somebody reads that.
	Changes bool
	// Fail records a row that an expression could not be computed for. The row is
	// left out; weight is the row's, so that its retraction takes the entry back.
	Fail func(RowError)
	// Late, if set, counts rows of a stream (its catalog id) that came too late for
	// all of their windows: n is the sum of their weights, so that a row that is taken
	// back counts no more.
	Late func(stream uint64, n int64)
	// LateRows, if set, keeps these rows: the stream's own columns, all and in its
	// order, with the rows' weights.
	LateRows func(stream uint64, rows *batch.Chunk)
	// Warn, if set, hears of what an expression warns of. One-off queries only.
	Warn func(code uint16, message string)
	// Note, if set, hears of digits and spaces that a column dropped. As Warn.
	Note func(code uint16, message string)
}

// RowError is a row that could not be processed.
type RowError struct {
	Operator string // the plan node, as EXPLAIN shows it
	Err      error  // a *sqlerr.Error
	Row      string // the row's values, for people
	Weight   int64
}

// Operator is one plan node over one range of logical partitions.
//
// The caller's duties, per batch and in this order: Begin; any number of Push;
// CloseInput once for each input; and Step, any time in between, until it says
// Done with all inputs closed: then the batch is applied and all that came of
// it has been emitted. Batches come in the order of their ids. One goroutine at
// a time.
//
// A Step does at most about budget rows of work (input rows read plus output
// rows made) and must be resumable anywhere, even inside the output of one
// input row: with a budget of 1 it gives the same result. An error of Step is
// fatal to the job; a bad row is not an error, it goes to Batch.Fail.
type Operator interface {
	// Begin opens a batch.
	Begin(b *Batch)
	// Push queues a chunk on input in. The work is left to Step.
	Push(in int, c *batch.Chunk)
	// CloseInput says that input in has delivered all of the batch.
	CloseInput(in int)
	// Step works on, and gives its output to emit, which takes the chunk over.
	Step(budget int, emit func(*batch.Chunk)) (Status, error)
}

// Asking is an operator that asks outside: while Step says Waiting it has not
// finished, and goes on once it has called wake.
type Asking interface {
	Operator
	// OnAnswer says whom to wake. It is called once, before the first batch.
	OnAnswer(wake func())
}

// Transient is an operator that may hold no chunk beyond its work on it.
type Transient interface {
	Operator
	// Transient reports that once Step says Done, nothing that was pushed is held any
	// more: neither the chunk nor the memory of its vectors. What was emitted may
	// share memory with it. The answer is always the same. Who says Waiting is not.
	Transient() bool
}

// Lending is an operator that makes what it emits of memory that it gets back: it is
// worked off by then. What it passes on of its input is its input's.
type Lending interface {
	Operator
	// Lend says, before the first batch, where the memory is from. The loan is ended
	// before the next Step after one that emitted, and with the batch. It is called
	// only if all whom the output reaches are Transient, or copy it.
	Lend(l *batch.Loan)
}

// lending is what each Lending operator has. Without Lend it lends for ever.
type lending struct{ loan *batch.Loan }

// Lend says where the memory of the output is from.
func (l *lending) Lend(loan *batch.Loan) { l.loan = loan }

// Stateful is an operator that remembers across batches.
type Stateful interface {
	Operator
	// States names the stores that hold all there is to remember, always in the
	// same order. The engine checkpoints them between batches, and to recover
	// loads their pages into a new operator's stores, then calls Rebuild.
	States() []*state.Store
	// Rebuild derives indexes from the stores just loaded.
	Rebuild() error
}

// Versioned is a Stateful whose rows were laid out otherwise before.
type Versioned interface {
	Stateful
	// StateVersion is the layout's number, from 2 on. It grows with each change that
	// makes rows of before mean something else.
	StateVersion() uint32
}

// StateVersion is the number of the layout of op's rows: 1 for one that has always
// been as it is. Rows of another layout are not loaded: what they hold is computed
// anew.
func StateVersion(op Stateful) uint32 {
	if v, ok := op.(Versioned); ok {
		return v.StateVersion()
	}
	return 1
}

// OrderKey is one ORDER BY key: a column of the input chunk.
type OrderKey struct {
	Col  int
	Desc bool
}

// MapSpec says what a Map does with a row: keep it if all of Filter are true,
// then compute Project (nil: the row as it is). Columns are positions.
type MapSpec struct {
	Filter  []*expr.Expr
	Project []*expr.Expr
}
