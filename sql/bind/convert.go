package bind

import (
	"strconv"
	"time"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
)

func itoa(n int) string { return strconv.Itoa(n) }

// stored computes a constant that Assign put into a column: nil unless strict
// mode takes it without a word. What is no such call comes back as it is.
func stored(e *expr.Expr) *expr.Expr {
	if e.Op != expr.OpCall || e.Fn != "assign" || e.Args[0].Op != expr.OpConst {
		return e
	}
	fits := true
	ctx := &builtin.Context{Rules: builtin.Rules{Strict: true}, Location: time.UTC,
		Fail: func(int, error) { fits = false }, Warn: func(uint16, string) { fits = false },
		Note: func(uint16, string) { fits = false }}
	arg := builtin.Constant(e.Args[0].Value.Vector(e.Args[0].Type))
	out, ok := builtin.Run(ctx, builtin.KernelOf(e), e, []builtin.Operand{arg})
	if !ok || !fits {
		return nil
	}
	return expr.NewConst(expr.ValueOf(out, 0), e.Type)
}
