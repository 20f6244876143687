package build

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
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
	spec := windowSpec(n, indexOf(in.cols, n.Time.ID), keep)
	spec.Lateness = b.lateness(n, in.cols)
	cols := append(kept, n.Start, n.End)
	props := b.derived.Props(n)
	node := &physical.Node{
		Kind: physical.Window, Inputs: []*physical.Node{in.node}, Fields: fields(cols), Window: spec, Props: propsOf(props, cols),
	}
	return over(node, cols, props), nil
}

func windowSpec(n *logical.Window, time int, keep []int) *physical.WindowSpec {
	return &physical.WindowSpec{Kind: physical.WindowKind(n.Kind), Time: time, Size: n.Size, Slide: n.Slide, Offset: n.Offset, Keep: keep}
}

// panes combines the rows of w per pane, by the keys of n that are no bounds, and
// puts what comes of each into its windows. It gives what a Reduce by all keys of
// n would, but for how often, and completes spec for the Merge of it.
func (b *builder) panes(n *logical.Aggregate, w *logical.Window, spec *physical.AggSpec) (*physical.Node, error) {
	var keys []logical.Col
	spec.Step = w.Slide
	for i, k := range n.Keys {
		if k.ID != w.Start.ID && k.ID != w.End.ID {
			keys = append(keys, k)
		} else {
			spec.Bounds = append(spec.Bounds, i)
		}
	}
	in, kept, keep, err := b.windowInput(w, aggregated(n, keys))
	if err != nil {
		return nil, err
	}
	pane, count := logical.Col{ID: -1, Name: "pane", Type: w.Start.Type}, logical.Col{ID: -2, Name: "windows of the pane", Type: types.Type{Kind: types.BigInt, NotNull: true}}
	cols := append(kept, pane, count)
	into := windowSpec(w, indexOf(in.cols, w.Time.ID), keep)
	into.Form, into.Lateness = physical.IntoPanes, b.lateness(w, in.cols)
	appends := physical.Props{AppendOnly: spec.AppendOnly}
	node := &physical.Node{Kind: physical.Window, Inputs: []*physical.Node{in.node}, Fields: fields(cols), Window: into, Props: appends}

	combined := append(keys, pane, count)
	perPane := physical.AggSpec{Aggs: calls(n, cols), AppendOnly: spec.AppendOnly}
	for _, k := range combined {
		perPane.Keys = append(perPane.Keys, indexOf(cols, k.ID))
	}
	node = reduce(node, perPane, combined, n.Aggs)
	spec.Aggs = perPane.Aggs

	of := windowSpec(w, len(keys), upTo(len(keys)))
	of.Form, of.Count, of.Late = physical.OfPanes, len(keys)+1, -1
	for i := range node.Fields[len(combined):] {
		of.Keep = append(of.Keep, len(combined)+i)
	}
	partials := node.Fields[len(combined):]
	out := slices.Concat(node.Fields[:len(keys)], partials, fields([]logical.Col{w.Start, w.End}))
	node = &physical.Node{Kind: physical.Window, Inputs: []*physical.Node{node}, Fields: out, Window: of, Props: appends}
	return keysFirst(node, n, keys, w, len(partials)), nil
}

// keysFirst puts the keys of n before the partials that stand behind others of
// them: keys, partials, and the bounds of w.
func keysFirst(in *physical.Node, n *logical.Aggregate, keys []logical.Col, w *logical.Window, partials int) *physical.Node {
	var order []int
	for _, k := range n.Keys {
		switch at := indexOf(keys, k.ID); {
		case at >= 0:
			order = append(order, at)
		case k.ID == w.Start.ID:
			order = append(order, len(keys)+partials)
		default:
			order = append(order, len(keys)+partials+1)
		}
	}
	for i := range partials {
		order = append(order, len(keys)+i)
	}
	node := &physical.Node{Kind: physical.Map, Inputs: []*physical.Node{in}, Map: &physical.MapSpec{}, Props: in.Props}
	for _, at := range order {
		f := in.Fields[at]
		node.Fields = append(node.Fields, f)
		node.Map.Project = append(node.Map.Project, expr.NewColumn(at, f.Name, f.Type))
	}
	return node
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
	if n.Retracted.ID != 0 {
		l.Retracts, l.Retracted = true, indexOf(cols, n.Retracted.ID)
	}
	for _, c := range n.Own {
		l.Own = append(l.Own, indexOf(cols, c.ID))
	}
	return l
}
