package build

import (
	"fmt"
	"time"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

var joinKinds = map[logical.JoinKind]physical.JoinKind{
	logical.InnerJoin: physical.InnerJoin, logical.LeftJoin: physical.LeftJoin, logical.FullJoin: physical.FullJoin,
	logical.SemiJoin: physical.SemiJoin, logical.AntiJoin: physical.AntiJoin,
}

// join is a Shuffle of each side, then the Join with the further conditions. In a plan of one batch the right side goes first where a row's
// match, or its want of one, decides whether it is given.
func (b *builder) join(n *logical.Join, want []logical.Col) (*rel, error) {
	need := logical.SetOf(want)
	for _, k := range n.Keys {
		need[k.Left.ID], need[k.Right.ID] = true, true
	}
	for _, e := range n.On {
		e.Columns(need)
	}
	spec := &physical.JoinSpec{Kind: joinKinds[n.Kind], LeftKeys: []int{}, RightKeys: []int{}, OneBatch: !b.continuous}
	spec.RightFirst = spec.OneBatch && n.Kind != logical.InnerJoin
	leftCols, rightCols := pick(n.Left.Columns(), need), pick(n.Right.Columns(), need)
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
	left, err := b.node(n.Left, leftCols)
	if err != nil {
		return nil, err
	}
	right, err := b.node(n.Right, rightCols)
	if err != nil {
		return nil, err
	}
	cols := pick(n.Columns(), need)
	if n.Kind != logical.SemiJoin && n.Kind != logical.AntiJoin {
		cols, spec.Output = wanted(cols, want)
	}
	props := b.derived.Props(n)
	node := &physical.Node{
		Kind:   physical.Join,
		Inputs: b.meet(n, spec, left.give(leftCols), right.give(rightCols)),
		Fields: fields(cols), Join: spec, Props: propsOf(props, cols),
	}
	both := over(nil, append(leftCols, rightCols...), nil)
	for _, e := range n.On {
		spec.Residual = append(spec.Residual, both.position(e))
	}
	spec.LeftAppends, spec.RightAppends = b.derived.Props(n.Left).AppendOnly, b.derived.Props(n.Right).AppendOnly
	b.expire(spec, n, leftCols, rightCols)
	b.keepJoin(node, n)
	return over(node, cols, props), nil
}

// wanted are those of the columns that want names, with their positions; nil: all are.
func wanted(cols, want []logical.Col) (out []logical.Col, at []int) {
	set := logical.SetOf(want)
	for i, c := range cols {
		if set[c.ID] {
			out, at = append(out, c), append(at, i)
		}
	}
	if len(cols) == 0 {
		return nil, nil
	}
	if len(out) == 0 { // a row needs some column, if only to be counted
		return cols[:1], []int{0}
	}
	if len(out) == len(cols) {
		return cols, nil
	}
	return out, at
}

// meet shuffles the inputs of a join so that rows that match are in one task: by
// the keys; without keys, one side whole to every task, and the other spread over
// them, or, where rows of both may stand alone, all to one.
func (b *builder) meet(n *logical.Join, spec *physical.JoinSpec, left, right *physical.Node) []*physical.Node {
	if len(n.Keys) > 0 {
		return []*physical.Node{shuffle(left, spec.LeftKeys), shuffle(right, spec.RightKeys)}
	}
	l, r := b.derived.Props(n.Left), b.derived.Props(n.Right)
	// The side of which there is less, as far as one can tell, goes to all.
	toAll := n.Kind == logical.InnerJoin && !r.OneRow() && (l.OneRow() || r.Grows && !l.Grows)
	by := rowKey(left)
	if toAll {
		by = rowKey(right)
	}
	switch {
	case n.Kind == logical.FullJoin || len(by) == 0:
		return []*physical.Node{shuffle(left, nil), shuffle(right, nil)}
	case toAll:
		return []*physical.Node{broadcast(left), shuffle(right, by)}
	}
	return []*physical.Node{shuffle(left, by), broadcast(right)}
}

// rowKey are positions that a row and its retraction agree in: its shortest key,
// or all.
func rowKey(n *physical.Node) []int {
	if keys := n.Props.Keys; len(keys) > 0 && len(keys[0]) > 0 {
		return keys[0]
	}
	return upTo(len(n.Fields))
}

// broadcast sends all rows of n to every task.
func broadcast(n *physical.Node) *physical.Node {
	out := shuffle(n, nil)
	out.Shuffle = &physical.ShuffleSpec{Kind: physical.Broadcast}
	return out
}

// expire lets rows of both sides go that are over together, or else as n's Untils
// say.
func (b *builder) expire(spec *physical.JoinSpec, n *logical.Join, leftCols, rightCols []logical.Col) {
	left, right := b.derived.Props(n.Left).Times, b.derived.Props(n.Right).Times
	if at := b.derived.OverTogether(n); at >= 0 {
		k := n.Keys[at]
		both := left[k.Left.ID].Least(right[k.Right.ID]).Watermark
		spec.LeftExpiry = &physical.Expiry{Col: spec.LeftKeys[at], Watermark: both}
		spec.RightExpiry = &physical.Expiry{Col: spec.RightKeys[at], Watermark: both}
		return
	}
	spec.LeftExpiry = expiryUntil(n.LeftUntil, leftCols, right)
	spec.RightExpiry = expiryUntil(n.RightUntil, rightCols, left)
	spec.OverMeet = spec.LeftExpiry != nil || spec.RightExpiry != nil
}

// expiryUntil is the expiry of the rows cols that u speaks of; nil, of a plan of
// one batch too: they stay.
func expiryUntil(u *logical.Until, cols []logical.Col, other map[int]physical.Time) *physical.Expiry {
	if u == nil || len(other[u.Other.ID].Watermark) == 0 {
		return nil
	}
	return &physical.Expiry{Col: indexOf(cols, u.Own.ID), Watermark: other[u.Other.ID].Watermark.Later(u.Delay)}
}

// keepJoin notes what a join remembers: rows of both inputs, but of a semi or
// anti join by keys alone only the right's keys, and no left row whose match is
// settled.
func (b *builder) keepJoin(node *physical.Node, n *logical.Join) {
	left, right := b.derived.Props(n.Left), b.derived.Props(n.Right)
	state := "the rows of both inputs"
	if n.Kind.LeftOnly() && len(n.On) == 0 {
		state = "left's rows, right's keys"
		if node.Join.RightAppends {
			state = "left's rows without a match, right's keys"
		}
	}
	spec := node.Join
	switch x := spec.LeftExpiry; {
	case spec.OverMeet:
		state = sideUntil("left", node.Inputs[0], spec.LeftExpiry, n.LeftUntil) + ", " + sideUntil("right", node.Inputs[1], spec.RightExpiry, n.RightUntil)
	case x != nil:
		state += " until " + node.Inputs[0].Fields[x.Col].Name + " is over"
	}
	b.keep(node, state, left.Grows && spec.LeftExpiry == nil || right.Grows && spec.RightExpiry == nil)
}

// sideUntil: `left's rows until the watermark of p.ts is past o.ts + 10s`.
func sideUntil(side string, in *physical.Node, x *physical.Expiry, u *logical.Until) string {
	if x == nil {
		return side + "'s rows for ever"
	}
	own := in.Fields[x.Col].Name
	// A row may come whose time is the watermark: that is the delay's last microsecond.
	switch apart := (time.Duration(u.Delay) * time.Microsecond).Truncate(time.Millisecond); {
	case apart > 0:
		own += " + " + apart.String()
	case apart < 0:
		own += " - " + (-apart).String()
	}
	return fmt.Sprintf("%s's rows until the watermark of %s is past %s", side, u.Other.Name, own)
}
