package build

import (
	"slices"
	"strings"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// shuffle sends the rows of n by the hash of the fields keys; all to one task if
// there are none.
func shuffle(n *physical.Node, keys []int) *physical.Node {
	spec := &physical.ShuffleSpec{Kind: physical.Hash, Keys: keys}
	if len(keys) == 0 {
		spec = &physical.ShuffleSpec{Kind: physical.Single}
	}
	props := n.Props
	props.State, props.Unbounded = "", ""
	return &physical.Node{Kind: physical.Shuffle, Inputs: []*physical.Node{n}, Fields: n.Fields, Shuffle: spec, Props: props}
}

// aggregate is [Reduce →] Shuffle → Merge over the keys and arguments.
func (b *builder) aggregate(n *logical.Aggregate) (*rel, error) {
	cols := aggregated(n, n.Keys)
	inProps, props := b.derived.Props(n.Input), b.derived.Props(n)
	spec := physical.AggSpec{Keys: upTo(len(n.Keys)), Aggs: calls(n, cols), AppendOnly: inProps.AppendOnly}
	if err := checkRetraction(spec); err != nil {
		return nil, err
	}
	var in *physical.Node
	if w, ok := n.Input.(*logical.Window); ok && n.Panes {
		var err error
		if in, err = b.panes(n, w, &spec); err != nil {
			return nil, err
		}
	} else {
		r, err := b.node(n.Input, cols)
		if err != nil {
			return nil, err
		}
		if in = r.give(cols); n.TwoPhase {
			in = reduce(in, spec, n.Keys, n.Aggs)
		}
	}
	spec.Partial = n.TwoPhase
	spec.Whole = !n.TwoPhase && b.wholeGroups(n)
	out := n.Columns()
	spec.Expiry = expiry(props, out)
	node := &physical.Node{
		Kind: physical.Merge, Inputs: []*physical.Node{shuffle(in, partedBy(spec))}, Fields: fields(out), Agg: &spec, Props: propsOf(props, out),
	}
	b.keep(node, mergeState(spec), inProps.Grows && (len(n.Keys) > 0 || keepsValues(spec)))
	b.untilOver(node, node.Agg.Expiry)
	return over(node, out, props), nil
}

// checkRetraction refuses functions of the user's own that cannot take values back,
// where they must.
func checkRetraction(spec physical.AggSpec) error {
	for _, c := range spec.Aggs {
		if c.Routine != nil && c.Routine.CannotRetract && !spec.AppendOnly {
			return sqlerr.New(sqlerr.NotSupportedYet, "Aggregate function '%s' has no retract, and these rows can change or go: "+
				"add one, or use it over a stream table without PRIMARY KEY or in a query that runs once", c.Routine.Name)
		}
	}
	return nil
}

// partedBy are the keys that a Merge's rows are parted by: all, but that the
// overlapping windows of the other keys stay together. (Not where groups are kept
// for ever: their state may be the view, which is looked up by the whole key.)
func partedBy(spec physical.AggSpec) []int {
	if len(spec.Bounds) == len(spec.Keys) || spec.Expiry == nil {
		return spec.Keys
	}
	return slices.DeleteFunc(slices.Clone(spec.Keys), func(k int) bool { return slices.Contains(spec.Bounds, k) })
}

// wholeGroups reports that the groups of n are sessions, by id, of rows that stay:
// such a session goes when it and another become one, with all its rows, and its id
// is not used again in that batch.
func (b *builder) wholeGroups(n *logical.Aggregate) bool {
	w, ok := sessionsByID(n)
	return ok && b.derived.Props(w.Input).AppendOnly
}

// sessionsByID finds the sessions whose ids are among the keys of n.
func sessionsByID(n *logical.Aggregate) (*logical.Window, bool) {
	in := n.Input
	for {
		switch x := in.(type) {
		case *logical.Project:
			in = x.Input
			continue
		case *logical.Filter:
			in = x.Input
			continue
		case *logical.Window:
			return x, x.IDs && slices.ContainsFunc(n.Keys, func(k logical.Col) bool { return k.ID == x.End.ID })
		}
		return nil, false
	}
}

// aggregated are the columns keys, then those that the aggregates of n read.
func aggregated(n *logical.Aggregate, keys []logical.Col) []logical.Col {
	cols, all := slices.Clone(keys), n.Input.Columns()
	for _, g := range n.Aggs {
		for _, e := range g.Call.Args {
			if indexOf(cols, e.Col) < 0 {
				cols = append(cols, all[indexOf(all, e.Col)])
			}
		}
	}
	return cols
}

// calls are the aggregates of n over cols.
func calls(n *logical.Aggregate, cols []logical.Col) []agg.Call {
	out := make([]agg.Call, len(n.Aggs))
	for i, g := range n.Aggs {
		out[i] = g.Call
		out[i].Args = nil
		for _, e := range g.Call.Args {
			out[i].Args = append(out[i].Args, expr.NewColumn(indexOf(cols, e.Col), e.Name, e.Type))
		}
	}
	return out
}

// reduce combines the rows of a key in each batch: keys, then partial columns.
func reduce(in *physical.Node, spec physical.AggSpec, keys []logical.Col, aggs []logical.Agg) *physical.Node {
	node := &physical.Node{
		Kind: physical.Reduce, Inputs: []*physical.Node{in}, Fields: fields(keys), Agg: &spec, Props: physical.Props{AppendOnly: spec.AppendOnly},
	}
	for i, c := range spec.Aggs {
		for _, t := range agg.Partial(c) {
			node.Fields = append(node.Fields, physical.Field{Name: aggs[i].Name, Type: t})
		}
	}
	return node
}

// keepsValues reports an aggregate that must remember each value to take one back.
func keepsValues(spec physical.AggSpec) bool {
	return slices.ContainsFunc(spec.Aggs, func(c agg.Call) bool { return agg.KeepsValues(c, spec.AppendOnly || spec.Whole) })
}

func mergeState(spec physical.AggSpec) string {
	state := "one row per key"
	if len(spec.Keys) == 0 {
		state = "one row"
	}
	if keepsValues(spec) {
		return state + " and per distinct value"
	}
	for _, c := range spec.Aggs {
		if c.Keeping() != agg.End {
			continue
		}
		switch {
		case spec.AppendOnly:
			return state + " (append-only: " + strings.ToUpper(c.Fn) + " keeps one value)"
		case spec.Whole:
			return state + " (sessions go as a whole: " + strings.ToUpper(c.Fn) + " keeps one value)"
		}
	}
	return state
}

// distinct is Shuffle by all columns → Distinct.
func (b *builder) distinct(n *logical.Distinct) (*rel, error) {
	cols := n.Columns()
	r, err := b.node(n.Input, cols)
	if err != nil {
		return nil, err
	}
	props := b.derived.Props(n)
	node := &physical.Node{
		Kind: physical.Distinct, Inputs: []*physical.Node{shuffle(r.give(cols), upTo(len(cols)))}, Fields: fields(cols), Props: propsOf(props, cols),
	}
	b.keep(node, "one row per distinct row", props.Grows)
	if e := expiry(props, cols); e != nil {
		node.Agg = &physical.AggSpec{Keys: upTo(len(cols)), Expiry: e}
		b.untilOver(node, e)
	}
	return over(node, cols, props), nil
}

// union asks each input for its columns in the union's order.
func (b *builder) union(n *logical.Union) (*rel, error) {
	props := b.derived.Props(n)
	node := &physical.Node{Kind: physical.Union, Fields: fields(n.Cols), Props: propsOf(props, n.Cols)}
	for i, in := range n.Ins {
		given, err := b.positional(in, n.From[i])
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, given)
	}
	if len(node.Inputs) == 1 {
		return over(node.Inputs[0], n.Cols, props), nil
	}
	return over(node, n.Cols, props), nil
}

// maxLocal is the most rows that a Sort ahead of the Shuffle may keep.
const maxLocal = 1 << 20

// sort is [Sort →] Shuffle to one task → Sort. With a LIMIT each task sends on
// only as many rows as the result can take of it, if no row of the batch can
// still be taken back by another task's.
func (b *builder) sort(n *logical.Sort, want []logical.Col) (*rel, error) {
	cols := append([]logical.Col(nil), want...)
	spec := &physical.SortSpec{Limit: n.Limit, Offset: n.Offset}
	for _, k := range n.Keys {
		if indexOf(cols, k.Col) < 0 {
			all := n.Columns()
			cols = append(cols, all[indexOf(all, k.Col)])
		}
		spec.Keys = append(spec.Keys, physical.SortKey{Col: indexOf(cols, k.Col), Desc: k.Desc})
	}
	r, err := b.node(n.Input, cols)
	if err != nil {
		return nil, err
	}
	in := r.give(cols)
	sorted := func(in *physical.Node, spec *physical.SortSpec, props *logical.Props) *physical.Node {
		return &physical.Node{Kind: physical.Sort, Inputs: []*physical.Node{in}, Fields: fields(cols), Sort: spec, Props: propsOf(props, cols)}
	}
	if p := b.derived.Props(n.Input); p.AppendOnly && n.Limit >= 0 && n.Limit <= maxLocal && n.Offset <= maxLocal {
		in = sorted(in, &physical.SortSpec{Keys: spec.Keys, Limit: n.Limit + n.Offset, AppendOnly: true}, p)
		spec.AppendOnly = true
	}
	props := b.derived.Props(n)
	return over(sorted(shuffle(in, nil), spec, props), cols, props), nil
}

// keep notes what node remembers.
func (b *builder) keep(node *physical.Node, state string, grows bool) {
	node.Props.State = state
	if grows && b.continuous {
		node.Props.Unbounded = state
	}
}

func indexOf(cols []logical.Col, id int) int {
	for i, c := range cols {
		if c.ID == id {
			return i
		}
	}
	return -1
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
