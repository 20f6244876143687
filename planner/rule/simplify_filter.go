package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var simplifyFilter = Rule{
	Name:   "simplify_filter",
	Reason: "a condition is a flat list without what is always true, said twice, or undone by what stands beside it",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.Filter:
			if conds, changed := simplifyAll(n.Conds); changed {
				return logical.NewFilter(n.Input, conds)
			}
		case *logical.Join:
			if on, changed := simplifyAll(n.On); changed {
				out := *n
				out.On = on
				return &out
			}
		}
		return n
	}),
}

// simplifyAll simplifies conjuncts that must all be true. When one never is, the
// rest goes.
func simplifyAll(conds []*expr.Expr) (out []*expr.Expr, changed bool) {
	for _, c := range conds {
		s := condition(c)
		parts := conjuncts(s, nil)
		changed = changed || s != c || len(parts) != 1
		for _, p := range parts {
			switch constTruth(p) {
			case isTrue:
				changed = true
			case isFalse, isNull:
				return []*expr.Expr{boolConst(false)}, changed || len(conds) > 1 || !isBool(p) || p.Value.Null
			default:
				if slices.ContainsFunc(out, func(o *expr.Expr) bool { return expr.Equal(o, p) }) {
					changed = true
				} else {
					out = append(out, p)
				}
			}
		}
	}
	return out, changed
}

// condition simplifies e where only being true counts: FALSE and NULL are the same.
func condition(e *expr.Expr) *expr.Expr {
	if e.Op != expr.OpCall {
		return e
	}
	switch e.Fn {
	case "and":
		return connect(e, isTrue)
	case "or":
		return connect(e, isFalse)
	case "not":
		// Under NOT, FALSE and NULL differ: only what holds for any value is done.
		if a := e.Args[0]; a.Op == expr.OpCall && a.Fn == "not" {
			return condition(a.Args[0])
		}
		return nullTest(e)
	}
	return nullTest(e)
}

// connect simplifies an AND (neutral: TRUE) or OR (neutral: FALSE).
func connect(e *expr.Expr, neutral truth) *expr.Expr {
	var list []*expr.Expr
	changed := false
	for _, a := range flatten(e.Fn, e, nil) {
		s := condition(a)
		changed = changed || s != a
		t := constTruth(s)
		if t == isNull {
			t = isFalse
		}
		switch {
		case t == neutral:
			changed = true
		case t != unknown:
			return boolConst(t == isTrue)
		case slices.ContainsFunc(list, func(o *expr.Expr) bool { return expr.Equal(o, s) }):
			changed = true
		default:
			list = append(list, s)
		}
	}
	if !changed {
		return e
	}
	switch len(list) {
	case 0:
		return boolConst(neutral == isTrue)
	case 1:
		return list[0]
	}
	return expr.NewCall(e.Fn, e.Type, list...)
}

// nullTest decides IS NULL of what is never NULL.
func nullTest(e *expr.Expr) *expr.Expr {
	test, negated := e, false
	if e.Fn == "not" {
		test, negated = e.Args[0], true
	}
	if test.Op != expr.OpCall || len(test.Args) != 1 || !test.Args[0].Type.NotNull {
		return e
	}
	switch test.Fn {
	case "is null":
		return boolConst(negated)
	case "is not null":
		return boolConst(!negated)
	}
	return e
}
