package builtin

import (
	"streamsql/sql/expr"
	"streamsql/sql/vector"
)

// Run computes a call once, on constant operands. It reports false if the one
// row failed.
func Run(ctx *Context, k Kernel, e *expr.Expr, args []Operand) (*vector.Vector, bool) {
	ok := true
	c := *ctx
	c.Fail = func(row int, err error) {
		ok = false
		if ctx.Fail != nil {
			ctx.Fail(row, err)
		}
	}
	f := &Frame{Context: &c, Call: e, N: 1, Args: args, Out: &vector.Vector{Type: e.Type}}
	k(f)
	if f.Pass != nil {
		v := *f.Pass.Vector
		v.Type = e.Type
		return &v, ok
	}
	return f.Out, ok
}
