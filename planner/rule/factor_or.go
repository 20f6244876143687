package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var factorOr = Rule{
	Name:   "factor_or",
	Reason: "what all branches of an OR demand is a condition of its own, which may be pushed down or be a join's key",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.Filter:
			if conds, changed := c.factorAll(n.Conds); changed {
				return logical.NewFilter(n.Input, conds)
			}
		case *logical.Join:
			if on, changed := c.factorAll(n.On); changed {
				out := *n
				out.On = on
				return &out
			}
		}
		return n
	}),
}

func (c *Context) factorAll(conds []*expr.Expr) (out []*expr.Expr, changed bool) {
	for _, e := range conds {
		common, rest := c.factor(e)
		if len(common) == 0 {
			out = append(out, e)
			continue
		}
		changed = true
		out = append(out, common...)
		if rest != nil {
			out = append(out, rest)
		}
	}
	return out, changed
}

// factor makes (A AND B) OR (A AND C) of e A and (B OR C); rest is nil where a
// branch is A alone.
func (c *Context) factor(e *expr.Expr) (common []*expr.Expr, rest *expr.Expr) {
	if e.Op != expr.OpCall || e.Fn != "or" || c.volatile(e) {
		return nil, nil
	}
	var branches [][]*expr.Expr
	for _, b := range flatten("or", e, nil) {
		branches = append(branches, conjuncts(b, nil))
	}
	for _, p := range distinctExprs(branches[0]) {
		everywhere := true
		for _, b := range branches[1:] {
			everywhere = everywhere && contains(b, p)
		}
		if everywhere {
			common = append(common, p)
		}
	}
	if len(common) == 0 {
		return nil, nil
	}
	var parts []*expr.Expr
	for _, b := range branches {
		_, left := split(b, func(p *expr.Expr) bool { return contains(common, p) })
		if len(left) == 0 {
			return common, nil
		}
		parts = append(parts, combine("and", left))
	}
	return common, combine("or", parts)
}
