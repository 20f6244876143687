package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// Rows (a, b) can be compared by =, <>, <=> and IN: these are the comparisons
// of their parts, joined by AND and OR, NULLs and all.

// asRow is the values of a row constructor; nil for anything else.
func asRow(node ast.ExprNode) []ast.ExprNode {
	if r, ok := bare(node).(*ast.RowExpr); ok {
		return r.Values
	}
	return nil
}

// comparesRows reports an operator with a row on a side.
func comparesRows(n *ast.BinaryOperationExpr) bool {
	return asRow(n.L) != nil || asRow(n.R) != nil
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
	l, r := asRow(n.L), asRow(n.R)
	if comparisons[n.Op] && len(l) != len(r) {
		return nil, operandColumns(max(len(l), 1))
	}
	switch n.Op {
	case opcode.EQ, opcode.NullEQ:
		return b.equalRows(binaryNames[n.Op], l, r, in)
	case opcode.NE:
		e, err := b.equalRows("=", l, r, in)
		if err != nil {
			return nil, err
		}
		return b.call("not", e)
	case opcode.LT, opcode.LE, opcode.GT, opcode.GE:
		return nil, sqlerr.Unsupported("comparison of rows by " + binaryNames[n.Op])
	default:
		return nil, operandColumns(1)
	}
}

// equalRows compares part by part.
func (b *binder) equalRows(fn string, l, r []ast.ExprNode, in *names) (*expr.Expr, error) {
	if len(l) != len(r) {
		return nil, operandColumns(len(l))
	}
	parts := make([]*expr.Expr, len(l))
	for i := range l {
		var err error
		lr, rr := asRow(l[i]), asRow(r[i])
		switch {
		case lr != nil && rr != nil:
			parts[i], err = b.equalRows(fn, lr, rr, in)
		default:
			parts[i], err = b.callOn(fn, in, l[i], r[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return b.call("and", parts...)
}

// rowIn binds (a, b) IN ((1, 2), …).
func (b *binder) rowIn(n *ast.PatternInExpr, in *names) (*expr.Expr, error) {
	row := asRow(n.Expr)
	either := make([]*expr.Expr, len(n.List))
	for i, item := range n.List {
		values := asRow(item)
		if len(values) != len(row) {
			return nil, operandColumns(max(len(row), 1))
		}
		var err error
		if either[i], err = b.equalRows("=", row, values, in); err != nil {
			return nil, err
		}
	}
	e := either[0]
	if len(either) > 1 {
		var err error
		if e, err = b.call("or", either...); err != nil {
			return nil, err
		}
	}
	if !n.Not {
		return e, nil
	}
	return b.call("not", e)
}
