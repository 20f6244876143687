package builtin

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// A quotient, and AVG, have more digits than they show: 20/7 shows 2.8571, and what
// computes with it takes 2.857142857. Such an expression is a to_scale over one of
// the exact type. What passes a number on, CASE, ABS or MIN, is one over all of its
// exact digits too; a column holds those that show.

// Exact is e with the digits that it does not show.
func Exact(e *expr.Expr) *expr.Expr {
	if e.Fn == "to_scale" {
		return e.Args[0]
	}
	return e
}

// Shown is exact with only the digits of t to be seen.
func Shown(exact *expr.Expr, t types.Type) *expr.Expr {
	if exact.Type.Class() != types.ClassDecimal || exact.Type.Scale == t.Scale {
		return exact
	}
	t.NotNull = exact.Type.NotNull
	return expr.NewCall("to_scale", t, exact)
}
