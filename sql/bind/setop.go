package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// setOperation binds a chain of UNIONs. It associates to the left, so that the
// last UNION DISTINCT covers everything before it.
func (b *binder) setOperation(list *ast.SetOprSelectList, order *ast.OrderByClause, limit *ast.Limit) (*Query, error) {
	inputs := make([]*Query, len(list.Selects))
	last := -1 // of the inputs that a UNION DISTINCT joins to those before
	for i, node := range list.Selects {
		op := operator(node)
		if i > 0 && op != nil {
			switch *op {
			case ast.Union:
				last = i
			case ast.UnionAll:
			default:
				return nil, sqlerr.Unsupported(strings.ToUpper(op.String()))
			}
		}
		var err error
		if inputs[i], err = b.subquery(node); err != nil {
			return nil, err
		}
		if len(inputs[i].Out) != len(inputs[0].Out) {
			return nil, sqlerr.New(sqlerr.WrongColumnCount, "The used SELECT statements have a different number of columns")
		}
	}
	if len(inputs) == 1 {
		return b.around(inputs[0], order, limit)
	}
	ts := make([]types.Type, len(inputs[0].Out))
	for c := range ts {
		column := make([]types.Type, len(inputs))
		for i := range inputs {
			column[i] = inputs[i].Out[c].Type
		}
		ts[c] = builtin.Common(column...)
	}
	for c := range ts {
		ts[c].NotNull = true
	}
	for i := range inputs {
		inputs[i] = b.converted(inputs[i], ts)
		for c := range ts {
			ts[c].NotNull = ts[c].NotNull && inputs[i].Out[c].Type.NotNull
		}
	}
	first := inputs[0].Out
	if last > 0 {
		distinct := b.union(inputs[:last+1], true, first, ts)
		inputs = append([]*Query{distinct}, inputs[last+1:]...)
	}
	q := inputs[0]
	if len(inputs) > 1 {
		q = b.union(inputs, false, first, ts)
	}
	return b.ordered(q, order, limit)
}

// operator is the set operator before node.
func operator(node ast.Node) *ast.SetOprType {
	switch n := node.(type) {
	case *ast.SelectStmt:
		return n.AfterSetOperator
	case *ast.SetOprSelectList:
		return n.AfterSetOperator
	}
	return nil
}

func (b *binder) union(inputs []*Query, distinct bool, names []Col, ts []types.Type) *Query {
	u := &Union{Inputs: inputs, Distinct: distinct}
	for i, t := range ts {
		u.Cols = append(u.Cols, Col{ID: b.newID(), Name: names[i].Name, Type: t})
	}
	return &Query{Root: u, Out: u.Cols, Limit: -1}
}

// around applies ORDER BY and LIMIT to a parenthesised query, which may have
// its own.
func (b *binder) around(q *Query, order *ast.OrderByClause, limit *ast.Limit) (*Query, error) {
	if order == nil && limit == nil {
		return q, nil
	}
	if q.Limit >= 0 || q.Offset > 0 {
		q = b.wrapped(q)
	} else {
		q.OrderBy = nil
	}
	return b.ordered(q, order, limit)
}

// wrapped is SELECT * FROM (q), with new column ids.
func (b *binder) wrapped(q *Query) *Query {
	sel := &Select{From: &Derived{Query: q}}
	out := &Query{Root: sel, Limit: -1}
	for _, c := range q.Out {
		p := Computed{Col: Col{ID: b.newID(), Name: c.Name, Type: c.Type}, Expr: expr.NewColumn(c.ID, c.Name, c.Type)}
		sel.Project = append(sel.Project, p)
		out.Out = append(out.Out, p.Col)
	}
	return out
}

// converted casts the columns of q to other types: in its own projection where
// nothing else looks at that, else in a SELECT around it.
func (b *binder) converted(q *Query, ts []types.Type) *Query {
	same := true
	for i, c := range q.Out {
		same = same && c.Type.Nullable() == ts[i].Nullable()
	}
	if same {
		return q
	}
	sel, ok := q.Root.(*Select)
	if !ok || sel.Distinct || len(q.OrderBy) > 0 || len(sel.Project) != len(q.Out) {
		q = b.wrapped(q)
		sel = q.Root.(*Select)
	}
	for i := range sel.Project {
		p := &sel.Project[i]
		p.Expr = builtin.Convert(p.Expr, ts[i].Nullable())
		notNull := p.Expr.Type.NotNull
		p.Type = ts[i]
		p.Type.NotNull = notNull
		q.Out[i].Type = p.Type
	}
	return q
}
