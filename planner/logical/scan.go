package logical

import (
	"fmt"

	"streamsql/catalog"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Scan reads a table, stream or materialized view.
type Scan struct {
	Table *catalog.Table
	Cols  []Col
	// Positions of Cols in the table.
	Positions []int
	// AppendOnly: the object's changelog never retracts.
	AppendOnly bool
	// Grows: the number of its rows has no bound but time.
	Grows bool
	// Times are the object's columns, by position, that are bound to a watermark.
	Times map[int]physical.Time
	// Changes, if set: not the rows are read, but what changed in them.
	Changes *bind.ChangesOf
}

// Columns of a scan.
func (s *Scan) Columns() []Col { return s.Cols }

// Inputs of a scan: none.
func (s *Scan) Inputs() []Node { return nil }

// WithInputs returns s.
func (s *Scan) WithInputs([]Node) Node { return s }

// Exprs of a scan: none.
func (s *Scan) Exprs() []*expr.Expr { return nil }

// WithExprs returns s.
func (s *Scan) WithExprs(func(*expr.Expr) *expr.Expr) Node { return s }

func (s *Scan) String() string {
	return fmt.Sprintf("Scan %s.%s %s", s.Table.Database, s.Table.Name, colText(s.Cols))
}

// Keep is s with only the columns in need.
func (s *Scan) Keep(need ColSet) *Scan {
	out := *s
	out.Cols, out.Positions = nil, []int{}
	for i, c := range s.Cols {
		if need[c.ID] {
			out.Cols = append(out.Cols, c)
			out.Positions = append(out.Positions, s.Positions[i])
		}
	}
	return &out
}
