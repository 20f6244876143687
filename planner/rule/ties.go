package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/bind"
)

// shorterTies are the first of ties, up to the one with which all columns that
// rows of a partition are compared by hold a unique key of in. A column that the
// partition has or that orders already parts no rows.
func (c *Context) shorterTies(in logical.Node, partition []int, order []bind.Order, ties []int) []int {
	have := logical.ColSet{}
	for _, id := range partition {
		have[id] = true
	}
	byText := textColumns(in)
	for _, k := range order {
		if !byText[k.Col] { // texts may be equal in order and yet not the same
			have[k.Col] = true
		}
	}
	props := c.Derived.Props(in)
	var out []int
	for _, id := range ties {
		if props.HasKeyIn(have) {
			return out
		}
		if !have[id] {
			have[id] = true
			out = append(out, id)
		}
	}
	return out
}

// textColumns are the columns of which values may be equal and yet not the same.
func textColumns(n logical.Node) logical.ColSet {
	set := logical.ColSet{}
	for _, col := range n.Columns() {
		set[col.ID] = col.Type.IsText() || col.Type.Folds()
	}
	return set
}
