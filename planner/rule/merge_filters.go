package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var mergeFilters = Rule{
	Name:   "merge_filters",
	Reason: "one filter above another is one filter; the lower one's conditions stay first",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		below, ok := f.Input.(*logical.Filter)
		if !ok {
			return n
		}
		conds := append(append([]*expr.Expr(nil), below.Conds...), f.Conds...)
		return logical.NewFilter(below.Input, conds)
	}),
}
