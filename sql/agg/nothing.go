package agg

import (
	"streamsql/sql/expr"
	"streamsql/sql/vector"
)

// OverNothing is the result of an aggregate over no rows; nil for NULL.
func OverNothing(c Call) *expr.Expr {
	switch c.Fn {
	case "count", "approx_count_distinct", "bit_or", "bit_xor":
		return expr.NewConst(expr.Value{}, c.Type)
	case Routine:
		return routineOverNothing(c)
	case "bit_and":
		return expr.NewConst(expr.Value{I: -1}, c.Type)
	}
	return nil
}

// routineOverNothing asks the function, as a group that has seen nothing does. One
// that fails is NULL, as is one that cannot be told apart from that.
func routineOverNothing(c Call) *expr.Expr {
	s, err := newRoutine(c, nil, 0, nil)
	if err != nil {
		return nil
	}
	out := vector.New(c.Type, 1)
	s.AppendResult([][]byte{make([]byte, s.Size())}, out, func(int, error) {})
	if out.IsNull(0) {
		return nil
	}
	return expr.NewConst(expr.ValueOf(out, 0), c.Type)
}
