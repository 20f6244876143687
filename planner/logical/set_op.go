package logical

import (
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// SetOp is INTERSECT or EXCEPT of its inputs: rows are equal as a whole, NULLs
// being equal. Its columns have ids of their own, and stand in each input as in
// a Union.
type SetOp struct {
	Kind bind.SetOpKind
	All  bool
	Ins  []Node
	Cols []Col
	From [][]int // column ids, as long as Cols for each input
}

// Columns of a set operation.
func (s *SetOp) Columns() []Col { return s.Cols }

// Inputs of a set operation.
func (s *SetOp) Inputs() []Node { return s.Ins }

// WithInputs puts the set operation over other inputs.
func (s *SetOp) WithInputs(in []Node) Node {
	out := *s
	out.Ins = in
	return &out
}

// Exprs of a set operation: none.
func (s *SetOp) Exprs() []*expr.Expr { return nil }

// WithExprs returns s.
func (s *SetOp) WithExprs(func(*expr.Expr) *expr.Expr) Node { return s }

func (s *SetOp) String() string {
	name := "Intersect"
	if s.Kind == bind.Except {
		name = "Except"
	}
	if s.All {
		name += " all"
	}
	return name + " " + colText(s.Cols)
}

// Replace is e, over the operation's columns, as it reads over input i's.
func (s *SetOp) Replace(e *expr.Expr, i int) *expr.Expr {
	return (&Union{Ins: s.Ins, Cols: s.Cols, From: s.From}).Replace(e, i)
}
