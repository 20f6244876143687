package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// timeFilter is a TimeFilter where a row and its retraction come to the same task.
func (b *builder) timeFilter(n *logical.TimeFilter, want []logical.Col) (*rel, error) {
	cols := reading(n.Input, want, n.Exprs())
	r, err := b.node(n.Input, cols)
	if err != nil {
		return nil, err
	}
	in := r.give(cols)
	if !settled(in) {
		in = shuffle(in, upTo(len(cols)))
	}
	props := b.derived.Props(n)
	node := &physical.Node{
		Kind: physical.TimeFilter, Inputs: []*physical.Node{in}, Fields: fields(cols), Props: propsOf(props, cols), TimeFilter: &physical.TimeFilterSpec{},
	}
	node.Props.State = "rows that will come or go with time"
	out := over(node, cols, props)
	for _, c := range n.Conds {
		c.Value = out.position(c.Value)
		node.TimeFilter.Conds = append(node.TimeFilter.Conds, c)
	}
	return out, nil
}
