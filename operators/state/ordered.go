package state

import (
	"encoding/binary"
	"math"

	"streamsql/sql/collate"
	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// AppendOrdered appends value i of v in a form whose byte order is the order of
// SQL: NULL first, then by value; with desc exactly the other way round. No
// encoding is the beginning of another one's, so that columns can follow one
// another. Equal values give equal bytes.
func AppendOrdered(dst []byte, v *vector.Vector, i int, desc bool) []byte {
	return appendOrdered(dst, v, i, desc, false)
}

// AppendOrderedKey is AppendOrdered with equal bytes for what SQL holds equal
// though it is not the same: text without the spaces at its end, and the keys of
// values that Fold.
func AppendOrderedKey(dst []byte, v *vector.Vector, i int, desc bool) []byte {
	return appendOrdered(dst, v, i, desc, true)
}

func appendOrdered(dst []byte, v *vector.Vector, i int, desc, key bool) []byte {
	base := len(dst)
	if v.IsNull(i) {
		dst = append(dst, 0)
	} else {
		dst = append(dst, 1)
		switch formOf(v.Type) {
		case formInt:
			x := uint64(v.I[i])
			if !v.Type.Unsigned {
				x ^= 1 << 63
			}
			dst = binary.BigEndian.AppendUint64(dst, x)
		case formFloat:
			dst = binary.BigEndian.AppendUint64(dst, orderFloat(floatBits(v.F[i])))
		case formNarrow:
			w := v.Wide(i)
			dst = binary.BigEndian.AppendUint64(dst, w[0]^1<<63)
		case formWide:
			w := v.Wide(i)
			dst = binary.BigEndian.AppendUint64(dst, w[3]^1<<63)
			for k := 2; k >= 0; k-- {
				dst = binary.BigEndian.AppendUint64(dst, w[k])
			}
		case formBytes:
			text := v.Bytes(i)
			if key {
				text = orderText(v.Type, text)
			}
			dst = append(escape(dst, text), 0, 0)
		}
	}
	if desc {
		for k := base; k < len(dst); k++ {
			dst[k] ^= 0xFF
		}
	}
	return dst
}

// orderText is what two texts are ordered by.
func orderText(t types.Type, b []byte) []byte {
	if t.Folds() {
		return collate.AppendKeyOf(nil, t, b)
	}
	return keyText(t, b)
}

// AppendKeyOfOrdered is AppendOrderedKey of a value that Folds and is not NULL, of
// which b is what AppendOrdered made, both ascending.
func AppendKeyOfOrdered(dst, b []byte, t types.Type) []byte {
	return append(escape(append(dst, b[0]), collate.AppendKeyOf(nil, t, unescape(b[1:len(b)-2]))), 0, 0)
}

// orderFloat maps bits so that unsigned order is the order of the floats.
func orderFloat(b uint64) uint64 {
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// DecodeOrdered appends the value that AppendOrdered wrote (ascending) at the
// beginning of b to v, and returns what follows.
func DecodeOrdered(b []byte, v *vector.Vector) []byte {
	if b[0] == 0 {
		v.AppendNull()
		return b[1:]
	}
	b = b[1:]
	switch f := formOf(v.Type); f {
	case formFloat:
		x := binary.BigEndian.Uint64(b)
		if x>>63 != 0 {
			x &^= 1 << 63
		} else {
			x = ^x
		}
		v.AppendFloat(math.Float64frombits(x))
		return b[8:]
	case formWide:
		var w decimal.Wide
		for k := range w {
			w[3-k] = binary.BigEndian.Uint64(b[8*k:])
		}
		w[3] ^= 1 << 63
		v.AppendWide(w)
		return b[32:]
	case formBytes:
		end := 0
		for b[end] != 0 || b[end+1] != 0 {
			end++
		}
		v.AppendBytes(unescape(b[:end]))
		return b[end+2:]
	default:
		x := binary.BigEndian.Uint64(b)
		if f == formNarrow || !v.Type.Unsigned || v.Type.Class() != types.ClassInt {
			x ^= 1 << 63
		}
		v.AppendInt(int64(x))
		return b[8:]
	}
}

// SkipOrdered returns what follows the value of type t that AppendOrdered or
// AppendOrderedKey wrote at the beginning of b.
func SkipOrdered(b []byte, t types.Type, desc bool) []byte {
	null, end := byte(0), byte(0)
	if desc {
		null, end = 0xFF, 0xFF
	}
	if b[0] == null {
		return b[1:]
	}
	b = b[1:]
	switch formOf(t) {
	case formWide:
		return b[32:]
	case formBytes:
		i := 0
		for b[i] != end || b[i+1] != end {
			i++
		}
		return b[i+2:]
	default:
		return b[8:]
	}
}

// escape appends text with 0 as 0 FF.
func escape(dst, text []byte) []byte {
	for _, b := range text {
		if dst = append(dst, b); b == 0 {
			dst = append(dst, 0xFF)
		}
	}
	return dst
}

// unescape undoes escape.
func unescape(b []byte) []byte {
	for i, x := range b {
		if x != 0 {
			continue
		}
		out := append([]byte(nil), b[:i]...)
		for ; i < len(b); i++ {
			if out = append(out, b[i]); b[i] == 0 {
				i++
			}
		}
		return out
	}
	return b
}

// OrderedLen is the length of the value of type t that AppendOrdered wrote
// (ascending) at the beginning of b.
func OrderedLen(b []byte, t types.Type) int {
	if b[0] == 0 {
		return 1
	}
	switch formOf(t) {
	case formWide:
		return 33
	case formBytes:
		end := 1
		for b[end] != 0 || b[end+1] != 0 {
			if b[end] == 0 { // an escaped one
				end++
			}
			end++
		}
		return end + 2
	default:
		return 9
	}
}
