package state

import (
	"bytes"
	"math"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"streamsql/sql/collate"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// The hash of a key decides which logical partition a row belongs to, so it is
// part of stored formats: it must never change. A key's hash starts at hashSeed
// and folds in column after column: h = mix(h XOR x), where x is
//
//   - ClassInt: the value;
//   - ClassFloat: its bits, with −0 as 0 and one NaN;
//   - ClassDecimal: the scaled integer if 64 bits hold it, else the fold of its four limbs;
//   - ClassBytes: XXH64 of the bytes, of padded text (utf8mb4_bin) without the spaces at its end,
//     of values that Fold of their key;
//   - NULL of any class: hashNull.
//
// and mix(x) is the high XOR the low half of the 128-bit product of x and hashMul.
const (
	hashSeed uint64 = 0x9E3779B97F4A7C15
	hashMul  uint64 = 0xD6E8FEB86659FD93
	hashNull uint64 = 0xA0761D6478BD642F
)

func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x^hashNull, hashMul)
	return hi ^ lo
}

// HashInt is HashColumns of a key of one int64.
func HashInt(x int64) uint64 { return mix(hashSeed ^ uint64(x)) }

// HashBeside is the hash of the n-th of keys that are alike but for n, h being that
// of what they have in common. Eight that follow one another have slots beside one
// another in a Table, in one or two lines of memory. It is no hash to part rows by.
func HashBeside(h uint64, n int64) uint64 {
	return bits.RotateLeft64(spread(mix(h^uint64(n>>3)))+uint64(n&7), -16)
}

// HashColumns computes the hashes of n keys, the columns cols at the positions
// keys, into dst, which it returns grown to n. Equal keys hash equally,
// whichever form (narrow, wide) their vectors have. No keys: all hash the same.
func HashColumns(cols []*vector.Vector, keys []int, n int, dst []uint64) []uint64 {
	return hashColumns(cols, keys, n, dst, true)
}

// HashRows is HashColumns of rows that are equal only when their values are the
// same: the hash of tables that find a row by all of its columns.
func HashRows(cols []*vector.Vector, all []int, n int, dst []uint64) []uint64 {
	return hashColumns(cols, all, n, dst, false)
}

func hashColumns(cols []*vector.Vector, keys []int, n int, dst []uint64, folds bool) []uint64 {
	if cap(dst) < n {
		dst = make([]uint64, n, max(n, 1024))
	}
	dst = dst[:n]
	for i := range dst {
		dst[i] = hashSeed
	}
	for _, k := range keys {
		if folds && cols[k].Type.Folds() {
			hashFolded(cols[k], dst)
		} else {
			hashColumn(cols[k], dst)
		}
	}
	return dst
}

// hashFolded is hashColumn of values that Fold.
func hashFolded(v *vector.Vector, dst []uint64) {
	var key []byte
	for i := range dst {
		if v.IsNull(i) {
			dst[i] = mix(dst[i] ^ hashNull)
			continue
		}
		key = collate.AppendKeyOf(key[:0], v.Type, v.Bytes(i))
		dst[i] = mix(dst[i] ^ xxhash.Sum64(key))
	}
}

func hashColumn(v *vector.Vector, dst []uint64) {
	if v.HasNulls() {
		for i := range dst {
			if v.IsNull(i) {
				dst[i] = mix(dst[i] ^ hashNull)
			} else {
				dst[i] = mix(dst[i] ^ hashValue(v, i))
			}
		}
		return
	}
	switch {
	case v.Type.Class() == types.ClassInt, v.Type.Class() == types.ClassDecimal && !v.IsWide():
		for i, x := range v.I[:len(dst)] {
			dst[i] = mix(dst[i] ^ uint64(x))
		}
	default:
		for i := range dst {
			dst[i] = mix(dst[i] ^ hashValue(v, i))
		}
	}
}

func hashValue(v *vector.Vector, i int) uint64 {
	switch v.Type.Class() {
	case types.ClassFloat:
		return floatBits(v.F[i])
	case types.ClassBytes:
		return xxhash.Sum64(keyText(v.Type, v.Bytes(i)))
	case types.ClassDecimal:
		if !v.IsWide() {
			return uint64(v.I[i])
		}
		w := v.W[i]
		if x, ok := w.Int64(); ok {
			return uint64(x)
		}
		return mix(mix(mix(w[0])^w[1])^w[2]) ^ w[3]
	default:
		return uint64(v.I[i])
	}
}

// floatBits are the bits of x, equal for all that SQL holds equal.
func floatBits(x float64) uint64 {
	if x == 0 {
		return 0 // −0 too
	}
	if x != x {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(x)
}

// HashBytes is the hash of an encoded key that never leaves its operator.
func HashBytes(b []byte) uint64 { return xxhash.Sum64(b) }

// keyText is what two texts that do not Fold are equal by: utf8mb4_bin ignores
// spaces at the end.
func keyText(t types.Type, b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] == ' ' && t.IsText() && t.Collation == types.UTF8MB4Bin {
		return bytes.TrimRight(b, " ")
	}
	return b
}
