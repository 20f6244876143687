package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterThroughUnfold = Rule{
	Name:   "push_filter_through_unfold",
	Reason: "the document of a row that will not pass need not be read",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		u, ok := f.Input.(*logical.Unfold)
		if !ok {
			return n
		}
		may := logical.SetOf(u.Input.Columns())
		down, stay := split(f.Conds, func(e *expr.Expr) bool { return may.Has(e) && !c.volatile(e) })
		if len(down) == 0 {
			return n
		}
		return logical.NewFilter(u.WithInputs([]logical.Node{logical.NewFilter(u.Input, down)}), stay)
	}),
}
