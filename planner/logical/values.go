package logical

import (
	"fmt"

	"streamsql/sql/expr"
)

// Values is a constant relation. One row without columns is what a SELECT
// without FROM reads; no row at all is what a false filter leaves.
type Values struct {
	Rows [][]*expr.Expr
	Cols []Col
}

// OneRow is one row without columns.
func OneRow() *Values { return &Values{Rows: [][]*expr.Expr{{}}} }

// Empty has the columns cols and no row.
func Empty(cols []Col) *Values { return &Values{Cols: cols} }

// IsEmpty reports a relation that is known to have no row.
func IsEmpty(n Node) bool {
	v, ok := n.(*Values)
	return ok && len(v.Rows) == 0
}

// Columns of a constant relation.
func (v *Values) Columns() []Col { return v.Cols }

// Inputs of a constant relation: none.
func (v *Values) Inputs() []Node { return nil }

// WithInputs returns v.
func (v *Values) WithInputs([]Node) Node { return v }

// Exprs of a constant relation: all its values, row by row.
func (v *Values) Exprs() []*expr.Expr {
	var list []*expr.Expr
	for _, r := range v.Rows {
		list = append(list, r...)
	}
	return list
}

// WithExprs rewrites the values.
func (v *Values) WithExprs(f func(*expr.Expr) *expr.Expr) Node {
	rows, changed := make([][]*expr.Expr, len(v.Rows)), false
	for i, r := range v.Rows {
		rows[i] = rewriteExprs(r, f)
		changed = changed || !same(rows[i], r)
	}
	if !changed {
		return v
	}
	return &Values{Rows: rows, Cols: v.Cols}
}

func (v *Values) String() string {
	return fmt.Sprintf("Values %d rows %s", len(v.Rows), colText(v.Cols))
}
