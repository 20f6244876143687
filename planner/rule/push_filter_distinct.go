package rule

import "streamsql/planner/logical"

var pushFilterThroughDistinct = Rule{
	Name:   "push_filter_through_distinct",
	Reason: "equal rows pass a filter alike, but for what tells texts apart that are equal and not the same: those that do not pass need no state",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		d, ok := f.Input.(*logical.Distinct)
		if !ok {
			return n
		}
		down, stay := c.byPartition(f.Conds, d.Input, ids(d.Columns()))
		if len(down) == 0 {
			return n
		}
		return logical.NewFilter(&logical.Distinct{Input: logical.NewFilter(d.Input, down)}, stay)
	}),
}
