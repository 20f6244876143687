package logical

import (
	"slices"

	"streamsql/sql/sqlerr"
)

// withOwn is n with all columns of the stream that its rows come from, and these
// in the stream's order.
func (b *builder) withOwn(n Node) (Node, []Col, error) {
	switch n := n.(type) {
	case *Scan:
		own := make([]Col, 0, len(n.Table.Columns))
		for i, c := range n.Table.Columns {
			if c.Hidden {
				continue
			}
			at := slices.Index(n.Positions, i)
			if at < 0 {
				return nil, nil, keepLateError()
			}
			own = append(own, n.Cols[at])
		}
		return n, own, nil
	case *Filter:
		in, own, err := b.withOwn(n.Input)
		return &Filter{Input: in, Conds: n.Conds}, own, err
	case *Window:
		in, own, err := b.withOwn(n.Input)
		return n.WithInputs([]Node{in}), own, err
	case *Project:
		in, own, err := b.withOwn(n.Input)
		if err != nil {
			return nil, nil, err
		}
		items := slices.Clone(n.Items)
		for _, c := range own {
			if !slices.ContainsFunc(items, func(it Computed) bool { return it.ID == c.ID }) {
				items = append(items, PassThrough(c))
			}
		}
		return &Project{Input: in, Items: items}, own, nil
	}
	return nil, nil, keepLateError()
}

func keepLateError() error {
	return sqlerr.Unsupported("late_rows of a window over anything but one stream table and what filters it")
}
