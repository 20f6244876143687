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
	Map struct{ pending }
)

func NewMap(spec MapSpec, input []types.Type, env Env) (*Map, error) {
	return nil, sqlerr.Unsupported("Map")
}
