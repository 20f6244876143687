package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterIntoTimedJoin = Rule{
	Name:   "push_filter_into_timed_join",
	Reason: "a left row filtered before the join asks for nothing and is not remembered; an inner join takes what is left as its own condition, but for an ASOF join, where the closest row would be another one",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		j, ok := f.Input.(*logical.TimedJoin)
		if !ok {
			return n
		}
		left := logical.SetOf(j.Left.Columns())
		down, stay := split(f.Conds, func(e *expr.Expr) bool { return left.Has(e) && !c.volatile(e) && !c.clocked(e) })
		var on []*expr.Expr
		if !j.Outer && j.Timing != logical.Closest {
			on, stay = split(stay, func(e *expr.Expr) bool { return !c.volatile(e) && !c.clocked(e) })
		}
		if len(down)+len(on) == 0 {
			return n
		}
		out := *j
		out.Left = logical.NewFilter(j.Left, down)
		out.On = append(slices.Clone(j.On), on...)
		return logical.NewFilter(&out, stay)
	}),
}
