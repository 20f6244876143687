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

// volatile are the functions whose value depends on more than their arguments.
var volatile = map[string]bool{
	"now": true, "current_timestamp": true, "curdate": true, "current_date": true, "curtime": true, "current_time": true,
	"localtime": true, "localtimestamp": true, "sysdate": true, "utc_timestamp": true, "utc_date": true, "utc_time": true,
	"rand": true, "uuid": true,
}
