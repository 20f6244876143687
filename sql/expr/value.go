package expr

import (
	"bytes"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Vector is a vector of the one value v of type t.
func (v *Value) Vector(t types.Type) *vector.Vector {
	out := vector.New(t, 1)
	switch {
	case v.Null:
		out.AppendNull()
	case t.Class() == types.ClassFloat:
		out.AppendFloat(v.F)
	case t.Class() == types.ClassBytes:
		out.AppendBytes(v.S)
	case t.Class() == types.ClassDecimal && v.Wide != nil:
		out.AppendWide(*v.Wide)
	default:
		out.AppendInt(v.I)
	}
	return out
}

// ValueOf takes value i out of a vector.
func ValueOf(v *vector.Vector, i int) Value {
	switch {
	case v.IsNull(i):
		return Value{Null: true}
	case v.Type.Class() == types.ClassFloat:
		return Value{F: v.F[i]}
	case v.Type.Class() == types.ClassBytes:
		return Value{S: bytes.Clone(v.Bytes(i))}
	case v.W != nil:
		if n, ok := v.W[i].Int64(); ok {
			return Value{I: n}
		}
		w := v.W[i]
		return Value{Wide: &w}
	}
	return Value{I: v.I[i]}
}

// Decimal is the unscaled value of a ClassDecimal value.
func (v *Value) Decimal() decimal.Wide {
	if v.Wide != nil {
		return *v.Wide
	}
	return decimal.FromInt64(v.I)
}
