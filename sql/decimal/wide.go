// Package decimal is exact decimal arithmetic on scaled integers: int64 while
// the values are small (narrow), 256 bits beyond (wide, enough for the 65
// digits of DECIMAL). The scale is not part of a value: it is the type's.
package decimal

// Wide is a signed 256-bit integer in two's complement, limbs from low to high.
type Wide [4]uint64

// FromInt64 widens v.
func FromInt64(v int64) Wide {
	s := uint64(v >> 63)
	return Wide{uint64(v), s, s, s}
}

// Int64 returns w as an int64, and whether it fits.
func (w Wide) Int64() (int64, bool) {
	v := int64(w[0])
	s := uint64(v >> 63)
	return v, w[1] == s && w[2] == s && w[3] == s
}

// Neg reports w < 0.
func (w Wide) Neg() bool { return int64(w[3]) < 0 }
