// Package agg holds the aggregate functions: their result types, and their
// states as they lie in a row of a hash table.
package agg

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Call is one bound aggregate of a query.
type Call struct {
	Fn       string       `json:"fn"` // lower case: count, sum, avg, min, max
	Args     []*expr.Expr `json:"args,omitempty"`
	Distinct bool         `json:"distinct,omitempty"`
	Type     types.Type   `json:"type"` // of the result, as Resolve found it
}
