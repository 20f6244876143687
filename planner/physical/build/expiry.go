package build

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// expiry finds the column among cols by which rows of a state are over first;
// nil: no column tells, or rows come late still.
func expiry(p *logical.Props, cols []logical.Col) *physical.Expiry {
	ids := make([]int, len(cols))
	for i, c := range cols {
		ids[i] = c.ID
	}
	by, ok := logical.FirstOver(p.Times, ids)
	if !ok {
		return nil
	}
	t := p.Times[by]
	return &physical.Expiry{Col: slices.Index(ids, by), Watermark: t.Watermark, Shrinks: t.Shrinks}
}

// untilOver notes what a node remembers that forgets rows by the time of cols.
func (b *builder) untilOver(node *physical.Node, e *physical.Expiry) {
	if e != nil {
		node.Props.State += " until " + node.Fields[e.Col].Name + " is over"
		node.Props.Unbounded = ""
	}
}
