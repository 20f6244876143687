package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// over is Shuffle by the partition → Over. The columns that break ties come first.
func (b *builder) over(n *logical.Over, want []logical.Col) (*rel, error) {
	need := n.Needs()
	for _, f := range n.Funcs {
		for _, e := range f.Reads() {
			need = append(need, e.Col)
		}
	}
	cols := tiesFirst(n.Input.Columns(), n.Ties, want, need)
	r, err := b.node(n.Input, cols)
	if err != nil {
		return nil, err
	}
	in, below, props := r.give(cols), b.derived.Props(n.Input), b.derived.Props(n)
	spec := &physical.OverSpec{Order: sortKeys(n.Order, cols)}
	for _, id := range n.Partition {
		spec.Partition = append(spec.Partition, indexOf(cols, id))
	}
	out := append([]logical.Col(nil), cols...)
	for i := range n.Funcs {
		out = append(out, n.Funcs[i].Col)
		spec.Funcs = append(spec.Funcs, overFunc(&n.Funcs[i], cols))
	}
	node := &physical.Node{
		Kind: physical.Over, Inputs: []*physical.Node{shuffle(in, spec.Partition)}, Fields: fields(out), Over: spec, Props: propsOf(props, out),
	}
	spec.Expiry = b.partitionExpiry(n.Input, n.Partition, cols)
	b.keep(node, "all rows, in order, and their results"+untilOver(spec.Expiry, cols), below.Grows && spec.Expiry == nil)
	return over(node, out, props), nil
}

func overFunc(f *logical.OverFunc, cols []logical.Col) physical.OverFunc {
	at := func(e *expr.Expr) int { return indexOf(cols, e.Col) }
	out := physical.OverFunc{Fn: f.Fn, N: f.N, Type: f.Type}
	for _, e := range f.Args {
		out.Args = append(out.Args, at(e))
	}
	if f.Fn == "" {
		call := f.Call
		call.Args = nil
		for _, e := range f.Call.Args {
			call.Args = append(call.Args, expr.NewColumn(at(e), e.Name, e.Type))
		}
		out.Call = &call
	}
	if framed(f.Fn) {
		bound := func(b bind.Bound) physical.Bound {
			p := physical.Bound{Kind: boundKinds[b.Kind], N: b.N}
			if b.Value != nil {
				p.Col = at(b.Value)
			}
			return p
		}
		unit := []physical.FrameUnit{physical.FrameRows, physical.FrameRange, physical.FrameGroups}[f.Frame.Unit]
		out.Frame = &physical.Frame{Unit: unit, Start: bound(f.Frame.Start), End: bound(f.Frame.End)}
	}
	return out
}

var boundKinds = []physical.BoundKind{
	physical.UnboundedPreceding, physical.Preceding, physical.CurrentRow, physical.Following, physical.UnboundedFollowing,
}

// framed reports a function that sees a frame.
func framed(fn string) bool {
	return fn == "" || fn == "first_value" || fn == "last_value" || fn == "nth_value"
}
