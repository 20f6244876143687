package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
)

var aggregateOverNothing = Rule{
	Name:   "aggregate_over_nothing",
	Reason: "an aggregate over what is known to be empty has one row that is known as well",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		a, ok := n.(*logical.Aggregate)
		if !ok || len(a.Keys) > 0 || !logical.IsEmpty(a.Input) {
			return n
		}
		v := &logical.Values{Rows: [][]*expr.Expr{{}}}
		for _, g := range a.Aggs {
			e := agg.OverNothing(g.Call)
			if e == nil {
				e = expr.NewConst(expr.Value{Null: true}, g.Type.Nullable())
			}
			v.Cols, v.Rows[0] = append(v.Cols, g.Col), append(v.Rows[0], e)
		}
		return v
	}),
}
