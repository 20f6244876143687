package logical

import "streamsql/sql/expr"

// Distinct keeps each row once.
type Distinct struct {
	Input Node
}

// Columns of a distinct: its input's.
func (d *Distinct) Columns() []Col { return d.Input.Columns() }

// Inputs of a distinct.
func (d *Distinct) Inputs() []Node { return []Node{d.Input} }

// WithInputs puts the distinct over another input.
func (d *Distinct) WithInputs(in []Node) Node { return &Distinct{Input: in[0]} }

// Exprs of a distinct: none.
func (d *Distinct) Exprs() []*expr.Expr { return nil }

// WithExprs returns d.
func (d *Distinct) WithExprs(func(*expr.Expr) *expr.Expr) Node { return d }

func (d *Distinct) String() string { return "Distinct" }
