package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// setOperation binds a chain of set operators. INTERSECT binds tighter than the
// others, which associate to the left, so that the last UNION DISTINCT covers
// everything before it.
func (b *binder) setOperation(list *ast.SetOprSelectList, order *ast.OrderByClause, limit *ast.Limit) (*Query, error) {
	inputs := make([]*Query, len(list.Selects))
	ops := make([]ast.SetOprType, len(list.Selects)) // before each input
	for i, node := range list.Selects {
		if op := operator(node); i > 0 && op != nil {
			ops[i] = *op
		}
		var err error
		beside := min(max(i, 1), len(list.Selects)-1) // what an operator stands before
		if err = bracketed(node, operator(list.Selects[beside])); err != nil {
			return nil, err
		}
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
	names := inputs[0].Out
	inputs, ops, err := b.intersected(inputs, ops, names)
	if err != nil {
		return nil, err
	}
	if len(inputs) > 1 { // what is a set operation itself is made a table of first
		for i, q := range inputs {
			if _, ok := q.Root.(*Select); !ok {
				inputs[i] = b.nullsAsText(q)
			}
		}
	}
	operation := "UNION"
	if len(ops) > 1 && isExcept(ops[1]) {
		operation = "EXCEPT"
	}
	ts, err := b.unified(operation, inputs)
	if err != nil {
		return nil, err
	}
	q := inputs[0]
	for lo := 1; lo < len(inputs); {
		hi := lo + 1
		for hi < len(inputs) && isExcept(ops[hi]) == isExcept(ops[lo]) && (!isExcept(ops[lo]) || ops[hi] == ops[lo]) {
			hi++
		}
		operands := append([]*Query{q}, inputs[lo:hi]...)
		if isExcept(ops[lo]) {
			q = b.setOp(Except, ops[lo] == ast.ExceptAll, operands, names, ts)
		} else {
			q = b.unions(operands, ops[lo:hi], names, ts)
		}
		lo = hi
	}
	return b.ordered(q, order, limit)
}

// bracketed is error 1221 for an operand with an ORDER BY or LIMIT that brackets
// do not make its own.
func bracketed(node ast.Node, op *ast.SetOprType) error {
	n, ok := node.(*ast.SelectStmt)
	if !ok || n.IsInBraces || op == nil {
		return nil
	}
	clause := ""
	switch {
	case n.OrderBy != nil:
		clause = "ORDER BY"
	case n.Limit != nil:
		clause = "LIMIT"
	default:
		return nil
	}
	return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of %s and %s", strings.TrimSuffix(strings.ToUpper(op.String()), " ALL"), clause)
}

func isIntersect(op ast.SetOprType) bool { return op == ast.Intersect || op == ast.IntersectAll }

func isExcept(op ast.SetOprType) bool { return op == ast.Except || op == ast.ExceptAll }

// intersected joins the inputs that INTERSECT stands between to one each. ALL and
// DISTINCT in one chain associate to the left.
func (b *binder) intersected(inputs []*Query, ops []ast.SetOprType, names []Col) (outIn []*Query, outOps []ast.SetOprType, err error) {
	for lo := 0; lo < len(inputs); {
		q, op := inputs[lo], ops[lo]
		for lo++; lo < len(inputs) && isIntersect(ops[lo]); {
			hi := lo + 1
			for hi < len(inputs) && ops[hi] == ops[lo] {
				hi++
			}
			operands := append([]*Query{q}, inputs[lo:hi]...)
			ts, err := b.unified("INTERSECT", operands)
			if err != nil {
				return nil, nil, err
			}
			q = b.setOp(Intersect, ops[lo] == ast.IntersectAll, operands, names, ts)
			lo = hi
		}
		outIn, outOps = append(outIn, q), append(outOps, op)
	}
	return outIn, outOps, nil
}

// unified casts inputs to the common types of their columns, in place; error 1271 if
// texts meet in no collation.
func (b *binder) unified(operation string, inputs []*Query) ([]types.Type, error) {
	ts := make([]types.Type, len(inputs[0].Out))
	for c := range ts {
		column := make([]types.Type, len(inputs))
		for i := range inputs {
			column[i] = inputs[i].Out[c].Type
		}
		ts[c] = builtin.Common(column...)
		if ts[c].IsText() {
			derived := make([]builtin.Derivation, len(inputs))
			for i := range inputs {
				derived[i] = derivation(inputs[i], c)
			}
			var decided bool
			if ts[c].Collation, decided = builtin.CommonCollation(column, derived); !decided {
				return nil, sqlerr.New(sqlerr.CollationsMismatch, "Illegal mix of collations for operation '%s'", operation)
			}
		}
		ts[c].NotNull = true
	}
	for i := range inputs {
		inputs[i] = b.converted(inputs[i], ts)
		for c := range ts {
			ts[c].NotNull = ts[c].NotNull && inputs[i].Out[c].Type.NotNull
		}
	}
	return ts, nil
}

// derivation is how firmly column c of a query holds to its collation.
func derivation(q *Query, c int) builtin.Derivation {
	if sel, ok := q.Root.(*Select); ok && len(sel.Project) == len(q.Out) && sel.Project[c].ID == q.Out[c].ID {
		return builtin.DerivationOf(sel.Project[c].Expr)
	}
	return builtin.Implicit
}

// unions joins inputs by UNION and UNION ALL; ops stand before all but the first.
func (b *binder) unions(inputs []*Query, ops []ast.SetOprType, names []Col, ts []types.Type) *Query {
	last := 0 // of the inputs that a UNION DISTINCT joins to those before
	for i, op := range ops {
		if op == ast.Union {
			last = i + 1
		}
	}
	if last > 0 {
		distinct := b.union(inputs[:last+1], true, names, ts)
		inputs = append([]*Query{distinct}, inputs[last+1:]...)
	}
	if len(inputs) == 1 {
		return inputs[0]
	}
	return b.union(inputs, false, names, ts)
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
	u := &Union{Inputs: inputs, Distinct: distinct, Cols: b.named(names, ts)}
	return &Query{Root: u, Out: u.Cols, Limit: -1}
}

func (b *binder) setOp(kind SetOpKind, all bool, inputs []*Query, names []Col, ts []types.Type) *Query {
	s := &SetOp{Kind: kind, All: all, Inputs: inputs, Cols: b.named(names, ts)}
	for i := range s.Cols {
		s.Cols[i].Type.NotNull = inputs[0].Out[i].Type.NotNull
	}
	return &Query{Root: s, Out: s.Cols, Limit: -1}
}

// named are new columns of the types ts.
func (b *binder) named(names []Col, ts []types.Type) []Col {
	cols := make([]Col, len(ts))
	for i, t := range ts {
		cols[i] = Col{ID: b.newID(), Name: names[i].Name, Type: t}
	}
	return cols
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
