package planner

import (
	"strings"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/planner/rule"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// timeFilters takes the conditions that compare a row's time with the batch's out
// of the filters of a continuous query: they become filters that rows enter and
// leave by themselves.
func timeFilters(c *rule.Context, root logical.Node) logical.Node {
	return logical.Rewrite(root, func(n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		var plain []*expr.Expr
		var timed []physical.TimeCond
		for _, e := range f.Conds {
			if conds, ok := timeConds(c, e); ok {
				timed = append(timed, conds...)
			} else {
				plain = append(plain, e)
			}
		}
		if len(timed) == 0 {
			return n
		}
		return &logical.TimeFilter{Input: logical.NewFilter(f.Input, plain), Conds: timed}
	})
}

// mirrored is an operator with its sides exchanged.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// timeConds takes `value op NOW() ± constant` apart, in either order, and BETWEEN.
func timeConds(c *rule.Context, e *expr.Expr) ([]physical.TimeCond, bool) {
	if e.Op != expr.OpCall || changing(c, []*expr.Expr{e}) == "" {
		return nil, false
	}
	if e.Fn == "between" && len(e.Args) == 3 {
		low, ok := timeConds(c, expr.NewCall(">=", e.Type, e.Args[0], e.Args[1]))
		if !ok {
			return nil, false
		}
		high, ok := timeConds(c, expr.NewCall("<=", e.Type, e.Args[0], e.Args[2]))
		return append(low, high...), ok
	}
	back, ok := mirrored[e.Fn]
	if !ok || len(e.Args) != 2 {
		return nil, false
	}
	value, now, op := e.Args[0], e.Args[1], e.Fn
	if changing(c, []*expr.Expr{value}) != "" {
		value, now, op = now, value, back
	}
	cond, ok := clockTerm(now)
	if !ok || !value.Type.HasDate() || changing(c, []*expr.Expr{value}) != "" {
		return nil, false
	}
	cond.Value, cond.Op = value, op
	return []physical.TimeCond{cond}, true
}

// clockTerm reads NOW() and the like, with intervals of a fixed length added.
func clockTerm(e *expr.Expr) (physical.TimeCond, bool) {
	if e.Op != expr.OpCall {
		return physical.TimeCond{}, false
	}
	switch e.Fn {
	case "now", "current_timestamp", "localtime", "localtimestamp", "sysdate", "utc_timestamp":
		grain := int64(types.Second)
		for range e.Type.Scale {
			grain /= 10
		}
		return physical.TimeCond{Grain: grain, UTC: e.Fn == "utc_timestamp"}, true
	case "curdate", "current_date", "utc_date":
		return physical.TimeCond{Grain: types.Day, UTC: e.Fn == "utc_date"}, true
	case "date_add", "date_sub":
		if len(e.Args) != 3 || e.Args[1].Op != expr.OpConst || e.Args[2].Op != expr.OpConst || e.Args[1].IsNull() {
			return physical.TimeCond{}, false
		}
		cond, ok := clockTerm(e.Args[0])
		us, months, valid := builtin.Duration(strings.Trim(e.Args[1].String(), "'"), string(e.Args[2].Value.S))
		if e.Fn == "date_sub" {
			us = -us
		}
		cond.Shift += us
		return cond, ok && valid && !months
	}
	return physical.TimeCond{}, false
}
