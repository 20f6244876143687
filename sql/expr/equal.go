package expr

import (
	"bytes"
	"hash/maphash"

	"streamsql/sql/routine"
	"streamsql/sql/types"
)

// Equal reports that a and b are the same expression: the same nodes over the
// same columns, parameters and constants, of the same types. Names of columns
// do not count, and whether a type is NOT NULL does not.
func Equal(a, b *Expr) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Op != b.Op || a.Fn != b.Fn || len(a.Args) != len(b.Args) {
		return false
	}
	switch a.Op {
	case OpColumn:
		return a.Col == b.Col // a column has one type
	case OpSubquery:
		if a.Col != b.Col {
			return false
		}
	case OpParam:
		return a.Col == b.Col && a.Type.Nullable() == b.Type.Nullable()
	}
	if a.Type.Nullable() != b.Type.Nullable() || !routine.Same(a.Routine, b.Routine) {
		return false
	}
	if a.Op == OpConst && !EqualValue(*a.Value, *b.Value, a.Type) {
		return false
	}
	for i := range a.Args {
		if !Equal(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// EqualValue reports that two values of type t are the same bit by bit; NULL is
// the same as NULL.
func EqualValue(a, b Value, t types.Type) bool {
	if a.Null || b.Null {
		return a.Null == b.Null
	}
	switch t.Class() {
	case types.ClassFloat:
		return a.F == b.F
	case types.ClassBytes:
		return bytes.Equal(a.S, b.S)
	default:
		if a.Wide != nil && b.Wide != nil {
			return *a.Wide == *b.Wide
		}
		return a.Wide == nil && b.Wide == nil && a.I == b.I
	}
}

var seed = maphash.MakeSeed()

// Hash is equal for equal expressions. It differs from process to process.
func Hash(e *Expr) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	e.Walk(func(x *Expr) bool {
		h.WriteByte(byte(x.Op))
		h.WriteByte(byte(len(x.Args)))
		h.WriteString(x.Fn)
		maphash.WriteComparable(&h, x.Col)
		if x.Value != nil {
			maphash.WriteComparable(&h, x.Value.I)
			h.Write(x.Value.S)
		}
		return true
	})
	return h.Sum64()
}
