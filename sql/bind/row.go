package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// Rows (a, b) can be compared, by operators and IN: these are the comparisons
// of their parts, joined by AND and OR, NULLs and all.

// row is a bound operand: one value, or a row of operands.
type row struct {
	e     *expr.Expr
	parts []row
}

// columns is how many columns r has.
func (r row) columns() int { return max(len(r.parts), 1) }

// within is r as a subquery sees it.
func (r row) within(b *binder, fr *frame) row {
	if r.parts == nil {
		return row{e: fr.param(b, r.e)}
	}
	out := row{parts: make([]row, len(r.parts))}
	for i, p := range r.parts {
		out.parts[i] = p.within(b, fr)
	}
	return out
}

// operand binds a side of a comparison: a row constructor, a subquery, whose
// columns are the row's parts, or a value.
func (b *binder) operand(node ast.ExprNode, in *names) (row, error) {
	if values := asRow(node); values != nil {
		r := row{parts: make([]row, len(values))}
		for i, v := range values {
			var err error
			if r.parts[i], err = b.operand(v, in); err != nil {
				return row{}, err
			}
		}
		return r, nil
	}
	if asSubquery(node) == nil {
		e, err := b.expr(node, in)
		return row{e: e}, err
	}
	values, err := b.scalars(node, in)
	if err != nil {
		return row{}, err
	}
	if len(values) == 1 {
		return row{e: values[0]}, nil
	}
	r := row{}
	for _, v := range values {
		r.parts = append(r.parts, row{e: v})
	}
	return r, nil
}

// asRow is the values of a row constructor; nil for anything else.
func asRow(node ast.ExprNode) []ast.ExprNode {
	if r, ok := bare(node).(*ast.RowExpr); ok {
		return r.Values
	}
	return nil
}

// comparesRows reports an operator with a row on a side, or with subqueries on
// both, which may be rows.
func comparesRows(n *ast.BinaryOperationExpr) bool {
	return asRow(n.L) != nil || asRow(n.R) != nil || comparisons[n.Op] && asSubquery(n.L) != nil && asSubquery(n.R) != nil
}

var comparisons = map[opcode.Op]bool{
	opcode.EQ: true, opcode.NE: true, opcode.NullEQ: true, opcode.LT: true, opcode.LE: true, opcode.GT: true, opcode.GE: true,
}

// operandColumns is error 1241.
func operandColumns(n int) error {
	return sqlerr.New(sqlerr.OperandColumns, "Operand should contain %d column(s)", n)
}

// rowComparison binds an operator with a row on a side.
func (b *binder) rowComparison(n *ast.BinaryOperationExpr, in *names) (*expr.Expr, error) {
	if !comparisons[n.Op] {
		return nil, operandColumns(1)
	}
	l, err := b.operand(n.L, in)
	if err != nil {
		return nil, err
	}
	r, err := b.operand(n.R, in)
	if err != nil {
		return nil, err
	}
	return b.compareRows(binaryNames[n.Op], l, r)
}

// compareRows compares operands of as many columns: error 1241 for others.
func (b *binder) compareRows(fn string, l, r row) (*expr.Expr, error) {
	switch {
	case l.columns() != r.columns() || (l.parts == nil) != (r.parts == nil):
		return nil, operandColumns(l.columns())
	case l.parts == nil:
		return b.call(fn, l.e, r.e)
	}
	switch fn {
	case "=", "<=>":
		return b.equalRows(fn, l.parts, r.parts)
	case "<>":
		e, err := b.equalRows("=", l.parts, r.parts)
		if err != nil {
			return nil, err
		}
		return b.call("not", e)
	default:
		return b.orderRows(fn, l.parts, r.parts)
	}
}

// equalRows compares part by part.
func (b *binder) equalRows(fn string, l, r []row) (*expr.Expr, error) {
	parts := make([]*expr.Expr, len(l))
	for i := range l {
		var err error
		if parts[i], err = b.compareRows(fn, l[i], r[i]); err != nil {
			return nil, err
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return b.call("and", parts...)
}

// orderRows compares by the first part that differs: (a, b) < (c, d) is
// IF(a = c, b < d, a < c).
func (b *binder) orderRows(fn string, l, r []row) (*expr.Expr, error) {
	last := len(l) - 1
	e, err := b.compareRows(fn, l[last], r[last])
	for i := last - 1; i >= 0 && err == nil; i-- {
		var same, differs *expr.Expr
		if same, err = b.compareRows("=", l[i], r[i]); err != nil {
			break
		}
		if differs, err = b.compareRows(fn[:1], l[i], r[i]); err != nil {
			break
		}
		e, err = b.call("if", same, e, differs)
	}
	return e, err
}

// rowIn binds (a, b) IN ((1, 2), …).
func (b *binder) rowIn(n *ast.PatternInExpr, in *names) (*expr.Expr, error) {
	l, err := b.operand(n.Expr, in)
	if err != nil {
		return nil, err
	}
	either := make([]*expr.Expr, len(n.List))
	for i, item := range n.List {
		r, err := b.operand(item, in)
		if err != nil {
			return nil, err
		}
		if either[i], err = b.compareRows("=", l, r); err != nil {
			return nil, err
		}
	}
	e := either[0]
	if len(either) > 1 {
		if e, err = b.call("or", either...); err != nil {
			return nil, err
		}
	}
	return b.negation(e, n.Not)
}
