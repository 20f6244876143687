package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// outerColumn resolves a name that a subquery does not have in what is around
// it, innermost first; nil if it is not there either.
func (b *binder) outerColumn(n *ast.ColumnName) (*expr.Expr, error) {
	fr := b.frame
	if fr == nil {
		return nil, nil
	}
	b.frame = fr.outer
	e, err := b.column(n, fr.in)
	b.frame = fr
	if err != nil {
		if sqlerr.From(err).Code == sqlerr.BadField {
			return nil, nil
		}
		return nil, err
	}
	return fr.param(b, e), nil
}

// lateral binds a LATERAL derived table, which sees what stands to the left of it.
func (b *binder) lateral(node ast.Node, alias string, columns []string) (source, error) {
	var left scope
	for s := b.beside; s != nil; s = s.outer {
		left.cols = append(left.cols, s.scope.cols...)
	}
	around := b.beside
	b.beside = nil
	defer func() { b.beside = around }()
	var q *Query
	fr, err := b.within(&names{clause: "field list", from: &left}, func() (err error) {
		q, err = b.subquery(node)
		return err
	})
	if err != nil {
		return source{}, err
	}
	s, err := b.derived(q, alias, columns)
	if err != nil {
		return source{}, err
	}
	d := s.rel.(*Derived)
	d.Params, d.Args = fr.params, fr.args
	return s, nil
}

// beside is what stands to the left in FROM, of a join and of those around it.
type beside struct {
	scope *scope
	outer *beside
}

// withLeft calls f, whose LATERAL derived tables see s besides what the join
// around sees.
func (b *binder) withLeft(s *scope, f func() (source, error)) (source, error) {
	b.beside = &beside{scope: s, outer: b.beside}
	defer func() { b.beside = b.beside.outer }()
	return f()
}

// outerAggregate binds an aggregate in a subquery that reads columns of what is
// around it only: it is one of there. Nil: it is the subquery's own.
func (b *binder) outerAggregate(w *writtenCall, in *names) (*expr.Expr, error) {
	fr := b.frame
	if fr == nil {
		return nil, nil
	}
	from := in.from
	if in.group != nil {
		from = in.group.from
	}
	var read columnNames
	for _, a := range w.args {
		a.Accept(&read)
	}
	for _, name := range read {
		if v, err := from.find(name, in.clause); v != nil || err != nil {
			return nil, nil
		}
	}
	if len(read) == 0 {
		return nil, nil
	}
	b.frame = fr.outer
	e, err := b.aggregate(w, fr.in)
	b.frame = fr
	if err != nil {
		return nil, err
	}
	return fr.param(b, e), nil
}

// columnNames gathers the columns that an expression names.
type columnNames []*ast.ColumnName

// Enter implements ast.Visitor.
func (c *columnNames) Enter(n ast.Node) (ast.Node, bool) {
	if e, ok := n.(*ast.ColumnNameExpr); ok {
		*c = append(*c, e.Name)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (c *columnNames) Leave(n ast.Node) (ast.Node, bool) { return n, true }
