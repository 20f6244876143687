package builtin

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Convert makes e a value of type t, which holds all that e's type does: what
// UNION does with its columns once Common has found their type.
func Convert(e *expr.Expr, t types.Type) *expr.Expr { return coerce(e, t) }
