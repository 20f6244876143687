package agg

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Variances are computed from the number of values n, their sum S and the sum of
// their squares Q, all exact: (n·Q − S²) / n², or / n(n−1) for a sample. So
// nothing is lost by cancellation, and an insert and its retraction are nothing.
//
// A state of integers and short decimals:
//
//	0   n, 8
//	8   S, 16
//	24  Q, 24, unsigned
//
// One of doubles:
//
//	0    n, 8
//	8    how many squares are beyond the range of a double, 8
//	16   S, an exact sum
//	288  Q, an exact sum. A square is added as the two doubles whose sum it is
const (
	momentsSize      = 48
	exactMomentsSize = 16 + 2*exactSize
	exactScale       = 1074 // the least bit of an exact sum is 2^-exactScale
)

// variance is what the states have in common.
type variance struct {
	at, col int
	call    Call
	n, s, q big.Int // scratch
}

func newVariance(c Call, col, at int) State {
	v := variance{at: at, col: col, call: c}
	if c.Args[0].Type.Class() == types.ClassFloat {
		return &exactMomentsState{v}
	}
	return &momentsState{v}
}

func (v *variance) Columns() int { return 1 }

// append appends the result for n values, with v.s and v.q scaled by 2^shift or
// 10^scale and their squares.
func (v *variance) append(out *vector.Vector, n int64, shift uint, scale int) float64 {
	sample := v.call.Fn == "var_samp" || v.call.Fn == "stddev_samp"
	if n <= 0 || sample && n == 1 {
		out.AppendNull()
		return 0
	}
	divisor := new(big.Int).Mul(big.NewInt(n), big.NewInt(n))
	if sample {
		divisor.Sub(divisor, big.NewInt(n))
	}
	num := v.q.Mul(&v.q, v.n.SetInt64(n))
	num.Sub(num, v.s.Mul(&v.s, &v.s))
	if scale > 0 {
		divisor.Mul(divisor, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(2*scale)), nil))
	}
	if num.Sign() <= 0 { // below 0 it is only by the rounding of squares that are hardly there
		out.AppendFloat(0)
		return 0
	}
	f := new(big.Float).SetPrec(120).SetInt(num)
	f.Quo(f, new(big.Float).SetPrec(120).SetInt(divisor))
	f.SetMantExp(f, -int(shift))
	x, _ := f.Float64()
	if v.call.Fn == "stddev_pop" || v.call.Fn == "stddev_samp" {
		if x, _ = f.Sqrt(f).Float64(); math.IsInf(x, 0) {
			return x
		}
	}
	if !math.IsInf(x, 0) {
		out.AppendFloat(x)
	}
	return x
}

// momentsState is the variance of integers and short decimals.
type momentsState struct{ variance }

func (s *momentsState) Size() int { return momentsSize }

func (s *momentsState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	v := in[s.col]
	for i, r := range rows {
		w := weight(weights, lo+i)
		if w == 0 || v.IsNull(lo+i) {
			continue
		}
		var x int64
		if v.IsWide() {
			x = int64(v.W[lo+i][0])
		} else {
			x = v.I[lo+i]
		}
		neg := x < 0 && !v.Type.Unsigned
		m := uint64(x)
		if neg {
			m = -m
		}
		b := r[s.at : s.at+momentsSize]
		putInt(b, getInt(b)+w)
		u := uint64(w)
		if w < 0 {
			u = -u
		}
		hi, lo := bits.Mul64(m, u)
		addSigned(b[8:24], [3]uint64{lo, hi}, neg != (w < 0))
		qhi, qlo := bits.Mul64(m, m)
		h1, l1 := bits.Mul64(qlo, u)
		h2, l2 := bits.Mul64(qhi, u)
		mid, c := bits.Add64(h1, l2, 0)
		addSigned(b[24:48], [3]uint64{l1, mid, h2 + c}, w < 0)
	}
	return nil
}

// addSigned adds x, or with neg its negative, to the words of b.
func addSigned(b []byte, x [3]uint64, neg bool) {
	var c uint64
	for k := 0; k < len(b)/8; k++ {
		v := binary.LittleEndian.Uint64(b[8*k:])
		if neg {
			v, c = bits.Sub64(v, x[k], c)
		} else {
			v, c = bits.Add64(v, x[k], c)
		}
		binary.LittleEndian.PutUint64(b[8*k:], v)
	}
}

func (s *momentsState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	for i, r := range rows {
		b, p := r[s.at:s.at+momentsSize], in[s.col].Bytes(lo+i)
		putInt(b, getInt(b)+getInt(p))
		word := func(k int) uint64 { return binary.LittleEndian.Uint64(p[8*k:]) }
		addSigned(b[8:24], [3]uint64{word(1), word(2)}, false)
		addSigned(b[24:48], [3]uint64{word(3), word(4), word(5)}, false)
	}
	return nil
}

func (s *momentsState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	for _, r := range rows {
		out[0].AppendBytes(r[s.at : s.at+momentsSize])
	}
}

func (s *momentsState) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, r := range rows {
		b := r[s.at : s.at+momentsSize]
		setTwos(&s.s, b[8:24])
		setTwos(&s.q, b[24:48])
		s.append(out, getInt(b), 0, argScale(s.call))
	}
}

// setTwos sets x to a number in two's complement, little endian.
func setTwos(x *big.Int, b []byte) {
	raw := slices.Clone(b)
	slices.Reverse(raw)
	x.SetBytes(raw)
	if raw[0]>>7 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
}

// exactMomentsState is the variance of doubles.
type exactMomentsState struct{ variance }

func (s *exactMomentsState) Size() int { return exactMomentsSize }

func (s *exactMomentsState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	v := in[s.col]
	for i, r := range rows {
		w := weight(weights, lo+i)
		if w == 0 || v.IsNull(lo+i) {
			continue
		}
		x := v.F[lo+i]
		b := r[s.at : s.at+exactMomentsSize]
		putInt(b, getInt(b)+w)
		exactAdd(b[16:], x, w)
		square := x * x
		if math.IsInf(square, 0) {
			putInt(b[8:], getInt(b[8:])+w)
			continue
		}
		exactAdd(b[16+exactSize:], square, w)
		exactAdd(b[16+exactSize:], math.FMA(x, x, -square), w)
	}
	return nil
}

func (s *exactMomentsState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	for i, r := range rows {
		b, p := r[s.at:s.at+exactMomentsSize], in[s.col].Bytes(lo+i)
		addWords(b[:16], p[:16])
		exactMerge(b[16:16+exactSize], p[16:16+exactSize])
		exactMerge(b[16+exactSize:], p[16+exactSize:])
	}
	return nil
}

func (s *exactMomentsState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	for _, r := range rows {
		out[0].AppendBytes(r[s.at : s.at+exactMomentsSize])
	}
}

func (s *exactMomentsState) AppendResult(rows [][]byte, out *vector.Vector, fail func(int, error)) {
	for i, r := range rows {
		b := r[s.at : s.at+exactMomentsSize]
		n := getInt(b)
		beyond := getInt(b[8:]) != 0 && n > 1
		if !beyond {
			setTwos(&s.s, b[16:16+exactSize])
			setTwos(&s.q, b[16+exactSize:])
			s.q.Lsh(&s.q, exactScale) // S² is scaled twice
			beyond = math.IsInf(s.append(out, n, 2*exactScale, 0), 0)
		}
		if beyond {
			out.AppendNull()
			fail(i, outOfRange("DOUBLE", s.call))
		}
	}
}
