package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"streamsql/sql/vector"
)

// CompareOrdered orders value i of a and value j of b, two columns of one type, as
// the bytes of AppendOrdered are ordered.
func CompareOrdered(a *vector.Vector, i int, b *vector.Vector, j int) int {
	return compareOrdered(a, i, b, j, false)
}

// CompareOrderedKey orders as the bytes of AppendOrderedKey, ascending.
func CompareOrderedKey(a *vector.Vector, i int, b *vector.Vector, j int) int {
	return compareOrdered(a, i, b, j, true)
}

func compareOrdered(a *vector.Vector, i int, b *vector.Vector, j int, key bool) int {
	if x, y := a.IsNull(i), b.IsNull(j); x || y {
		switch {
		case x && y:
			return 0
		case x:
			return -1
		}
		return 1
	}
	switch formOf(a.Type) {
	case formFloat:
		return cmp.Compare(orderFloat(floatBits(a.F[i])), orderFloat(floatBits(b.F[j])))
	case formNarrow, formWide:
		x, y := a.Wide(i), b.Wide(j)
		return x.Cmp(y)
	case formBytes:
		x, y := a.Bytes(i), b.Bytes(j)
		if key {
			x, y = orderText(a.Type, x), orderText(b.Type, y)
		}
		return bytes.Compare(x, y)
	}
	if a.Type.Unsigned {
		return cmp.Compare(uint64(a.I[i]), uint64(b.I[j]))
	}
	return cmp.Compare(a.I[i], b.I[j])
}

// OrderPrefixes maps the values of v to numbers that are ordered as
// AppendOrderedKey orders the values, as far as they go: what comes before has no
// greater number. dst is as long as v.
func OrderPrefixes(v *vector.Vector, desc bool, dst []uint64) {
	const sign = 1 << 63
	switch f := formOf(v.Type); {
	case f == formBytes:
		for i := range dst {
			var b [8]byte
			copy(b[:], orderText(v.Type, v.Bytes(i)))
			dst[i] = binary.BigEndian.Uint64(b[:])
		}
	case f == formFloat:
		for i, x := range v.F[:len(dst)] {
			dst[i] = orderFloat(floatBits(x))
		}
	case v.IsWide():
		for i, w := range v.W[:len(dst)] {
			x, ok := w.Int64()
			switch {
			case ok:
				dst[i] = uint64(x) ^ sign
			case int64(w[3]) < 0:
				dst[i] = 0
			default:
				dst[i] = math.MaxUint64
			}
		}
	case f == formInt && v.Type.Unsigned:
		for i, x := range v.I[:len(dst)] {
			dst[i] = uint64(x)
		}
	default:
		for i, x := range v.I[:len(dst)] {
			dst[i] = uint64(x) ^ sign
		}
	}
	if v.HasNulls() {
		for i := range dst {
			if v.IsNull(i) {
				dst[i] = 0
			}
		}
	}
	if desc {
		for i := range dst {
			dst[i] = ^dst[i]
		}
	}
}
