package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
)

// setOp is a Shuffle of each input by all its columns → SetOp.
func (b *builder) setOp(n *logical.SetOp) (*rel, error) {
	props := b.derived.Props(n)
	spec := &physical.SetOpSpec{Kind: physical.Intersect, All: n.All}
	if n.Kind == bind.Except {
		spec.Kind = physical.Except
	}
	node := &physical.Node{Kind: physical.SetOp, Fields: fields(n.Cols), SetOp: spec, Props: propsOf(props, n.Cols)}
	for i, in := range n.Ins {
		given, err := b.positional(in, n.From[i])
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, shuffle(given, upTo(len(n.Cols))))
	}
	b.keep(node, "one row per distinct row, counted in each input", props.Grows)
	return over(node, n.Cols, props), nil
}

// positional is a node that gives the columns of in with the given ids.
func (b *builder) positional(in logical.Node, ids []int) (*physical.Node, error) {
	all := in.Columns()
	cols := make([]logical.Col, len(ids))
	for k, id := range ids {
		cols[k] = all[indexOf(all, id)]
	}
	r, err := b.node(in, cols)
	if err != nil {
		return nil, err
	}
	return r.give(cols), nil
}
