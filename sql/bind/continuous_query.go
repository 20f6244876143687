package bind

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// createContinuousQuery binds CREATE CONTINUOUS QUERY … INTO: its query gives the rows
// that an INSERT … SELECT would, as long as they are there.
func (b *binder) createContinuousQuery(s *parser.Statement) (Statement, error) {
	n := s.Query
	t, err := b.newTable(n.Name, catalog.ContinuousQuery)
	if err != nil {
		return nil, err
	}
	t.Text, t.Query, t.Options = s.Text, n.QueryText, n.Options
	into, err := b.takes(n.Target)
	if err != nil {
		return nil, err
	}
	b.view, b.continuous = true, true
	q, err := b.intoTable(into, n)
	if err != nil {
		return nil, err
	}
	for _, c := range q.Out {
		t.Columns = append(t.Columns, catalog.Column{Name: c.Name, Type: c.Type})
	}
	if t.Reads, err = b.readIDs(t); err != nil {
		return nil, err
	}
	if err := b.run(t, q); err != nil {
		return nil, err
	}
	q.EmitOnClose = n.EmitOnClose
	for _, c := range n.Columns {
		i, err := columnIndex(into, into.Name, &ast.ColumnName{Name: ast.NewCIStr(c)})
		if err != nil {
			return nil, err
		}
		t.IntoColumns = append(t.IntoColumns, i)
	}
	t.Calls = b.calls
	t.Into, t.Reads = into.ID, append(slices.Clip(t.Reads), into.ID) // it is not dropped under the query
	return &CreateTable{Table: t, Query: q, IfNotExists: n.IfNotExists, Reads: b.reads, Into: into}, nil
}

// takes is a table that can take the result of a query: error 1347 for another object.
func (b *binder) takes(name *ast.TableName) (*catalog.Table, error) {
	if err := refuseTableName(name); err != nil {
		return nil, err
	}
	t, err := b.table(name)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Kind == catalog.StreamTable && t.Options["connector"] != "":
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is fed by its connector; a continuous query writes INTO a stream table or table of this server", t.Database, t.Name)
	case t.Kind != catalog.StreamTable && t.Kind != catalog.BaseTable:
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is a %s; a continuous query writes INTO a stream table or table", t.Database, t.Name, t.Kind)
	}
	return t, nil
}

// intoTable is the query of a statement with its columns as those of the target, in order.
func (b *binder) intoTable(into *catalog.Table, n *parser.CreateContinuousQuery) (*Query, error) {
	in := &inserting{binder: b, table: into, defaults: make([]*expr.Expr, len(into.Columns))}
	list := make([]*ast.ColumnName, len(n.Columns))
	for i, c := range n.Columns {
		list[i] = &ast.ColumnName{Name: ast.NewCIStr(c)}
	}
	if err := in.columns(list); err != nil {
		return nil, err
	}
	node, ok := n.Query.(ast.ResultSetNode)
	if !ok {
		return nil, sqlerr.Unsupported("this form of a query")
	}
	q, err := in.fromQuery(node)
	if err != nil || !hasGenerated(into) {
		return q, err
	}
	return b.generate(into, q)
}
