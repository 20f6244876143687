package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
)

// window is a Window over its input: the columns wanted, then the bounds.
func (b *builder) window(n *logical.Window, want []logical.Col) (*rel, error) {
	if n.Kind == bind.Session {
		return b.session(n, want)
	}
	in, kept, keep, err := b.windowInput(n, want)
	if err != nil {
		return nil, err
	}
	spec := &physical.WindowSpec{
		Kind: physical.WindowKind(n.Kind), Time: indexOf(in.cols, n.Time.ID), Size: n.Size, Slide: n.Slide, Offset: n.Offset,
		Keep: keep, Lateness: b.lateness(n, in.cols),
	}
	cols := append(kept, n.Start, n.End)
	props := b.derived.Props(n)
	node := &physical.Node{
		Kind: physical.Window, Inputs: []*physical.Node{in.node}, Fields: fields(cols), Window: spec, Props: propsOf(props, cols),
	}
	return over(node, cols, props), nil
}

// given is a node with the columns of its fields.
type given struct {
	node *physical.Node
	cols []logical.Col
}

// windowInput is the input with what the window reads and what is wanted of it,
// and the latter, with its positions.
func (b *builder) windowInput(n *logical.Window, want []logical.Col) (in given, kept []logical.Col, keep []int, err error) {
	need := logical.SetOf(want)
	for _, c := range n.Input.Columns() {
		if need[c.ID] {
			kept = append(kept, c)
		}
	}
	for _, c := range n.Reads() {
		need[c.ID] = true
	}
	in.cols = pick(n.Input.Columns(), need)
	r, err := b.node(n.Input, in.cols)
	if err != nil {
		return in, nil, nil, err
	}
	in.node = r.give(in.cols)
	keep = make([]int, len(kept))
	for i, c := range kept {
		keep[i] = indexOf(in.cols, c.ID)
	}
	return in, kept, keep, nil
}

func (b *builder) lateness(n *logical.Window, cols []logical.Col) physical.Lateness {
	l := physical.Lateness{Late: indexOf(cols, n.Late.ID), Allowed: n.Lateness}
	base := b.derived.Base(n)
	if l.Late < 0 && n.Time.ID != 0 {
		l.Closed = base
	}
	if len(base) == 1 && n.Time.ID != 0 {
		l.Stream = base[0].Table
	}
	for _, c := range n.Own {
		l.Own = append(l.Own, indexOf(cols, c.ID))
	}
	return l
}
