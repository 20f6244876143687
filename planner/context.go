package planner

import (
	"streamsql/planner/logical"
	"streamsql/planner/rule"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// context gives the rules what they ask of the expression packages.
func context(tree *logical.Tree) *rule.Context {
	return &rule.Context{
		IDs:      tree.IDs,
		Derived:  logical.NewDeriver(),
		Fold:     func(e *expr.Expr) (expr.Value, bool) { return expr.Value{}, false },
		Cast:     func(e *expr.Expr, t types.Type) (*expr.Expr, error) { return expr.NewCall("cast", t, e), nil },
		Volatile: func(fn string) bool { return volatile[fn] },
	}
}

// volatile are the functions each call of which has a value of its own.
var volatile = map[string]bool{"rand": true, "uuid": true}
