package bind

import (
	"unicode/utf8"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// storedPlainly is a constant as a column of type t holds it, where that is no
// more than a check: a whole number or decimal in range, text that is not too
// long. Nil for all else, which is package builtin's to store and to complain of.
func storedPlainly(e *expr.Expr, t types.Type) *expr.Expr {
	if e.Op != expr.OpConst || e.Value.Null {
		return nil
	}
	switch {
	case e.Type.IsInteger() && e.Type.Kind != types.Year:
		if e.Type.Unsigned && e.Value.I < 0 {
			return nil
		}
		if t.IsInteger() && t.Kind != types.Year {
			lo, hi := t.IntRange()
			if t.Unsigned && t.Kind == types.BigInt {
				hi = 1<<63 - 1
			}
			if e.Value.I < lo || e.Value.I > hi {
				return nil
			}
			return expr.NewConst(*e.Value, t)
		}
		return storedDecimal(e.Value.I, 0, t)
	case e.Type.Kind == types.Decimal && e.Value.Wide == nil:
		return storedDecimal(e.Value.I, e.Type.Scale, t)
	case e.Type.Kind == types.VarChar && t.Kind == types.VarChar:
		if len(e.Value.S) <= t.Len || utf8.RuneCount(e.Value.S) <= t.Len {
			return expr.NewConst(*e.Value, t)
		}
	case e.Type.Kind == types.VarChar && t.Kind == types.Text && len(e.Value.S) <= t.Len:
		return expr.NewConst(*e.Value, t)
	}
	return nil
}

func storedDecimal(v int64, scale int, t types.Type) *expr.Expr {
	if t.Kind != types.Decimal || t.Scale < scale || t.Unsigned && v < 0 {
		return nil
	}
	n, ok := decimal.RescaleNarrow(v, scale, t.Scale)
	if !ok || !decimal.FitsNarrow(n, t.Prec) {
		return nil
	}
	return expr.NewConst(expr.Value{I: n}, t)
}
