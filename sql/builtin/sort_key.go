package builtin

import (
	"streamsql/sql/collate"
	"streamsql/sql/expr"
)

func init() {
	register(function{min: 1, max: 1, flags: total, kernel: sortKeyKernel,
		resolve: func(c *call) (*expr.Expr, error) { return nil, NoFunction(c.fn) }}, "sort_key")
}

// sortKeyKernel computes what text or JSON is equal by: keys are the same, and sort as
// bytes, as the values are equal and sort. The planner groups by it.
func sortKeyKernel(e *expr.Expr) Kernel {
	t := e.Args[0].Type
	return strict(func(f *Frame, i int) {
		f.Out.Buf = collate.AppendKeyOf(f.Out.Buf, t, f.Args[0].Str(i))
		f.endText()
	})
}
