package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

// facts are conditions that hold for all rows of n, as far as filters and joins
// below say.
func facts(n logical.Node) []*expr.Expr {
	switch n := n.(type) {
	case *logical.Filter:
		return append(facts(n.Input), n.Conds...)
	case *logical.Project:
		return within(facts(n.Input), n)
	case *logical.Distinct:
		return facts(n.Input)
	case *logical.Aggregate:
		if len(n.Keys) > 0 {
			return within(facts(n.Input), n)
		}
	case *logical.Join:
		switch n.Kind {
		case logical.InnerJoin:
			return append(append(facts(n.Left), facts(n.Right)...), n.On...)
		case logical.LeftJoin, logical.SemiJoin, logical.AntiJoin:
			return facts(n.Left)
		}
	}
	return nil
}

// within are those of list that read only columns of n.
func within(list []*expr.Expr, n logical.Node) []*expr.Expr {
	cols := logical.SetOf(n.Columns())
	in, _ := split(list, cols.Has)
	return in
}

// equalsConst finds the column that e says equals a constant.
func equalsConst(e *expr.Expr) (col int, ok bool) {
	if e.Op != expr.OpCall || e.Fn != "=" && e.Fn != "<=>" || len(e.Args) != 2 {
		return 0, false
	}
	a, b := e.Args[0], e.Args[1]
	if a.Op != expr.OpColumn {
		a, b = b, a
	}
	return a.Col, a.Op == expr.OpColumn && (b.Op == expr.OpConst || b.Op == expr.OpParam)
}
