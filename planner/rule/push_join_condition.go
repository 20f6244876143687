package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushJoinCondition = Rule{
	Name:   "push_join_condition",
	Reason: "a condition on one side alone is that side's filter, unless rows of the side stay without a match: then it only says what they match",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok {
			return n
		}
		left, right := logical.SetOf(j.Left.Columns()), logical.SetOf(j.Right.Columns())
		var toRight, toLeft []*expr.Expr
		rest := j.On
		if j.Kind != logical.FullJoin {
			toRight, rest = split(rest, func(e *expr.Expr) bool { return right.Has(e) && !constant(e) && !c.volatile(e) })
		}
		if j.Kind == logical.InnerJoin || j.Kind == logical.SemiJoin {
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
