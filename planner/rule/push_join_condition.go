package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushJoinCondition = Rule{
	Name:   "push_join_condition",
	Reason: "a condition on one side alone is that side's filter; in a left join the right side's only, since a left row stays in any case",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok {
			return n
		}
		left, right := logical.SetOf(j.Left.Columns()), logical.SetOf(j.Right.Columns())
		toRight, rest := split(j.On, func(e *expr.Expr) bool { return right.Has(e) && !constant(e) && !c.volatile(e) })
		var toLeft []*expr.Expr
		if j.Kind == logical.InnerJoin {
			// A condition without columns goes here, once.
			toLeft, rest = split(rest, func(e *expr.Expr) bool { return left.Has(e) && !c.volatile(e) })
		}
		if len(toLeft)+len(toRight) == 0 {
			return n
		}
		out := *j
		out.On = rest
		out.Left, out.Right = logical.NewFilter(j.Left, toLeft), logical.NewFilter(j.Right, toRight)
		return &out
	}),
}

// constant reports that e reads no column.
func constant(e *expr.Expr) bool { return logical.ColSet(nil).Has(e) }
