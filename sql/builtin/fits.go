package builtin

import (
	"unicode/utf8"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Fits is e, a text, as a column of type t: error 1406 if it is longer. So a
// recursive expression takes what its later members give, in every sql_mode.
// Nobody can write its name.
func Fits(e *expr.Expr, t types.Type, column string) *expr.Expr {
	t.NotNull = e.Type.NotNull
	return expr.NewCall("fits column", t, e, expr.NewConst(expr.Value{S: []byte(column)}, types.MakeVarChar(len(column))))
}

func init() {
	register(function{min: 2, max: 2, resolve: func(c *call) (*expr.Expr, error) { return c.args[0], nil },
		kernel: func(*expr.Expr) Kernel { return fitsKernel }}, "fits column")
}

func fitsKernel(f *Frame) {
	t := f.Call.Type
	for i := range f.N {
		if f.Args[0].NullAt(i) {
			continue
		}
		text := f.Args[0].Str(i)
		if n := len(text); n > t.Len && (t.IsBinary() || utf8.RuneCount(text) > t.Len) {
			f.Fail(i, sqlerr.New(sqlerr.TooLongString, "Data too long for column '%s' at row %d", f.Args[1].Str(i), f.RowNumber(i)))
		}
	}
	f.Pass = &f.Args[0]
}
