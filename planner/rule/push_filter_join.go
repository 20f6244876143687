package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterIntoJoin = Rule{
	Name:   "push_filter_into_join",
	Reason: "a row filtered before the join takes no state; an inner join takes what is left as its own condition",
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
		// What the filter says of the right side of a left join it says of the padded
		// row, so it stays above.
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
