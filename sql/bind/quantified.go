package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// asSubquery is node as a subquery; nil for anything else.
func asSubquery(node ast.ExprNode) *ast.SubqueryExpr {
	s, _ := bare(node).(*ast.SubqueryExpr)
	return s
}

// inner binds the query of a subquery expression, which sees the names in.
func (b *binder) inner(node ast.ExprNode, in *names) (*Query, *frame, error) {
	s := asSubquery(node)
	if s == nil {
		return nil, nil, sqlerr.Unsupported("this kind of subquery")
	}
	if in.constant != "" {
		return nil, nil, sqlerr.Unsupported("a subquery in " + in.constant)
	}
	left := b.beside
	b.beside = nil
	defer func() { b.beside = left }()
	var q *Query
	fr, err := b.within(in, func() (err error) {
		q, err = b.subquery(s.Query)
		return err
	})
	return q, fr, err
}

// scalars binds a subquery as one value for each of its columns.
func (b *binder) scalars(node ast.ExprNode, in *names) ([]*expr.Expr, error) {
	q, fr, err := b.inner(node, in)
	if err != nil {
		return nil, err
	}
	shown := exactColumns(q)
	out := make([]*expr.Expr, len(q.Out))
	for i, c := range q.Out {
		value := b.numbered(&Subquery{Kind: ScalarSubquery, Query: q, Params: fr.params, Column: i}, c.Type.Nullable(), fr.args)
		out[i] = builtin.Convert(builtin.Shown(value, shown[i]), builtin.EnumText(shown[i]))
	}
	return out, nil
}

// scalarQuery binds a subquery as one value; error 1241 if it has several columns.
func (b *binder) scalarQuery(node ast.ExprNode, in *names) (*expr.Expr, error) {
	values, err := b.scalars(node, in)
	if err != nil {
		return nil, err
	}
	if len(values) != 1 {
		return nil, operandColumns(1)
	}
	return values[0], nil
}

// exists binds EXISTS and NOT EXISTS.
func (b *binder) exists(n *ast.ExistsSubqueryExpr, in *names) (*expr.Expr, error) {
	q, fr, err := b.inner(n.Sel, in)
	if err != nil {
		return nil, err
	}
	t := types.MakeBool()
	t.NotNull = true
	return b.negation(b.numbered(&Subquery{Kind: ExistsSubquery, Query: q, Params: fr.params}, t, fr.args), n.Not)
}

// inQuery binds IN and NOT IN of a subquery: = ANY, or its negation.
func (b *binder) inQuery(n *ast.PatternInExpr, in *names) (*expr.Expr, error) {
	e, err := b.quantified(AnySubquery, "=", n.Expr, n.Sel, in)
	if err != nil {
		return nil, err
	}
	return b.negation(e, n.Not)
}

// compareQuery binds a comparison with ANY or ALL of a subquery.
func (b *binder) compareQuery(n *ast.CompareSubqueryExpr, in *names) (*expr.Expr, error) {
	fn, ok := binaryNames[n.Op]
	if !ok || !comparisons[n.Op] || n.Op == opcode.NullEQ {
		return nil, sqlerr.Unsupported(n.Op.String() + " with ANY or ALL")
	}
	switch {
	case n.Op == opcode.NE && n.All: // other than each: equal to none
		e, err := b.quantified(AnySubquery, "=", n.L, n.R, in)
		if err != nil {
			return nil, err
		}
		return b.negation(e, true)
	case n.All:
		return b.quantified(AllSubquery, fn, n.L, n.R, in)
	default:
		return b.quantified(AnySubquery, fn, n.L, n.R, in)
	}
}

// quantified binds `left fn ANY (query)`, or ALL. A row may only be tested for
// being equal to any.
func (b *binder) quantified(kind SubqueryKind, fn string, left, query ast.ExprNode, in *names) (*expr.Expr, error) {
	l, err := b.operand(left, in)
	if err != nil {
		return nil, err
	}
	if l.parts != nil && (fn != "=" || kind != AnySubquery) {
		return nil, operandColumns(1)
	}
	q, fr, err := b.inner(query, in)
	if err != nil {
		return nil, err
	}
	if q.Limit >= 0 || q.Offset > 0 {
		return nil, sqlerr.Unsupported("LIMIT & IN/ALL/ANY/SOME subquery")
	}
	var r row
	for _, c := range q.Out {
		r.parts = append(r.parts, row{e: expr.NewColumn(c.ID, c.Name, c.Type)})
	}
	if l.parts == nil && len(r.parts) == 1 {
		r = r.parts[0]
	}
	test, err := b.compareRows(fn, l.within(b, fr), r)
	if err != nil {
		return nil, err
	}
	s := &Subquery{Kind: kind, Query: q, Params: fr.params, Test: test}
	return b.numbered(s, test.Type, fr.args), nil
}

func (b *binder) negation(e *expr.Expr, not bool) (*expr.Expr, error) {
	if !not {
		return e, nil
	}
	return b.call("not", e)
}
