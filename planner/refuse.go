package planner

import (
	"strings"

	"streamsql/planner/logical"
	"streamsql/planner/rule"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// refuse finds what a continuous query cannot compute right: a function that
// gives another value each time may not decide which rows stay (a row would have
// to go again by itself), nor stand over rows that can be retracted (the
// retraction would carry another value than the row).
func refuse(c *rule.Context, n logical.Node) error {
	for _, in := range n.Inputs() {
		if err := refuse(c, in); err != nil {
			return err
		}
	}
	fn := volatileCall(c, n.Exprs())
	if fn == "" {
		return nil
	}
	switch n := n.(type) {
	case *logical.Filter, *logical.Join:
		return sqlerr.Unsupported(fn + "() in a condition of a materialized view")
	case *logical.Project:
		if !c.Derived.Props(n.Input).AppendOnly {
			return sqlerr.Unsupported(fn + "() over rows that can be retracted")
		}
	}
	return nil
}

// volatileCall names a volatile function in list, in upper case, or is empty.
func volatileCall(c *rule.Context, list []*expr.Expr) string {
	fn := ""
	for _, e := range list {
		e.Walk(func(x *expr.Expr) bool {
			if fn == "" && x.Op == expr.OpCall && c.Volatile(x.Fn) {
				fn = strings.ToUpper(x.Fn)
			}
			return fn == ""
		})
	}
	return fn
}
