// Package vector holds typed columns in Arrow's memory layout: values, a
// validity bitmap (nil when no value is NULL), offsets and bytes for text.
package vector

import (
	"slices"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
)

// Vector is a column of N values of one type. Which slice holds them follows
// from Type.Class():
//
//	ClassInt      I[0:N]
//	ClassFloat    F[0:N]
//	ClassDecimal  I[0:N] while W is nil (narrow), else W[0:N] (wide)
//	ClassBytes    Buf[Off[i]:Off[i+1]], len(Off) = N+1, Off[0] may be > 0 in a slice
//
// The slot of a NULL holds a defined but meaningless value (0, "").
//
// A vector that has been handed to another operator or goroutine is immutable;
// whoever made it must not write to it any more.
type Vector struct {
	Type  types.Type
	N     int
	Valid []uint64 // bit i set: value i is not NULL; nil: no value is NULL
	I     []int64
	F     []float64
	W     []decimal.Wide
	Off   []int32
	Buf   []byte
}

// New makes an empty vector with room for n values, ready for the Append methods.
func New(t types.Type, n int) *Vector {
	v := &Vector{Type: t}
	switch t.Class() {
	case types.ClassFloat:
		v.F = make([]float64, 0, n)
	case types.ClassBytes:
		v.Off = make([]int32, 1, n+1)
		v.Buf = make([]byte, 0, 8*n)
	default:
		v.I = make([]int64, 0, n)
	}
	return v
}

// IsWide reports a decimal vector in its wide form.
func (v *Vector) IsWide() bool { return v.W != nil }

// HasNulls reports whether a validity bitmap is there (some bit may be clear).
func (v *Vector) HasNulls() bool { return v.Valid != nil }

// IsNull reports whether value i is NULL.
func (v *Vector) IsNull(i int) bool {
	return v.Valid != nil && v.Valid[i>>6]>>(uint(i)&63)&1 == 0
}

// Bytes returns value i of a ClassBytes vector without copying. It must not be
// changed, and is good as long as the vector is.
func (v *Vector) Bytes(i int) []byte { return v.Buf[v.Off[i]:v.Off[i+1]] }

// Wide returns value i of a ClassDecimal vector of either form.
func (v *Vector) Wide(i int) decimal.Wide {
	if v.W != nil {
		return v.W[i]
	}
	return decimal.FromInt64(v.I[i])
}

// pushValid appends one validity bit for the value about to be appended.
func (v *Vector) pushValid(ok bool) {
	if v.Valid == nil {
		if ok {
			return
		}
		v.Valid = make([]uint64, (v.N+64)>>6, max((v.N+64)>>6, (cap(v.I)+cap(v.F)+cap(v.Off)+63)>>6))
		for i := range v.Valid {
			v.Valid[i] = ^uint64(0)
		}
		v.Valid[v.N>>6] &= 1<<(uint(v.N)&63) - 1
	} else if v.N>>6 >= len(v.Valid) {
		v.Valid = append(v.Valid, 0)
	}
	if ok {
		v.Valid[v.N>>6] |= 1 << (uint(v.N) & 63)
	} else {
		v.Valid[v.N>>6] &^= 1 << (uint(v.N) & 63)
	}
}

// AppendNull appends NULL.
func (v *Vector) AppendNull() {
	v.pushValid(false)
	switch {
	case v.W != nil:
		v.W = append(v.W, decimal.Wide{})
	case v.Type.Class() == types.ClassFloat:
		v.F = append(v.F, 0)
	case v.Type.Class() == types.ClassBytes:
		v.Off = append(v.Off, int32(len(v.Buf)))
	default:
		v.I = append(v.I, 0)
	}
	v.N++
}

// AppendInt appends to a ClassInt vector, or a narrow value to a decimal one of either form.
func (v *Vector) AppendInt(x int64) {
	v.pushValid(true)
	if v.W != nil {
		v.W = append(v.W, decimal.FromInt64(x))
	} else {
		v.I = append(v.I, x)
	}
	v.N++
}

// AppendFloat appends to a ClassFloat vector.
func (v *Vector) AppendFloat(x float64) {
	v.pushValid(true)
	v.F = append(v.F, x)
	v.N++
}

// AppendWide appends to a decimal vector, which becomes wide if x needs it.
func (v *Vector) AppendWide(x decimal.Wide) {
	if v.W == nil {
		if n, ok := x.Int64(); ok {
			v.AppendInt(n)
			return
		}
		v.Widen()
	}
	v.pushValid(true)
	v.W = append(v.W, x)
	v.N++
}

// AppendBytes appends a copy of b to a ClassBytes vector.
func (v *Vector) AppendBytes(b []byte) {
	v.pushValid(true)
	v.Buf = append(v.Buf, b...)
	v.Off = append(v.Off, int32(len(v.Buf)))
	v.N++
}

// AppendString appends s to a ClassBytes vector.
func (v *Vector) AppendString(s string) {
	v.pushValid(true)
	v.Buf = append(v.Buf, s...)
	v.Off = append(v.Off, int32(len(v.Buf)))
	v.N++
}

// Widen turns a narrow decimal vector that is still being built into a wide one.
func (v *Vector) Widen() {
	if v.W != nil {
		return
	}
	v.W = make([]decimal.Wide, v.N, max(cap(v.I), v.N, 1))
	for i, x := range v.I {
		v.W[i] = decimal.FromInt64(x)
	}
	v.I = nil
}

// AppendFrom appends value i of src, which has the same class (and, for decimals, the same scale).
func (v *Vector) AppendFrom(src *Vector, i int) {
	if src.IsNull(i) {
		v.AppendNull()
		return
	}
	switch v.Type.Class() {
	case types.ClassFloat:
		v.AppendFloat(src.F[i])
	case types.ClassBytes:
		v.AppendBytes(src.Bytes(i))
	case types.ClassDecimal:
		if src.W != nil {
			v.AppendWide(src.W[i])
		} else {
			v.AppendInt(src.I[i])
		}
	default:
		v.AppendInt(src.I[i])
	}
}

// Reset empties v for reuse, keeping its memory. Only its sole owner may.
func (v *Vector) Reset() {
	v.N, v.Valid = 0, nil
	if v.W != nil {
		v.W = nil
	}
	v.I, v.F, v.Buf = v.I[:0], v.F[:0], v.Buf[:0]
	if v.Type.Class() == types.ClassBytes {
		v.Off = append(v.Off[:0], 0)
	}
}

// Truncate drops all values from n on of a vector that is still being built.
func (v *Vector) Truncate(n int) {
	if n >= v.N {
		return
	}
	switch {
	case v.W != nil:
		v.W = v.W[:n]
	case v.Type.Class() == types.ClassFloat:
		v.F = v.F[:n]
	case v.Type.Class() == types.ClassBytes:
		v.Off = v.Off[:n+1]
		v.Buf = v.Buf[:v.Off[n]]
	default:
		v.I = v.I[:n]
	}
	if v.Valid != nil {
		v.Valid = v.Valid[:(n+63)>>6]
		if n&63 != 0 {
			v.Valid[n>>6] &= 1<<(uint(n)&63) - 1
		}
	}
	v.N = n
}

// Gather returns the values of v at the positions sel, in that order.
func (v *Vector) Gather(sel []int32) *Vector {
	out := &Vector{Type: v.Type}
	switch {
	case v.Off != nil:
		n := 0
		for _, i := range sel {
			n += int(v.Off[i+1] - v.Off[i])
		}
		out.Off, out.Buf = make([]int32, 1, len(sel)+1), make([]byte, 0, n)
	case v.F != nil:
		out.F = make([]float64, 0, len(sel))
	case v.W != nil:
		out.W = make([]decimal.Wide, 0, len(sel))
	default:
		out.I = make([]int64, 0, len(sel))
	}
	v.GatherTo(out, sel)
	return out
}

// GatherTo is Gather into the memory of out, an empty vector of the same type, which
// grows if it must.
func (v *Vector) GatherTo(out *Vector, sel []int32) {
	n := len(sel)
	out.N = n
	switch {
	case v.Off != nil:
		for _, i := range sel {
			out.Buf = append(out.Buf, v.Buf[v.Off[i]:v.Off[i+1]]...)
			out.Off = append(out.Off, int32(len(out.Buf)))
		}
	case v.F != nil:
		out.F = slices.Grow(out.F[:0], n)[:n]
		for k, i := range sel {
			out.F[k] = v.F[i]
		}
	case v.W != nil:
		out.W = slices.Grow(out.W[:0], n)[:n]
		for k, i := range sel {
			out.W[k] = v.W[i]
		}
	default:
		out.I = slices.Grow(out.I[:0], n)[:n]
		for k, i := range sel {
			out.I[k] = v.I[i]
		}
	}
	if v.Valid != nil {
		out.Valid = make([]uint64, (n+63)>>6)
		for k, i := range sel {
			out.Valid[k>>6] |= (v.Valid[i>>6] >> (uint(i) & 63) & 1) << (uint(k) & 63)
		}
	}
}

// CopyTo copies all values into out, an empty vector of the same type.
func (v *Vector) CopyTo(out *Vector) {
	out.N = v.N
	switch {
	case v.Off != nil:
		from := v.Off[0]
		out.Buf = append(out.Buf[:0], v.Buf[from:v.Off[v.N]]...)
		out.Off = out.Off[:0]
		for _, at := range v.Off[:v.N+1] {
			out.Off = append(out.Off, at-from)
		}
	case v.F != nil:
		out.F = append(out.F[:0], v.F[:v.N]...)
	case v.W != nil:
		out.W = append(out.W[:0], v.W[:v.N]...)
	default:
		out.I = append(out.I[:0], v.I[:v.N]...)
	}
	if v.Valid != nil {
		out.Valid = append([]uint64(nil), v.Valid...)
	}
}

// Slice returns the values from lo to hi (exclusive). It shares memory with v where it can.
func (v *Vector) Slice(lo, hi int) *Vector {
	out := &Vector{}
	v.SliceTo(out, lo, hi)
	return out
}

// SliceTo makes out, whatever it was, the Slice from lo to hi.
func (v *Vector) SliceTo(out *Vector, lo, hi int) {
	*out = Vector{Type: v.Type, N: hi - lo}
	switch {
	case v.Off != nil:
		out.Off, out.Buf = v.Off[lo:hi+1], v.Buf
	case v.F != nil:
		out.F = v.F[lo:hi]
	case v.W != nil:
		out.W = v.W[lo:hi]
	default:
		out.I = v.I[lo:hi]
	}
	if v.Valid != nil {
		if lo&63 == 0 {
			out.Valid = v.Valid[lo>>6 : (hi+63)>>6]
		} else {
			out.Valid = make([]uint64, (hi-lo+63)>>6)
			for k := range hi - lo {
				i := lo + k
				out.Valid[k>>6] |= (v.Valid[i>>6] >> (uint(i) & 63) & 1) << (uint(k) & 63)
			}
		}
	}
}
