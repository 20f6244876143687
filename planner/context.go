package planner

import (
	"streamsql/planner/logical"
	"streamsql/planner/rule"
	"streamsql/sql/builtin"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// context gives the rules what they ask of the expression packages.
func context(tree *logical.Tree, o Options) *rule.Context {
	c := &rule.Context{
		IDs:      tree.IDs,
		Derived:  logical.NewDeriver(o.Continuous),
		Fold:     fold,
		Cast:     func(e *expr.Expr, t types.Type) (*expr.Expr, error) { return builtin.Cast(nil, e, t) },
		Volatile: func(fn string) bool { return !builtin.Deterministic(fn) },
		Clock:    func(fn string) bool { return clock[fn] },
	}
	if o.Interrupted != nil {
		c.Stopped = func() bool { return o.Interrupted() != nil }
	}
	return c
}

// fold computes a call of constants, if it needs nothing of the session and has
// nothing to tell it: a warning is given for the rows that it concerns.
func fold(e *expr.Expr) (expr.Value, bool) {
	if !builtin.Foldable(e) {
		return expr.Value{}, false
	}
	clean := true
	v, err := eval.Const(e, &eval.Context{Warn: func(uint16, string) { clean = false }, Note: func(uint16, string) { clean = false }})
	return v, err == nil && clean
}
