package decimal

import (
	"math"
	"strconv"
)

// AppendText appends w · 10^−scale as MySQL prints it: all digits of the scale,
// a zero before the point.
func AppendText(dst []byte, w Wide, scale int) []byte {
	if v, ok := w.Int64(); ok {
		return AppendNarrow(dst, v, scale)
	}
	var buf [80]byte
	i := len(buf)
	neg := w.Neg()
	x := Abs(w)
	u := [8]uint64{x[0], x[1], x[2], x[3]}
	for u != ([8]uint64{}) {
		q, r := divMagnitude(u, Wide{1e19})
		d := r[0]
		for range 19 {
			i--
			buf[i] = byte('0' + d%10)
			d /= 10
			if d == 0 && q == ([8]uint64{}) {
				break
			}
		}
		u = q
	}
	return appendDigits(dst, buf[i:], neg, scale)
}

// AppendNarrow is AppendText of a narrow value.
func AppendNarrow(dst []byte, v int64, scale int) []byte {
	var buf [20]byte
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	return appendDigits(dst, strconv.AppendUint(buf[:0], u, 10), v < 0, scale)
}

func appendDigits(dst, digits []byte, neg bool, scale int) []byte {
	if neg {
		dst = append(dst, '-')
	}
	if scale == 0 {
		return append(dst, digits...)
	}
	if n := len(digits) - scale; n > 0 {
		dst = append(dst, digits[:n]...)
		dst = append(dst, '.')
		return append(dst, digits[n:]...)
	}
	dst = append(dst, '0', '.')
	for range scale - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// Number is what Parse found at the start of a text.
type Number struct {
	Value Wide
	Scale int  // digits after the point
	N     int  // bytes that belong to the number, leading spaces included; 0: there is none
	Over  bool // more digits than a Wide holds
}

// Parse reads a decimal number, `[spaces][sign]digits[.digits][e[sign]digits]`,
// from the start of s as MySQL does: digits after the point beyond maxScale
// round half away from zero.
func Parse(s []byte, maxScale int) Number {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	start := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	whole := s[start:i]
	var frac []byte
	if i < len(s) && s[i] == '.' {
		i++
		start = i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		frac = s[start:i]
	}
	if len(whole)+len(frac) == 0 {
		return Number{}
	}
	exp, n := parseExponent(s[i:])
	num := Number{N: i + n}
	num.Value, num.Scale, num.Over = assemble(whole, frac, exp, maxScale)
	if neg {
		num.Value = Negate(num.Value)
	}
	return num
}

func parseExponent(s []byte) (exp, n int) {
	if len(s) < 2 || s[0]|0x20 != 'e' {
		return 0, 0
	}
	i := 1
	neg := false
	if s[i] == '-' || s[i] == '+' {
		neg = s[i] == '-'
		i++
	}
	start := i
	for i < len(s) && isDigit(s[i]) {
		exp = min(exp*10+int(s[i]-'0'), 10000)
		i++
	}
	if i == start {
		return 0, 0
	}
	if neg {
		exp = -exp
	}
	return exp, i
}

// assemble makes the number whole.frac · 10^exp with at most maxScale digits
// after the point.
func assemble(whole, frac []byte, exp, maxScale int) (w Wide, scale int, over bool) {
	digit := func(k int) byte {
		if k < len(whole) {
			return whole[k] - '0'
		}
		if k -= len(whole); k < len(frac) {
			return frac[k] - '0'
		}
		return 0
	}
	intDigits := len(whole) + exp // digits before the point
	scale = min(max(len(frac)-exp, 0), maxScale)
	total := intDigits + scale
	for k := range max(total, 0) {
		ten, ok := Mul(w, Wide{10})
		sum, ok2 := Add(ten, Wide{uint64(digit(k))})
		if !ok || !ok2 {
			return Max(maxPow10), scale, true
		}
		w = sum
	}
	if total >= 0 && total < len(whole)+len(frac) && digit(total) >= 5 {
		w, _ = Add(w, Wide{1})
	}
	return w, scale, false
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Float is the double nearest to w · 10^−scale.
func Float(w Wide, scale int) float64 {
	if v, ok := w.Int64(); ok {
		return FloatNarrow(v, scale)
	}
	var buf [96]byte
	f, _ := strconv.ParseFloat(string(AppendText(buf[:0], w, scale)), 64)
	return f
}

// pow10Float are the powers of ten that a double holds exactly.
var pow10Float = [23]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// FloatNarrow is Float of a narrow value. A quotient of two exact doubles is
// correctly rounded, so most values need no text.
func FloatNarrow(v int64, scale int) float64 {
	if scale == 0 {
		return float64(v)
	}
	if v < 1<<53 && v > -1<<53 && scale < len(pow10Float) {
		return float64(v) / pow10Float[scale]
	}
	var buf [64]byte
	f, _ := strconv.ParseFloat(string(AppendNarrow(buf[:0], v, scale)), 64)
	return f
}

// FromFloat is the decimal of f's shortest text, rounded half away from zero to
// scale digits. It is not ok for NaN, infinities and what a Wide cannot hold.
func FromFloat(f float64, scale int) (Wide, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Wide{}, false
	}
	var buf [32]byte
	n := Parse(strconv.AppendFloat(buf[:0], f, 'e', -1, 64), scale)
	w, ok := Rescale(n.Value, n.Scale, scale)
	return w, ok && !n.Over
}
