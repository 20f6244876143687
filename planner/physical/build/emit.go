package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// emit is an Emit where a row and its retraction come to the same task.
func (b *builder) emit(n *logical.Emit, want []logical.Col) (*rel, error) {
	cols := pick(n.Columns(), withCol(logical.SetOf(want), n.Col))
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
		Kind: physical.Emit, Inputs: []*physical.Node{in}, Fields: fields(cols), Props: propsOf(props, cols),
		Emit: &physical.EmitSpec{Col: indexOf(cols, n.Col.ID), Watermark: n.Closes, Shrinks: b.derived.Props(n.Input).Times[n.Col.ID].Shrinks},
	}
	node.Props.State = "the rows of open windows"
	return over(node, cols, props), nil
}

func withCol(s logical.ColSet, c logical.Col) logical.ColSet {
	s[c.ID] = true
	return s
}

// settled reports that a row and its retraction come out of the same task of the
// stage that n ends: nothing is retracted, or what retracts it stands in the stage.
func settled(n *physical.Node) bool {
	switch {
	case n.Props.AppendOnly, n.Kind == physical.Shuffle:
		return true
	case n.Kind == physical.Source:
		return false
	}
	for _, in := range n.Inputs {
		if !settled(in) {
			return false
		}
	}
	return true
}
