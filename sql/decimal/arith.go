package decimal

import "math/bits"

// MaxPrec is how many digits a DECIMAL may have. A Wide holds 76 of any kind.
const MaxPrec = 65

// maxPow10 is the largest n for which 10^n is a Wide.
const maxPow10 = 76

var pow10Wide = func() (t [maxPow10 + 1]Wide) {
	t[0] = Wide{1}
	for i := 1; i <= maxPow10; i++ {
		t[i], _ = Mul(t[i-1], Wide{10})
	}
	return t
}()

// Pow10 is 10^n for n from 0 to 76.
func Pow10(n int) Wide { return pow10Wide[n] }

// FromUint64 widens v.
func FromUint64(v uint64) Wide { return Wide{v} }

// Uint64 returns w as a uint64, and whether it fits.
func (w Wide) Uint64() (uint64, bool) { return w[0], w[1]|w[2]|w[3] == 0 }

// Sign is −1, 0 or 1.
func (w Wide) Sign() int {
	switch {
	case w.Neg():
		return -1
	case w == Wide{}:
		return 0
	}
	return 1
}

// Cmp is −1, 0 or 1 as w is less than, equal to or greater than x.
func (w Wide) Cmp(x Wide) int {
	if a, b := int64(w[3]), int64(x[3]); a != b {
		if a < b {
			return -1
		}
		return 1
	}
	return cmpLimbs(w[:3], x[:3])
}

func cmpLimbs(a, b []uint64) int {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// Add is a + b, and whether it fits.
func Add(a, b Wide) (Wide, bool) {
	var c uint64
	var r Wide
	r[0], c = bits.Add64(a[0], b[0], 0)
	r[1], c = bits.Add64(a[1], b[1], c)
	r[2], c = bits.Add64(a[2], b[2], c)
	r[3], _ = bits.Add64(a[3], b[3], c)
	return r, int64((a[3]^r[3])&(b[3]^r[3])) >= 0
}

// Sub is a − b, and whether it fits.
func Sub(a, b Wide) (Wide, bool) {
	var c uint64
	var r Wide
	r[0], c = bits.Sub64(a[0], b[0], 0)
	r[1], c = bits.Sub64(a[1], b[1], c)
	r[2], c = bits.Sub64(a[2], b[2], c)
	r[3], _ = bits.Sub64(a[3], b[3], c)
	return r, int64((a[3]^b[3])&(a[3]^r[3])) >= 0
}

// Negate is −w. The smallest Wide, far beyond 65 digits, stays itself.
func Negate(w Wide) Wide {
	r, _ := Sub(Wide{}, w)
	return r
}

// Abs is |w|.
func Abs(w Wide) Wide {
	if w.Neg() {
		return Negate(w)
	}
	return w
}

// Mul is a · b, and whether it fits.
func Mul(a, b Wide) (Wide, bool) {
	if x, ok := a.Int64(); ok {
		if y, ok := b.Int64(); ok {
			return mulInt64(x, y), true
		}
	}
	p := mulMagnitude(Abs(a), Abs(b))
	return signed(p, a.Neg() != b.Neg())
}

// mulInt64 is the 128-bit product, sign-extended.
func mulInt64(x, y int64) Wide {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
	s := uint64(int64(hi) >> 63)
	return Wide{lo, hi, s, s}
}

// mulMagnitude is the schoolbook product of two unsigned numbers.
func mulMagnitude(a, b Wide) (p [8]uint64) {
	for i, x := range a {
		if x == 0 {
			continue
		}
		var carry uint64
		for j, y := range b {
			hi, lo := bits.Mul64(x, y)
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			p[i+j], c = bits.Add64(p[i+j], lo, 0)
			carry = hi + c
		}
		p[i+4] += carry
	}
	return p
}

// signed gives a magnitude its sign, and says whether the result is a Wide.
func signed(p [8]uint64, neg bool) (Wide, bool) {
	w := Wide(p[:4])
	ok := p[4]|p[5]|p[6]|p[7] == 0 && int64(w[3]) >= 0
	if neg {
		w = Negate(w)
	}
	return w, ok
}

// Quo is a · 10^shift ÷ b (b ≠ 0, shift from 0 to 76) cut towards zero, and
// whether it fits.
func Quo(a, b Wide, shift int) (Wide, bool) {
	num := mulMagnitude(Abs(a), pow10Wide[shift])
	q, _ := divMagnitude(num, Abs(b))
	return signed(q, a.Neg() != b.Neg())
}

// Rem is the remainder of a ÷ b (b ≠ 0); it has the sign of a.
func Rem(a, b Wide) Wide {
	x := Abs(a)
	_, r := divMagnitude([8]uint64{x[0], x[1], x[2], x[3]}, Abs(b))
	if a.Neg() {
		r = Negate(r)
	}
	return r
}

// divMagnitude divides unsigned numbers: Knuth, TAOCP vol. 2, algorithm 4.3.1 D,
// on 64-bit digits.
func divMagnitude(u [8]uint64, v Wide) (q [8]uint64, r Wide) {
	n := 4
	for n > 1 && v[n-1] == 0 {
		n--
	}
	if n == 1 {
		var rem uint64
		for i := 7; i >= 0; i-- {
			q[i], rem = bits.Div64(rem, u[i], v[0])
		}
		return q, Wide{rem}
	}
	s := uint(bits.LeadingZeros64(v[n-1]))
	var un [9]uint64
	var vn Wide
	for i := n - 1; i > 0; i-- {
		vn[i] = v[i]<<s | v[i-1]>>1>>(63-s)
	}
	vn[0] = v[0] << s
	un[8] = u[7] >> 1 >> (63 - s)
	for i := 7; i > 0; i-- {
		un[i] = u[i]<<s | u[i-1]>>1>>(63-s)
	}
	un[0] = u[0] << s
	for j := 8 - n; j >= 0; j-- {
		q[j] = divDigit(un[j:j+n+1], vn[:n])
	}
	for i := range n {
		r[i] = un[i] >> s
		if i+1 < 9 {
			r[i] |= un[i+1] << 1 << (63 - s)
		}
	}
	return q, r
}

// divDigit finds one digit of the quotient of u (n+1 digits) by v (n digits,
// normalised), and leaves the remainder in u.
func divDigit(u, v []uint64) uint64 {
	n := len(v)
	qhat := ^uint64(0)
	if u[n] < v[n-1] {
		var rhat uint64
		qhat, rhat = bits.Div64(u[n], u[n-1], v[n-1])
		for {
			hi, lo := bits.Mul64(qhat, v[n-2])
			if hi < rhat || hi == rhat && lo <= u[n-2] {
				break
			}
			qhat--
			var over bool
			if rhat, over = rhat+v[n-1], rhat+v[n-1] < rhat; over {
				break
			}
		}
	}
	var borrow, carry uint64
	for i := range n {
		hi, lo := bits.Mul64(qhat, v[i])
		var c uint64
		lo, c = bits.Add64(lo, carry, 0)
		carry = hi + c
		u[i], borrow = bits.Sub64(u[i], lo, borrow)
	}
	u[n], borrow = bits.Sub64(u[n], carry, borrow)
	for borrow != 0 { // qhat was too large: add back
		qhat--
		var c uint64
		for i := range n {
			u[i], c = bits.Add64(u[i], v[i], c)
		}
		u[n], c = bits.Add64(u[n], 0, c)
		borrow -= c
	}
	return qhat
}

// Rescale changes the scale of w, half away from zero, and says whether the
// result is a Wide.
func Rescale(w Wide, from, to int) (Wide, bool) {
	switch d := to - from; {
	case d == 0 || w == Wide{}:
		return w, true
	case d > maxPow10:
		return Wide{}, false
	case d > 0:
		return Mul(w, pow10Wide[d])
	case -d > maxPow10:
		return Wide{}, true
	default:
		return round(w, -d), true
	}
}

// round divides w by 10^n, half away from zero.
func round(w Wide, n int) Wide {
	x := Abs(w)
	p := pow10Wide[n]
	q, r := divMagnitude([8]uint64{x[0], x[1], x[2], x[3]}, p)
	res := Wide(q[:4])
	if rest, _ := Sub(p, r); r.Cmp(rest) >= 0 {
		res, _ = Add(res, Wide{1})
	}
	if w.Neg() {
		return Negate(res)
	}
	return res
}

// Trunc divides w by 10^n, cut towards zero.
func Trunc(w Wide, n int) Wide {
	if n > maxPow10 {
		return Wide{}
	}
	q, _ := Quo(w, pow10Wide[n], 0)
	return q
}

// Fits reports whether w has at most prec digits.
func Fits(w Wide, prec int) bool {
	return prec >= maxPow10 || Abs(w).Cmp(pow10Wide[prec]) < 0
}

// Max is the largest value of prec digits: 10^prec − 1.
func Max(prec int) Wide {
	w, _ := Sub(pow10Wide[prec], Wide{1})
	return w
}
