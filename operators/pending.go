package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

type pending struct{}

func (pending) Begin(*Batch)           {}
func (pending) Push(int, *batch.Chunk) {}
func (pending) CloseInput(int)         {}
func (pending) Step(int, func(*batch.Chunk)) (Status, error) {
	return Done, sqlerr.Unsupported("this operator")
}
func (pending) States() []*state.Store { return nil }
func (pending) Rebuild() error         { return nil }

type (
	Map      struct{ pending }
	Reduce   struct{ pending }
	Merge    struct{ pending }
	Distinct struct{ pending }
	Join     struct{ pending }
	Sort     struct{ pending }
	View     struct{ pending }
)

// ViewImage is a view as it was after one batch, safe for all until Release.
type ViewImage struct{}

func NewMap(spec MapSpec, input []types.Type, env Env) (*Map, error) {
	return nil, sqlerr.Unsupported("Map")
}
func NewReduce(spec AggSpec, env Env) (*Reduce, error) { return nil, sqlerr.Unsupported("Reduce") }
func NewMerge(spec AggSpec, env Env) (*Merge, error)   { return nil, sqlerr.Unsupported("Merge") }
func NewDistinct(input []types.Type, env Env) (*Distinct, error) {
	return nil, sqlerr.Unsupported("Distinct")
}
func NewJoin(spec JoinSpec, env Env) (*Join, error) { return nil, sqlerr.Unsupported("Join") }
func NewSort(spec SortSpec, env Env) (*Sort, error) { return nil, sqlerr.Unsupported("Sort") }
func NewView(spec ViewSpec, env Env) (*View, error) { return nil, sqlerr.Unsupported("View") }

// Snapshot takes an image of the view after the last batch.
func (v *View) Snapshot() *ViewImage { return nil }

// CollectChanges makes the view keep each batch's consolidated changelog.
func (v *View) CollectChanges(on bool) {}

// Changes returns the consolidated changelog of the batch just done and forgets it.
func (v *View) Changes() []*batch.Chunk { return nil }

// Rows returns the number of rows, repeats counted.
func (m *ViewImage) Rows() int64 { return 0 }

// Scan starts reading all rows in pieces.
func (m *ViewImage) Scan() *ViewScan { return nil }

// Get returns the row with the key (the columns of ViewSpec.Key, row i of key), nil if there is none.
func (m *ViewImage) Get(key *batch.Chunk, i int) *batch.Chunk { return nil }

// Release ends the image.
func (m *ViewImage) Release() {}

// ViewScan reads an image in pieces.
type ViewScan struct{}

// Next returns at most maxRows rows, nil at the end. Weights count how often a row is there.
func (s *ViewScan) Next(maxRows int) *batch.Chunk { return nil }
