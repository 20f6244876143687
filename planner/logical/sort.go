package logical

import (
	"fmt"
	"strings"

	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Sort orders its input, then leaves out Offset rows and keeps Limit. Without
// keys it is a plain LIMIT, over rows in no order.
type Sort struct {
	Input  Node
	Keys   []bind.Order
	Limit  int64 // −1: none
	Offset int64
}

// Columns of a sort: its input's.
func (s *Sort) Columns() []Col { return s.Input.Columns() }

// Inputs of a sort.
func (s *Sort) Inputs() []Node { return []Node{s.Input} }

// WithInputs puts the sort over another input.
func (s *Sort) WithInputs(in []Node) Node {
	out := *s
	out.Input = in[0]
	return &out
}

// Exprs of a sort: none, its keys are columns.
func (s *Sort) Exprs() []*expr.Expr { return nil }

// WithExprs returns s.
func (s *Sort) WithExprs(func(*expr.Expr) *expr.Expr) Node { return s }

func (s *Sort) String() string {
	names := byID(s.Columns())
	keys := make([]string, len(s.Keys))
	for i, k := range s.Keys {
		keys[i] = colName(names[k.Col])
		if k.Desc {
			keys[i] += " DESC"
		}
	}
	out := "Sort " + strings.Join(keys, ", ")
	if s.Limit >= 0 {
		out += fmt.Sprintf(" LIMIT %d", s.Limit)
	}
	if s.Offset > 0 {
		out += fmt.Sprintf(" OFFSET %d", s.Offset)
	}
	return out
}
