package agg

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// An exact sum of float64s is a fixed-point number of 2176 bits in two's
// complement, least bit 2^-1074, so that every float64, times any weight, is a
// whole number of it and no addition ever rounds. (The idea is Kulisch's long
// accumulator.) It lies in a row as exactLimbs words, little endian.
const (
	exactLimbs = 34
	exactSize  = exactLimbs * 8
)

// exactAdd adds x·w to the sum in b. x is finite.
func exactAdd(b []byte, x float64, w int64) {
	_ = b[exactSize-1]
	f := math.Float64bits(x)
	mant, exp := f&(1<<52-1), f>>52&0x7FF
	if exp == 0 {
		exp = 1
	} else {
		mant |= 1 << 52
	}
	neg := f>>63 != 0
	if w < 0 {
		neg = !neg
		w = -w // of MinInt64 it is itself, the right bits as uint64
	}
	hi, lo := bits.Mul64(mant, uint64(w))
	if hi|lo == 0 {
		return
	}
	// Value hi:lo · 2^(exp−1) in units of the least bit.
	at, sh := (exp-1)>>6*8, (exp-1)&63
	var part [3]uint64
	part[0] = lo << sh
	part[1] = hi<<sh | lo>>1>>(63-sh)
	part[2] = hi >> 1 >> (63 - sh)
	var c uint64
	for k := uint64(0); k < exactLimbs-at/8; k++ {
		var p uint64
		if k < 3 {
			p = part[k]
		} else if c == 0 {
			return
		}
		limb := b[at+8*k:]
		v := binary.LittleEndian.Uint64(limb)
		if neg {
			v, c = bits.Sub64(v, p, c)
		} else {
			v, c = bits.Add64(v, p, c)
		}
		binary.LittleEndian.PutUint64(limb, v)
	}
}

// exactMerge adds the sum src to dst.
func exactMerge(dst, src []byte) {
	var c uint64
	for k := 0; k < exactSize; k += 8 {
		var v uint64
		v, c = bits.Add64(binary.LittleEndian.Uint64(dst[k:]), binary.LittleEndian.Uint64(src[k:]), c)
		binary.LittleEndian.PutUint64(dst[k:], v)
	}
}

// exactRound returns the float64 nearest to the sum, ties to even, ±Inf beyond.
func exactRound(b []byte) float64 {
	var m [exactLimbs]uint64
	for k := range m {
		m[k] = binary.LittleEndian.Uint64(b[8*k:])
	}
	neg := int64(m[exactLimbs-1]) < 0
	if neg {
		c := uint64(1)
		for k := range m {
			m[k], c = bits.Add64(^m[k], 0, c)
		}
	}
	top := exactLimbs - 1
	for top >= 0 && m[top] == 0 {
		top--
	}
	if top < 0 {
		return 0
	}
	high := top*64 + 63 - bits.LeadingZeros64(m[top]) // number of the leading bit
	var f uint64
	if high < 53 {
		f = m[0] // subnormal, or of the smallest exponent: the bits are the float's
	} else {
		low := high - 52 // number of the last bit kept
		mant := window(&m, low) & (1<<53 - 1)
		if m[(low-1)>>6]>>((low-1)&63)&1 != 0 && (mant&1 != 0 || below(&m, low-1)) {
			mant++
		}
		// mant's leading bit carries into the exponent, and so does rounding up.
		if f = uint64(low)<<52 + mant; f >= 0x7FF<<52 {
			f = 0x7FF << 52
		}
	}
	x := math.Float64frombits(f)
	if neg {
		x = -x
	}
	return x
}

// window returns 64 bits from bit number low on.
func window(m *[exactLimbs]uint64, low int) uint64 {
	k, sh := low>>6, uint(low&63)
	v := m[k] >> sh
	if sh != 0 && k+1 < exactLimbs {
		v |= m[k+1] << (64 - sh)
	}
	return v
}

// below reports a set bit among those with a number below n.
func below(m *[exactLimbs]uint64, n int) bool {
	for k := 0; k < n>>6; k++ {
		if m[k] != 0 {
			return true
		}
	}
	return m[n>>6]&(1<<(n&63)-1) != 0
}
