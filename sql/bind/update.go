package bind

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// assigning collects SET col = expr, …: from left to right, as MySQL does it,
// so that an expression sees the new values of the columns before it.
type assigning struct {
	*inserting
	alias   string
	current *scope // the row's columns, by position
	out     []Assignment
}

// add binds one assignment.
func (s *assigning) add(a *ast.Assignment, in *names) error {
	c, err := columnIndex(s.table, s.alias, a.Column)
	if err != nil {
		return err
	}
	if s.table.Columns[c].Generated != "" {
		if d, ok := a.Expr.(*ast.DefaultExpr); ok && d.Name == nil {
			return nil // what it is anyway
		}
		return refuseGenerated(s.table, c)
	}
	e, err := s.newValue(c, a.Expr, in)
	if err != nil {
		return err
	}
	e = e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op == expr.OpColumn {
			for _, done := range s.out {
				if s.current.cols[done.Column].ID == x.Col {
					return done.Expr
				}
			}
		}
		return x
	})
	for i := range s.out {
		if s.out[i].Column == c {
			s.out[i].Expr = e
			return nil
		}
	}
	s.out = append(s.out, Assignment{Column: c, Expr: e})
	return nil
}

func (s *assigning) newValue(c int, node ast.ExprNode, in *names) (*expr.Expr, error) {
	if d, ok := node.(*ast.DefaultExpr); ok {
		return s.value(c, d, in)
	}
	e, err := s.expr(node, in)
	if err != nil {
		return nil, err
	}
	col := &s.table.Columns[c]
	if e, err = s.assigned(e, col.Type, col.Name); err != nil || !s.several && !s.ignore {
		return e, err
	}
	return builtin.OrImplicit(e, implicitDefault(col.Type)), nil
}

// update binds UPDATE of one table.
func (b *binder) update(n *ast.UpdateStmt) (Statement, error) {
	if n.MultipleTable {
		return nil, sqlerr.Unsupported("UPDATE of several tables")
	}
	if n.With != nil {
		return nil, sqlerr.Unsupported("WITH … UPDATE")
	}
	if n.IgnoreErr {
		return nil, sqlerr.Unsupported("UPDATE IGNORE")
	}
	b.priority(n.Priority)
	src, sel, err := b.changed(n.TableRefs.TableRefs, "UPDATE", n.Where)
	if err != nil {
		return nil, err
	}
	scan := src.rel.(*Scan)
	in := &inserting{binder: b, table: scan.Table, several: true, defaults: make([]*expr.Expr, len(scan.Table.Columns))}
	set := &assigning{inserting: in, alias: scan.Alias, current: &src.scope}
	for _, a := range n.List {
		if err := set.add(a, &names{clause: "field list", from: &src.scope, changing: true}); err != nil {
			return nil, err
		}
	}
	if err := set.regenerate(); err != nil {
		return nil, err
	}
	q := b.changedRows(scan, sel)
	out := &Update{Table: scan.Table, Query: q}
	for _, a := range set.out {
		c := Col{ID: b.newID(), Name: scan.Table.Columns[a.Column].Name, Type: scan.Table.Columns[a.Column].Type}
		c.Type.NotNull = a.Expr.Type.NotNull
		sel.Project = append(sel.Project, Computed{Col: c, Expr: a.Expr})
		q.Out = append(q.Out, c)
		out.Columns = append(out.Columns, a.Column)
	}
	if err := b.firstOf(q, sel, &src.scope, n.Order, n.Limit); err != nil {
		return nil, err
	}
	out.Params, out.Reads = b.params, b.reads
	return out, nil
}

// delete binds DELETE from one table.
func (b *binder) delete(n *ast.DeleteStmt) (Statement, error) {
	if n.IsMultiTable {
		return nil, refuseMultiDelete(n)
	}
	if n.With != nil {
		return nil, sqlerr.Unsupported("WITH … DELETE")
	}
	b.priority(n.Priority)
	if n.Quick {
		b.noEffect("QUICK")
	}
	src, sel, err := b.changed(n.TableRefs.TableRefs, "DELETE", n.Where)
	if err != nil {
		return nil, err
	}
	scan := src.rel.(*Scan)
	q := b.changedRows(scan, sel)
	if err := b.firstOf(q, sel, &src.scope, n.Order, n.Limit); err != nil {
		return nil, err
	}
	return &Delete{Table: scan.Table, Query: q, Params: b.params, Reads: b.reads}, nil
}

// refuseMultiDelete is error 1109 where a table to delete from is none of those
// in FROM, else 1235.
func refuseMultiDelete(n *ast.DeleteStmt) error {
	from := map[string]bool{}
	n.TableRefs.TableRefs.Accept(aliases(from))
	for _, t := range n.Tables.Tables {
		if !from[t.Name.O] {
			return sqlerr.New(sqlerr.UnknownTable, "Unknown table '%s' in MULTI DELETE", t.Name.O)
		}
	}
	return sqlerr.Unsupported("DELETE from several tables")
}

// aliases gathers the names that FROM gives its tables.
type aliases map[string]bool

// Enter implements ast.Visitor.
func (a aliases) Enter(n ast.Node) (ast.Node, bool) {
	s, ok := n.(*ast.TableSource)
	if !ok {
		return n, false
	}
	name := s.AsName.O
	if t, ok := s.Source.(*ast.TableName); ok && name == "" {
		name = t.Name.O
	}
	a[name] = true
	return n, true
}

// Leave implements ast.Visitor.
func (a aliases) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// changed binds the table and the condition of UPDATE and DELETE.
func (b *binder) changed(join *ast.Join, verb string, where ast.ExprNode) (source, *Select, error) {
	t, err := b.target(join, verb)
	if err != nil {
		return source{}, nil, err
	}
	alias := join.Left.(*ast.TableSource).AsName.O
	if alias == "" {
		alias = t.Name
	}
	src, err := b.scan(t, alias)
	if err != nil {
		return source{}, nil, err
	}
	slices.SortFunc(src.scope.cols, func(a, b visible) int { return a.position - b.position })
	sel := &Select{From: src.rel}
	if where != nil {
		b.read(t)
		sel.Where, err = b.conjuncts(where, &names{clause: "where clause", from: &src.scope})
	}
	return src, sel, err
}

// changedRows projects the table's columns as they are.
func (b *binder) changedRows(scan *Scan, sel *Select) *Query {
	q := &Query{Root: sel, Limit: -1}
	for _, c := range scan.Cols {
		col := Col{ID: b.newID(), Name: c.Name, Type: c.Type}
		sel.Project = append(sel.Project, Computed{Col: col, Expr: expr.NewColumn(c.ID, c.Name, c.Type)})
		q.Out = append(q.Out, col)
	}
	return q
}

// firstOf applies ORDER BY and LIMIT of UPDATE and DELETE. The order says which
// rows a LIMIT takes, and where keys move, which row moves out of the way first.
func (b *binder) firstOf(q *Query, sel *Select, from *scope, order *ast.OrderByClause, limit *ast.Limit) error {
	var err error
	if q.Limit, q.Offset, err = b.limit(limit); err != nil || order == nil {
		return err
	}
	for _, item := range order.Items {
		e, err := b.expr(item.Expr, &names{clause: "order clause", from: from})
		if err != nil {
			return err
		}
		if k := b.projected(sel, e); k.Op == expr.OpColumn {
			q.OrderBy = append(q.OrderBy, Order{Col: k.Col, Desc: item.Desc})
		}
	}
	return nil
}
