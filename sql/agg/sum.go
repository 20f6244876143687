package agg

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"streamsql/sql/decimal"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// sumState is SUM and AVG of integers, and of decimals of at most 18 digits:
// the number of values that are not NULL, 8 bytes, and their total in 128 bits,
// which no 2^63 of them leave.
type sumState struct {
	at    int
	cols  []int // the argument; of a partial, total and number
	call  Call
	shift int // AVG: digits that the result has more than the total
}

func (s *sumState) Columns() int { return 2 }

func (s *sumState) Size() int { return 24 }

func (s *sumState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	v := in[s.cols[0]]
	if v.IsWide() || v.HasNulls() || weights != nil || v.Type.Unsigned {
		s.addAny(rows, v, lo, weights)
		return nil
	}
	x := v.I[lo : lo+len(rows)]
	for i, r := range rows {
		b := r[s.at : s.at+24]
		putInt(b, getInt(b)+1)
		t, c := bits.Add64(binary.LittleEndian.Uint64(b[8:]), uint64(x[i]), 0)
		binary.LittleEndian.PutUint64(b[8:], t)
		putInt(b[16:], getInt(b[16:])+x[i]>>63+int64(c))
	}
	return nil
}

// addAny is Add for all cases.
func (s *sumState) addAny(rows [][]byte, v *vector.Vector, lo int, weights []int64) {
	unsigned := v.Type.Unsigned
	for i, r := range rows {
		if v.IsNull(lo + i) {
			continue
		}
		var x int64
		if v.IsWide() {
			x = int64(v.W[lo+i][0]) // at most 18 digits, whatever the form
		} else {
			x = v.I[lo+i]
		}
		w := weight(weights, lo+i)
		// x·w in 128 bits: the unsigned product, corrected for negative factors.
		hi, lo := bits.Mul64(uint64(x), uint64(w))
		if !unsigned {
			hi -= uint64(x>>63) & uint64(w)
		}
		hi -= uint64(w>>63) & uint64(x)
		b := r[s.at : s.at+24]
		putInt(b, getInt(b)+w)
		add128(b[8:], lo, hi)
	}
}

func add128(b []byte, lo, hi uint64) {
	_ = b[15]
	t, c := bits.Add64(binary.LittleEndian.Uint64(b), lo, 0)
	u, _ := bits.Add64(binary.LittleEndian.Uint64(b[8:]), hi, c)
	binary.LittleEndian.PutUint64(b, t)
	binary.LittleEndian.PutUint64(b[8:], u)
}

func (s *sumState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	total, number := in[s.cols[0]], in[s.cols[1]].I
	for i, r := range rows {
		b := r[s.at : s.at+24]
		putInt(b, getInt(b)+number[lo+i])
		if total.IsWide() {
			add128(b[8:], total.W[lo+i][0], total.W[lo+i][1])
		} else {
			x := total.I[lo+i]
			add128(b[8:], uint64(x), uint64(x>>63))
		}
	}
	return nil
}

func (s *sumState) total(r []byte) decimal.Wide {
	hi := binary.LittleEndian.Uint64(r[s.at+16:])
	sign := uint64(int64(hi) >> 63)
	return decimal.Wide{binary.LittleEndian.Uint64(r[s.at+8:]), hi, sign, sign}
}

func (s *sumState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	for _, r := range rows {
		out[0].AppendWide(s.total(r))
		out[1].AppendInt(getInt(r[s.at:]))
	}
}

func (s *sumState) AppendResult(rows [][]byte, out *vector.Vector, fail func(int, error)) {
	for i, r := range rows {
		n, t := getInt(r[s.at:]), getInt(r[s.at+8:])
		switch {
		case n == 0:
			out.AppendNull()
		case t>>63 != getInt(r[s.at+16:]):
			s.appendWide(out, s.total(r), n, i, fail)
		case s.call.Fn == "sum": // of 23 digits at least: any int64 fits
			out.AppendInt(t)
		default:
			if q, ok := divide(t, n, s.shift, s.call.Cut); ok {
				out.AppendInt(q)
			} else {
				s.appendWide(out, s.total(r), n, i, fail)
			}
		}
	}
}

// appendWide appends the result for a total of n values in any range.
func (s *sumState) appendWide(out *vector.Vector, total decimal.Wide, n int64, i int, fail func(int, error)) {
	ok := true
	switch {
	case s.call.Fn == "avg" && s.call.Cut:
		total, ok = decimal.Quo(total, decimal.FromInt64(n), s.shift)
	case s.call.Fn == "avg":
		// One digit more than asked, cut, then rounded: the digits cut cannot matter to
		// a rounding half away from zero.
		if total, ok = decimal.Quo(total, decimal.FromInt64(n), s.shift+1); ok {
			total, ok = decimal.Rescale(total, 1, 0)
		}
	}
	if !ok || !decimal.Fits(total, s.call.Type.Prec) {
		out.AppendNull()
		fail(i, outOfRange("DECIMAL", s.call))
		return
	}
	out.AppendWide(total)
}

// divide is t·10^shift ÷ n, cut or rounded half away from zero, if it is quickly done.
func divide(t, n int64, shift int, cut bool) (int64, bool) {
	if n <= 0 || shift > 18 {
		return 0, false
	}
	m := uint64(t)
	if t < 0 {
		m = -m
	}
	hi, lo := bits.Mul64(m, uint64(decimal.NarrowPow10(shift)))
	if hi >= uint64(n) {
		return 0, false
	}
	q, rem := bits.Div64(hi, lo, uint64(n))
	if !cut && rem >= uint64(n)-rem {
		q++
	}
	if q > 999_999_999_999_999_999 { // beyond what the narrowest result type surely holds
		return 0, false
	}
	if t < 0 {
		return -int64(q), true
	}
	return int64(q), true
}

func outOfRange(kind string, c Call) error {
	arg := "…"
	if len(c.Args) > 0 && c.Args[0].Name != "" {
		arg = c.Args[0].Name
	}
	return sqlerr.New(sqlerr.DataOutOfRange, "%s value is out of range in '%s'", kind, fmt.Sprintf("%s(%s)", c.Fn, arg))
}

// wideSumState is sumState for longer decimals: the total has 256 bits.
type wideSumState struct{ sumState }

func (s *wideSumState) Size() int { return 40 }

func (s *wideSumState) add(r []byte, n int64, x decimal.Wide) {
	b := r[s.at : s.at+40]
	putInt(b, getInt(b)+n)
	sum, _ := decimal.Add(getWide(b[8:]), x) // wraps around at 2^255, and back
	putWide(b[8:], sum)
}

func (s *wideSumState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	v := in[s.cols[0]]
	for i, r := range rows {
		if v.IsNull(lo + i) {
			continue
		}
		x, w := v.Wide(lo+i), weight(weights, lo+i)
		switch w {
		case 1:
		case -1:
			x = decimal.Negate(x)
		default:
			x, _ = decimal.Mul(x, decimal.FromInt64(w))
		}
		s.add(r, w, x)
	}
	return nil
}

func (s *wideSumState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	total, number := in[s.cols[0]], in[s.cols[1]].I
	for i, r := range rows {
		s.add(r, number[lo+i], total.Wide(lo+i))
	}
	return nil
}

func (s *wideSumState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	for _, r := range rows {
		out[0].AppendWide(getWide(r[s.at+8:]))
		out[1].AppendInt(getInt(r[s.at:]))
	}
}

func (s *wideSumState) AppendResult(rows [][]byte, out *vector.Vector, fail func(int, error)) {
	for i, r := range rows {
		if n := getInt(r[s.at:]); n == 0 {
			out.AppendNull()
		} else {
			s.appendWide(out, getWide(r[s.at+8:]), n, i, fail)
		}
	}
}
