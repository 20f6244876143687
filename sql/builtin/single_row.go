package builtin

import (
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// SingleRow is the value of a scalar subquery: value, or error 1242 when count,
// the number of the subquery's rows, is more than 1. Nobody can write its name.
func SingleRow(value, count *expr.Expr) *expr.Expr {
	return expr.NewCall("single row", value.Type, value, count)
}

func init() {
	register(function{min: 2, max: 2, resolve: func(c *call) (*expr.Expr, error) { return SingleRow(c.args[0], c.args[1]), nil },
		kernel: func(*expr.Expr) Kernel { return singleRowKernel }}, "single row")
}

func singleRowKernel(f *Frame) {
	for i := range f.N {
		if !f.Args[1].NullAt(i) && f.Args[1].Int(i) > 1 {
			f.Fail(i, sqlerr.New(sqlerr.SubqueryNo1Row, "Subquery returns more than 1 row"))
		}
	}
	f.Pass = &f.Args[0]
}
