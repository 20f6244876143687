package build

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// expand asks its input for what is read above and what its keys are made of.
func (b *builder) expand(n *logical.Expand, want []logical.Col) (*rel, error) {
	need := logical.SetOf(want)
	for _, k := range n.Keys {
		need[k.From] = true
	}
	below := pick(n.Input.Columns(), need)
	r, err := b.node(n.Input, below)
	if err != nil {
		return nil, err
	}
	spec := &physical.ExpandSpec{Sets: n.Sets}
	cols := slices.Clone(below)
	for _, k := range n.Keys {
		spec.Keys = append(spec.Keys, indexOf(below, k.From))
		cols = append(cols, k.Col)
	}
	cols = append(cols, n.ID)
	props := b.derived.Props(n)
	node := &physical.Node{
		Kind: physical.Expand, Inputs: []*physical.Node{r.give(below)}, Fields: fields(cols), Expand: spec, Props: propsOf(props, cols),
	}
	return over(node, cols, props), nil
}
