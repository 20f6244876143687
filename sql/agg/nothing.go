package agg

import "streamsql/sql/expr"

// OverNothing is the result of an aggregate over no rows; nil for NULL.
func OverNothing(c Call) *expr.Expr {
	switch c.Fn {
	case "count", "approx_count_distinct", "bit_or", "bit_xor":
		return expr.NewConst(expr.Value{}, c.Type)
	case "bit_and":
		return expr.NewConst(expr.Value{I: -1}, c.Type)
	}
	return nil
}
