package build

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// expiry finds the column among cols by which rows of a state are over first;
// nil: no column tells, or rows come late still.
func expiry(p *logical.Props, cols []logical.Col) *physical.Expiry {
	var best *physical.Expiry
	least := int64(0)
	for i, c := range cols {
		t, ok := p.Times[c.ID]
		if !ok || t.Late || len(t.Watermark) == 0 {
			continue
		}
		most := t.Watermark[0].Delay
		for _, s := range t.Watermark {
			most = max(most, s.Delay)
		}
		if best == nil || most < least {
			best, least = &physical.Expiry{Col: i, Watermark: t.Watermark}, most
		}
	}
	return best
}

// untilOver notes what a node remembers that forgets rows by the time of cols.
func (b *builder) untilOver(node *physical.Node, e *physical.Expiry) {
	if e != nil {
		node.Props.State += " until " + node.Fields[e.Col].Name + " is over"
		node.Props.Unbounded = ""
	}
}
