package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// unfold is an Unfold over its input: the columns wanted, then the document's.
func (b *builder) unfold(n *logical.Unfold, want []logical.Col) (*rel, error) {
	need := logical.SetOf(want)
	kept := pick(n.Input.Columns(), need)
	need[n.Document.ID] = true
	in := pick(n.Input.Columns(), need)
	r, err := b.node(n.Input, in)
	if err != nil {
		return nil, err
	}
	keep := make([]int, len(kept))
	for i, c := range kept {
		keep[i] = indexOf(in, c.ID)
	}
	cols := append(kept, n.Cols...)
	props := b.derived.Props(n)
	node := &physical.Node{
		Kind: physical.Unfold, Inputs: []*physical.Node{r.give(in)}, Fields: fields(cols), Props: propsOf(props, cols),
		Unfold: &physical.UnfoldSpec{Document: indexOf(in, n.Document.ID), Keep: keep, Table: n.Table, Outer: n.Outer},
	}
	return over(node, cols, props), nil
}
