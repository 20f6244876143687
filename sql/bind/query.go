package bind

import (
	"math"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// query binds a query expression.
func (b *binder) query(node ast.Node) (*Query, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	defer b.leave()
	b.queries++
	defer func() { b.queries-- }()
	switch n := node.(type) {
	case *ast.SelectStmt:
		return b.with(n.With, func() (*Query, error) {
			if n.Kind == ast.SelectStmtKindValues {
				return b.valuesQuery(n)
			}
			return b.selectQuery(n)
		})
	case *ast.SetOprStmt:
		return b.with(n.With, func() (*Query, error) { return b.setOperation(n.SelectList, n.OrderBy, n.Limit) })
	case *ast.SetOprSelectList:
		return b.with(n.With, func() (*Query, error) { return b.setOperation(n, n.OrderBy, n.Limit) })
	default:
		return nil, sqlerr.Unsupported("this kind of query")
	}
}

// limit reads LIMIT; without one it is −1, 0.
func (b *binder) limit(n *ast.Limit) (count, offset int64, err error) {
	if n == nil {
		return -1, 0, nil
	}
	if count, err = b.limitNumber(n.Count); err != nil {
		return 0, 0, err
	}
	if n.Offset != nil {
		offset, err = b.limitNumber(n.Offset)
	}
	return count, max(offset, 0), err
}

// limitNumber is a literal or a parameter; −1 while the parameter has no value.
func (b *binder) limitNumber(node ast.ExprNode) (int64, error) {
	var e *expr.Expr
	var err error
	switch n := node.(type) {
	case *parser.Param:
		e, err = b.param(n)
	case *parser.Literal:
		e, err = b.literal(n)
	default:
		return 0, sqlerr.New(sqlerr.ParseError, "LIMIT takes a number or a parameter")
	}
	if err != nil {
		return 0, err
	}
	switch {
	case e.Op == expr.OpParam:
		b.params[e.Col] = types.MakeBigInt()
		return -1, nil
	case e.Type.IsInteger() && (e.Type.Unsigned && e.Value.I < 0):
		return math.MaxInt64, nil
	case e.Type.IsInteger() && e.Value.I >= 0 && !e.Value.Null:
		return e.Value.I, nil
	case e.Type.Class() == types.ClassFloat && e.Value.F >= 0 && e.Value.F == math.Trunc(e.Value.F) && !e.Value.Null:
		return int64(min(e.Value.F, math.MaxInt64)), nil // some drivers send every number as a DOUBLE
	}
	return 0, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to LIMIT")
}

// valuesQuery binds VALUES ROW(…), …, whose columns are column_0, column_1 …
func (b *binder) valuesQuery(n *ast.SelectStmt) (*Query, error) {
	rows := make([][]*expr.Expr, len(n.Lists))
	for i, list := range n.Lists {
		var err error
		if len(list.Values) != len(n.Lists[0].Values) {
			return nil, wrongValueCount(i + 1)
		}
		if rows[i], err = b.exprs(list.Values, &names{clause: "field list"}); err != nil {
			return nil, err
		}
	}
	cols := make([]Col, len(rows[0]))
	for i := range cols {
		column := make([]*expr.Expr, len(rows))
		for r := range rows {
			column[r] = rows[r][i]
		}
		t := b.unify(column)
		for r := range rows {
			rows[r][i] = column[r]
		}
		cols[i] = Col{ID: b.newID(), Name: "column_" + itoa(i), Type: t}
	}
	return b.ordered(&Query{Root: &Values{Rows: rows, Cols: cols}, Out: cols, Limit: -1}, n.OrderBy, n.Limit)
}

// unify casts expressions to their common type, in place.
func (b *binder) unify(es []*expr.Expr) types.Type {
	ts := make([]types.Type, len(es))
	b.settle(es)
	for i, e := range es {
		ts[i] = e.Type
	}
	t := builtin.Common(ts...)
	t.NotNull = true
	for i, e := range es {
		es[i] = builtin.Convert(e, t)
		t.NotNull = t.NotNull && es[i].Type.NotNull
	}
	return t
}

// ordered applies ORDER BY and LIMIT to a query that is no SELECT block: keys
// are its columns by name or number, or expressions over them.
func (b *binder) ordered(q *Query, order *ast.OrderByClause, limit *ast.Limit) (*Query, error) {
	count, offset, err := b.limit(limit)
	if err != nil {
		return nil, err
	}
	q.Limit, q.Offset = count, offset
	if order == nil {
		return q, nil
	}
	out := &scope{}
	for i, c := range q.Out {
		out.cols = append(out.cols, visible{Col: c, position: i})
	}
	keys := make([]*expr.Expr, len(order.Items))
	for i, item := range order.Items {
		if keys[i], err = b.ordinal(item.Expr, q.Out, "order clause"); err != nil {
			return nil, err
		}
		if keys[i] != nil {
			continue
		}
		if keys[i], err = b.expr(item.Expr, &names{clause: "order clause", from: out}); err != nil {
			return nil, err
		}
	}
	return b.sorted(q, keys, order.Items)
}

// ordinal is the column that a bare number names: nil if node is no number,
// error 1054 if there is no such column.
func (b *binder) ordinal(node ast.ExprNode, cols []Col, clause string) (*expr.Expr, error) {
	i, ok, err := position(node, len(cols), clause)
	if !ok || err != nil {
		return nil, err
	}
	return expr.NewColumn(cols[i].ID, cols[i].Name, cols[i].Type), nil
}

// position is the index that a bare number stands for.
func position(node ast.ExprNode, n int, clause string) (int, bool, error) {
	p, ok := node.(*ast.PositionExpr)
	if !ok {
		return 0, false, nil
	}
	if p.P != nil {
		return 0, false, sqlerr.Unsupported("a parameter in place of an ordinal")
	}
	if p.N < 1 || p.N > n {
		return 0, false, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in '%s'", p.N, clause)
	}
	return p.N - 1, true, nil
}

// sorted orders q by expressions over its columns. What is no column of it
// becomes a hidden one of a SELECT around it, whose columns are new.
func (b *binder) sorted(q *Query, keys []*expr.Expr, items []*ast.ByItem) (*Query, error) {
	plain := true
	for _, k := range keys {
		plain = plain && k.Op != expr.OpCall
	}
	if !plain {
		limit, offset := q.Limit, q.Offset
		q.Limit, q.Offset = -1, 0
		sel := &Select{From: &Derived{Query: q}}
		outer := &Query{Root: sel, Limit: limit, Offset: offset}
		for _, c := range q.Out {
			p := Computed{Col: Col{ID: b.newID(), Name: c.Name, Type: c.Type}, Expr: expr.NewColumn(c.ID, c.Name, c.Type)}
			sel.Project = append(sel.Project, p)
			outer.Out = append(outer.Out, p.Col)
		}
		for i := range keys {
			keys[i] = b.projected(sel, keys[i])
		}
		q = outer
	}
	for i, k := range keys {
		if k.Op == expr.OpColumn && !b.outer[k.Col] { // constants do not order
			q.OrderBy = append(q.OrderBy, Order{Col: k.Col, Desc: items[i].Desc})
		}
	}
	return q, nil
}

// projected is the column of sel that e makes, a new one if there is none yet.
// A constant stays itself.
func (b *binder) projected(sel *Select, e *expr.Expr) *expr.Expr {
	if e.Op == expr.OpConst || e.Op == expr.OpParam {
		return e
	}
	for _, p := range sel.Project {
		if expr.Equal(p.Expr, e) {
			return expr.NewColumn(p.ID, p.Name, p.Type)
		}
	}
	p := Computed{Col: Col{ID: b.newID(), Name: e.String(), Type: e.Type}, Expr: e}
	sel.Project = append(sel.Project, p)
	return expr.NewColumn(p.ID, p.Name, p.Type)
}
