package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// session is Shuffle by what the sessions are parted by → Session.
func (b *builder) session(n *logical.Window, want []logical.Col) (*rel, error) {
	in, kept, keep, err := b.windowInput(n, want)
	if err != nil {
		return nil, err
	}
	spec := &physical.SessionSpec{Keys: []int{}, Time: indexOf(in.cols, n.Time.ID), Gap: n.Size, Keep: keep, IDs: n.IDs, Lateness: b.lateness(n, in.cols)}
	for _, c := range n.Partition {
		spec.Keys = append(spec.Keys, indexOf(in.cols, c.ID))
	}
	bounded := false
	if base := b.derived.Base(n); len(base) > 0 {
		// No row joins a session whose end the watermark has passed: a gap after its last row.
		spec.Over, bounded = base.Later(n.Lateness+n.Size), true
	}
	cols := append(kept, n.Start, n.End)
	props := b.derived.Props(n)
	node := &physical.Node{
		Kind: physical.Session, Inputs: []*physical.Node{shuffle(in.node, spec.Keys)}, Fields: fields(cols), Session: spec, Props: propsOf(props, cols),
	}
	b.keep(node, "the rows of open sessions", b.derived.Props(n.Input).Grows && !bounded)
	if !bounded {
		node.Props.State = "all rows"
	}
	return over(node, cols, props), nil
}
