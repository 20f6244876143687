package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

var timedKinds = map[logical.Timing]physical.Kind{
	logical.AtArrival: physical.TemporalJoin, logical.AtEventTime: physical.VersionJoin,
	logical.Closest: physical.AsofJoin, logical.Outside: physical.LookupJoin,
}

// timedJoin is a Shuffle of each side by its keys, then the join.
func (b *builder) timedJoin(n *logical.TimedJoin, want []logical.Col) (*rel, error) {
	need := logical.SetOf(want)
	for _, k := range n.Keys {
		need[k.Left.ID], need[k.Right.ID] = true, true
	}
	timedLeft, timedRight := n.Reads()
	for _, id := range append(timedLeft, timedRight...) {
		need[id] = true
	}
	for _, e := range n.On {
		e.Columns(need)
	}
	leftProps, rightProps := b.derived.Props(n.Left), b.derived.Props(n.Right)
	leftCols, rightCols := pick(n.Left.Columns(), need), pick(n.Right.Columns(), need)
	spec := &physical.TimedJoinSpec{Outer: n.Outer, LeftKeys: []int{}, RightKeys: []int{}, AppendOnly: leftProps.AppendOnly, Order: n.Order, OneBatch: !b.continuous}
	nullSafe := false
	for _, k := range n.Keys {
		spec.LeftKeys = append(spec.LeftKeys, indexOf(leftCols, k.Left.ID))
		spec.RightKeys = append(spec.RightKeys, indexOf(rightCols, k.Right.ID))
		spec.NullSafe = append(spec.NullSafe, k.NullSafe)
		nullSafe = nullSafe || k.NullSafe
	}
	if !nullSafe {
		spec.NullSafe = nil
	}
	if n.Timed() {
		spec.LeftTime, spec.RightTime = indexOf(leftCols, n.LeftTime), indexOf(rightCols, n.RightTime)
	}
	if n.Timing == logical.AtEventTime {
		versions(n, spec, leftCols, rightCols)
	}
	if n.RightLate.ID != 0 {
		asofBounds(n, spec, leftCols, rightCols)
	}
	left, err := b.node(n.Left, leftCols)
	if err != nil {
		return nil, err
	}
	cols, props := pick(n.Columns(), need), b.derived.Props(n)
	node := &physical.Node{
		Kind: timedKinds[n.Timing], Inputs: []*physical.Node{shuffle(left.give(leftCols), spec.LeftKeys)},
		Fields: fields(cols), Timed: spec, Props: propsOf(props, cols),
	}
	if s, ok := n.Right.(*logical.Scan); ok && n.Timing == logical.Outside {
		spec.Table, spec.Name = uint64(s.Table.ID), s.Table.Database+"."+s.Table.Name
		for _, c := range rightCols {
			spec.Columns = append(spec.Columns, s.Positions[indexOf(s.Cols, c.ID)])
		}
	} else {
		right, err := b.node(n.Right, rightCols)
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, shuffle(right.give(rightCols), spec.RightKeys))
	}
	r := over(node, cols, props)
	for _, e := range n.On {
		spec.Residual = append(spec.Residual, r.position(e))
	}
	b.keepTimed(node, leftProps, rightProps)
	return r, nil
}

// versions sets what a VersionJoin alone has.
func versions(n *logical.TimedJoin, spec *physical.TimedJoinSpec, left, right []logical.Col) {
	spec.LeftWatermark, spec.RightWatermark = n.Bounds()
	v := &physical.VersionSpec{
		Lateness:  physical.Lateness{Late: indexOf(left, n.Late.ID)},
		Watermark: indexOf(right, n.Watermark.ID), Arrival: indexOf(right, n.Arrival.ID), Deleted: indexOf(right, n.Deleted.ID),
	}
	if v.Lateness.Late < 0 {
		v.Lateness.Closed = spec.LeftWatermark.Least(spec.RightWatermark)
	}
	if len(spec.LeftWatermark) == 1 {
		v.Lateness.Stream = spec.LeftWatermark[0].Table
	}
	for _, c := range n.Own {
		v.Lateness.Own = append(v.Lateness.Own, indexOf(left, c.ID))
	}
	spec.Versions = v
}

// asofBounds sets what an AsofJoin has that need not keep all rows.
func asofBounds(n *logical.TimedJoin, spec *physical.TimedJoinSpec, left, right []logical.Col) {
	spec.LeftWatermark, spec.RightWatermark = n.Bounds()
	spec.Bounds = &physical.AsofBounds{
		Left: physical.Lateness{Late: indexOf(left, n.Late.ID)}, Right: physical.Lateness{Late: indexOf(right, n.RightLate.ID)},
	}
	if len(spec.LeftWatermark) == 1 {
		spec.Bounds.Left.Stream = spec.LeftWatermark[0].Table
	}
	if len(spec.RightWatermark) == 1 {
		spec.Bounds.Right.Stream = spec.RightWatermark[0].Table
	}
}

// keepTimed notes what a timed join remembers.
func (b *builder) keepTimed(node *physical.Node, left, right *logical.Props) {
	switch {
	case node.Kind == physical.AsofJoin && node.Timed.Bounds != nil:
		b.keep(node, "left rows until the right side's watermark passes them, and of each key the right rows from the watermarks on", false)
	case node.Kind == physical.AsofJoin:
		b.keep(node, "the rows of both inputs", left.Grows || right.Grows)
	case node.Kind == physical.LookupJoin && node.Timed.AppendOnly:
	case node.Kind == physical.LookupJoin:
		b.keep(node, "what each left row met", left.Grows)
	case node.Kind == physical.VersionJoin && node.Timed.AppendOnly:
		b.keep(node, "the versions from the watermark on, and left rows until it passes them", false)
	case node.Kind == physical.VersionJoin:
		b.keep(node, "the versions from the watermark on, left rows until it passes them, and what each of them met", left.Grows)
	case node.Timed.AppendOnly:
		b.keep(node, "the right input's rows", right.Grows)
	default:
		b.keep(node, "the right input's rows, and what each left row met", left.Grows || right.Grows)
	}
}
