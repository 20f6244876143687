package build

import (
	"streamsql/planner/physical"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// noteEquals tells each Source what the Map right above it demands of single
// columns, so that a row may be looked up by its key.
func noteEquals(root *physical.Node) {
	physical.Walk(root, func(n *physical.Node) bool {
		if n.Kind != physical.Map || n.Inputs[0].Kind != physical.Source || n.Inputs[0].Source.Table == 0 || n.Inputs[0].Source.Changes != nil {
			return true
		}
		src := n.Inputs[0].Source
		for _, f := range n.Map.Filter {
			if col, value, ok := equality(f); ok {
				src.Equals = append(src.Equals, physical.ColumnValue{Column: src.Columns[col], Value: value})
			}
		}
		return true
	})
}

// equality takes `column = constant` apart, in either order, where the values of
// both lie in memory alike.
func equality(f *expr.Expr) (col int, value *expr.Expr, ok bool) {
	col, op, value, ok := comparison(f)
	return col, value, ok && op == "="
}

// turned is what an operator is with its sides changed.
var turned = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// comparison takes `column op constant` apart, in either order.
func comparison(f *expr.Expr) (col int, op string, value *expr.Expr, ok bool) {
	if f.Op != expr.OpCall || turned[f.Fn] == "" || len(f.Args) != 2 {
		return 0, "", nil, false
	}
	op = f.Fn
	c, v := f.Args[0], f.Args[1]
	if c.Op == expr.OpConst {
		c, v, op = v, c, turned[op]
	}
	if c.Op != expr.OpColumn || v.Op != expr.OpConst || v.IsNull() {
		return 0, "", nil, false
	}
	if v = atScale(c.Type, v); !Alike(c.Type, v) {
		return 0, "", nil, false
	}
	return c.Col, op, v, true
}

// atScale is a whole number or a DECIMAL of fewer decimal places at those of a DECIMAL
// column, if it has a short form there.
func atScale(t types.Type, v *expr.Expr) *expr.Expr {
	whole := v.Type.IsInteger() && (!v.Type.Unsigned || v.Value.I >= 0)
	if t.Kind != types.Decimal || !whole && (v.Type.Kind != types.Decimal || v.Value.Wide != nil || v.Type.Scale > t.Scale) {
		return v
	}
	scale := v.Type.Scale
	if whole {
		scale = 0
	}
	n, ok := decimal.RescaleNarrow(v.Value.I, scale, t.Scale)
	if !ok || !decimal.FitsNarrow(n, t.Prec) {
		return v
	}
	return expr.NewConst(expr.Value{I: n}, t)
}

// Alike reports that a column of type t holds the constant just as it is.
func Alike(t types.Type, v *expr.Expr) bool {
	switch {
	case t.IsInteger() && v.Type.IsInteger():
		return t.Unsigned == v.Type.Unsigned || v.Value.I >= 0
	case t.Kind == types.Decimal && v.Type.Kind == types.Decimal:
		return t.Scale == v.Type.Scale
	case t.Kind == types.Date || t.Kind == types.DateTime:
		return v.Type.Kind == types.Date || v.Type.Kind == types.DateTime
	case t.Kind == types.Timestamp || t.Kind == types.Time:
		return v.Type.Kind == t.Kind
	case t.IsText(): // keys of text are looked up by what they are equal by
		return v.Type.IsText() && t.Collation == v.Type.Collation
	case t.IsBinary():
		return v.Type.IsBinary() && t.Kind != types.Binary
	}
	return false
}
