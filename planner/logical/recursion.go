package logical

import (
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Recursion gives the rows of a recursive common table expression, which are
// computed to the end before the query reads them, by a plan of their own.
type Recursion struct {
	Of   *bind.Recursive
	Cols []Col
	// Plan of Of.Query; nil until it is planned.
	Plan *physical.Plan
}

// Columns of a recursion.
func (r *Recursion) Columns() []Col { return r.Cols }

// Inputs of a recursion: none.
func (r *Recursion) Inputs() []Node { return nil }

// WithInputs returns r.
func (r *Recursion) WithInputs([]Node) Node { return r }

// Exprs of a recursion: none.
func (r *Recursion) Exprs() []*expr.Expr { return nil }

// WithExprs returns r.
func (r *Recursion) WithExprs(func(*expr.Expr) *expr.Expr) Node { return r }

func (r *Recursion) String() string { return "Recursion " + r.Of.Working.Name + " " + colText(r.Cols) }
