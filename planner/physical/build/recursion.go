package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// recursion is a Source of rows that are computed before.
func (b *builder) recursion(n *logical.Recursion) *rel {
	props := b.derived.Props(n)
	working := uint64(n.Of.Working.ID)
	node := &physical.Node{
		Kind: physical.Source, Fields: fields(n.Cols),
		Source: &physical.SourceSpec{
			Table: working + 1, Name: n.Of.Working.Name, Columns: upTo(len(n.Cols)),
			Recursion: &physical.RecursionSpec{Plan: n.Plan, Working: working, Limit: n.Of.Limit, Offset: n.Of.Offset},
		},
		Props: propsOf(props, n.Cols),
	}
	return over(node, n.Cols, props)
}
