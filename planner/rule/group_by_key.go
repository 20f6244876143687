package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var groupByKey = Rule{
	Name:   "group_by_key",
	Reason: "a group by a unique key is one row: its aggregates are computed of the row, without state",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		a, ok := n.(*logical.Aggregate)
		if !ok || len(a.Keys) == 0 || !c.Derived.Props(a.Input).HasKeyIn(logical.SetOf(a.Keys)) {
			return n
		}
		p := &logical.Project{Input: a.Input}
		for _, k := range a.Keys {
			p.Items = append(p.Items, logical.PassThrough(k))
		}
		for _, g := range a.Aggs {
			e, ok := c.ofOneRow(g)
			if !ok {
				return n
			}
			p.Items = append(p.Items, logical.Computed{Col: g.Col, Expr: e})
		}
		return p
	}),
}

// ofOneRow is an aggregate's value of a group of one row; not ok when no
// expression gives it in the same type.
func (c *Context) ofOneRow(g logical.Agg) (*expr.Expr, bool) {
	call := g.Call
	if call.Filtered || len(call.Args) > 1 || len(call.Desc) > 0 {
		return nil, false
	}
	var e *expr.Expr
	switch call.Fn {
	case "count":
		if len(call.Args) == 0 {
			e = expr.NewConst(expr.Value{I: 1}, g.Type)
			break
		}
		e = expr.NewCall("is not null", types.MakeBool(), call.Args[0])
	case "min", "max", "sum", "any_value":
		if len(call.Args) != 1 {
			return nil, false
		}
		e = call.Args[0]
	default:
		return nil, false
	}
	if e.Type.Nullable() != g.Type.Nullable() {
		var err error
		if e, err = c.Cast(e, g.Type); err != nil || e.Type.Nullable() != g.Type.Nullable() {
			return nil, false
		}
	}
	if g.Type.NotNull && !e.Type.NotNull {
		return nil, false
	}
	return e, true
}
