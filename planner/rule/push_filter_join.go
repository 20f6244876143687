package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterIntoJoin = Rule{
	Name:   "push_filter_into_join",
	Reason: "a row filtered before the join takes no state; an inner join takes what is left as its own condition, another kind only lets pass what concerns its left side",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		j, ok := f.Input.(*logical.Join)
		if !ok {
			return n
		}
		down, stay := split(f.Conds, func(e *expr.Expr) bool { return !c.volatile(e) })
		if j.Kind == logical.InnerJoin {
			if len(down) == 0 {
				return n
			}
			out := *j
			out.On = append(append([]*expr.Expr(nil), j.On...), down...)
			return logical.NewFilter(&out, stay)
		}
		// A side whose columns may be padded keeps its rows: the filter speaks of the
		// padded ones too. A semi or anti join has only the left's columns.
		if j.Kind == logical.FullJoin {
			return n
		}
		left := logical.SetOf(j.Left.Columns())
		down, stay = split(f.Conds, func(e *expr.Expr) bool { return left.Has(e) && !c.volatile(e) })
		if len(down) == 0 {
			return n
		}
		out := *j
		out.Left = logical.NewFilter(j.Left, down)
		return logical.NewFilter(&out, stay)
	}),
}
