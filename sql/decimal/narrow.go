package decimal

import "math/bits"

// MaxNarrowPow10 is the largest n for which 10^n is an int64.
const MaxNarrowPow10 = 18

var pow10Narrow = [MaxNarrowPow10 + 1]int64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// NarrowPow10 is 10^n for n from 0 to MaxNarrowPow10.
func NarrowPow10(n int) int64 { return pow10Narrow[n] }

// AddNarrow is a + b, and whether it fits.
func AddNarrow(a, b int64) (int64, bool) {
	c := a + b
	return c, (a^c)&(b^c) >= 0
}

// SubNarrow is a − b, and whether it fits.
func SubNarrow(a, b int64) (int64, bool) {
	c := a - b
	return c, (a^b)&(a^c) >= 0
}

// MulNarrow is a · b, and whether it fits. The signed high half is the unsigned
// one corrected for both signs; the product fits if it is the low half's sign.
func MulNarrow(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a)
	return int64(lo), int64(hi) == int64(lo)>>63
}

// RoundNarrow divides v by 10^n (n from 0 to MaxNarrowPow10), half away from zero.
func RoundNarrow(v int64, n int) int64 {
	p := pow10Narrow[n]
	q, r := v/p, v%p
	switch {
	case r >= p-r && r > 0:
		q++
	case -r >= p+r && r < 0:
		q--
	}
	return q
}

// RescaleNarrow changes the scale of v, half away from zero, and says whether
// the result fits.
func RescaleNarrow(v int64, from, to int) (int64, bool) {
	switch d := to - from; {
	case d == 0:
		return v, true
	case d > MaxNarrowPow10:
		return 0, v == 0
	case d > 0:
		return MulNarrow(v, pow10Narrow[d])
	case -d > MaxNarrowPow10:
		if -d == MaxNarrowPow10+1 { // |v| < 9.3e18: at most one unit of 10^19 after rounding
			const half = 5e18
			if v >= half {
				return 1, true
			} else if v <= -half {
				return -1, true
			}
		}
		return 0, true
	default:
		return RoundNarrow(v, -d), true
	}
}

// FitsNarrow reports whether v has at most prec digits.
func FitsNarrow(v int64, prec int) bool {
	if prec > MaxNarrowPow10 {
		return true
	}
	p := pow10Narrow[prec]
	return v < p && v > -p
}
