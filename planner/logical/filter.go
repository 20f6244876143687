package logical

import (
	"streamsql/sql/expr"
)

// Filter keeps the rows for which all conditions are true.
type Filter struct {
	Input Node
	Conds []*expr.Expr
}

// NewFilter puts conds over n; without any it is n.
func NewFilter(n Node, conds []*expr.Expr) Node {
	if len(conds) == 0 {
		return n
	}
	return &Filter{Input: n, Conds: conds}
}

// Columns of a filter: its input's.
func (f *Filter) Columns() []Col { return f.Input.Columns() }

// Inputs of a filter.
func (f *Filter) Inputs() []Node { return []Node{f.Input} }

// WithInputs puts the filter over another input.
func (f *Filter) WithInputs(in []Node) Node { return &Filter{Input: in[0], Conds: f.Conds} }

// Exprs of a filter: its conditions.
func (f *Filter) Exprs() []*expr.Expr { return f.Conds }

// WithExprs rewrites the conditions.
func (f *Filter) WithExprs(fn func(*expr.Expr) *expr.Expr) Node {
	conds := rewriteExprs(f.Conds, fn)
	if same(conds, f.Conds) {
		return f
	}
	return &Filter{Input: f.Input, Conds: conds}
}

func (f *Filter) String() string { return "Filter " + exprText(f.Conds, " AND ") }
