package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterThroughDistinct = Rule{
	Name:   "push_filter_through_distinct",
	Reason: "equal rows pass a filter alike: those that do not need no state",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		d, ok := f.Input.(*logical.Distinct)
		if !ok {
			return n
		}
		down, stay := split(f.Conds, func(e *expr.Expr) bool { return !c.volatile(e) })
		if len(down) == 0 {
			return n
		}
		return logical.NewFilter(&logical.Distinct{Input: logical.NewFilter(d.Input, down)}, stay)
	}),
}
