package builtin

import (
	"math"
	"math/bits"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// Kernels of integer arithmetic. The loops of signed arithmetic collect whether
// any row overflowed in one bit, and look for the rows only then: NULL slots
// hold arbitrary numbers that may overflow too.

var intKernels = map[string]Kernel{"+": addInts, "-": subInts, "*": mulInts}

func addInts(f *Frame) {
	if !f.MergeValid() {
		return
	}
	a, b := f.Args[0], f.Args[1]
	if a.IsConst() {
		a, b = b, a
	}
	out := f.Ints()
	if addInt64(out, a, b) < 0 {
		f.failInts(decimal.AddNarrow)
	}
}

// addInt64 adds a (per row, unless both are constant) and b; negative: some row overflowed.
func addInt64(out []int64, a, b Operand) (over int64) {
	if b.IsConst() {
		y := b.I[0]
		for i, x := range a.I[:len(out)] {
			z := x + y
			out[i] = z
			over |= (x ^ z) & (y ^ z)
		}
		return over
	}
	ys := b.I[:len(out)]
	for i, x := range a.I[:len(out)] {
		z := x + ys[i]
		out[i] = z
		over |= (x ^ z) & (ys[i] ^ z)
	}
	return over
}

func subInts(f *Frame) {
	if !f.MergeValid() {
		return
	}
	if subInt64(f.Ints(), f.Args[0], f.Args[1]) < 0 {
		f.failInts(decimal.SubNarrow)
	}
}

func subInt64(out []int64, a, b Operand) (over int64) {
	switch {
	case b.IsConst():
		y := b.I[0]
		for i, x := range a.I[:len(out)] {
			z := x - y
			out[i] = z
			over |= (x ^ y) & (x ^ z)
		}
	case a.IsConst():
		x := a.I[0]
		for i, y := range b.I[:len(out)] {
			z := x - y
			out[i] = z
			over |= (x ^ y) & (x ^ z)
		}
	default:
		ys := b.I[:len(out)]
		for i, x := range a.I[:len(out)] {
			y := ys[i]
			z := x - y
			out[i] = z
			over |= (x ^ y) & (x ^ z)
		}
	}
	return over
}

func mulInts(f *Frame) {
	if !f.MergeValid() {
		return
	}
	a, b := f.Args[0], f.Args[1]
	if a.IsConst() {
		a, b = b, a
	}
	if !mulInt64(f.Ints(), a, b) {
		f.failInts(decimal.MulNarrow)
	}
}

// mulInt64 multiplies a (per row, unless both are constant) by b, and reports
// whether every product fits.
func mulInt64(out []int64, a, b Operand) bool {
	fits := true
	if b.IsConst() {
		y := b.I[0]
		if y > -1<<31 && y < 1<<31 { // a small factor: the product fits while the other is small too
			bound := int64(math.MaxInt64)
			if y != 0 {
				bound /= max(y, -y)
			}
			for i, x := range a.I[:len(out)] {
				out[i] = x * y
				fits = fits && x <= bound && x >= -bound
			}
			return fits
		}
		for i, x := range a.I[:len(out)] {
			var ok bool
			out[i], ok = decimal.MulNarrow(x, y)
			fits = fits && ok
		}
		return fits
	}
	ys := b.I[:len(out)]
	for i, x := range a.I[:len(out)] {
		var ok bool
		out[i], ok = decimal.MulNarrow(x, ys[i])
		fits = fits && ok
	}
	return fits
}

// failInts fails the rows whose result does not fit.
func (f *Frame) failInts(op func(a, b int64) (int64, bool)) {
	for i := range f.N {
		if f.AnyNull(i) {
			continue
		}
		if _, ok := op(f.Args[0].Int(i), f.Args[1].Int(i)); !ok {
			f.outOfRange(i, "BIGINT")
		}
	}
}

// outOfRange fails a row with error 1690.
func (f *Frame) outOfRange(i int, kind string) {
	f.Fail(i, sqlerr.New(sqlerr.DataOutOfRange, "%s value is out of range in '%s'", kind, message(f.Call)))
}

// wideInt is an integer operand's value whatever its sign.
func wideInt(o Operand, i int) decimal.Wide {
	if o.Type.Unsigned {
		return decimal.FromUint64(uint64(o.Int(i)))
	}
	return decimal.FromInt64(o.Int(i))
}

// mixedKernel is + − * with BIGINT UNSIGNED on some side: exact in 256 bits, then
// checked against the range of the result.
func mixedKernel(e *expr.Expr) Kernel {
	op := wideOps[e.Fn]
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		out := f.Ints()
		for i := range out {
			out[i] = 0
			if f.AnyNull(i) {
				continue
			}
			w, _ := op(wideInt(f.Args[0], i), wideInt(f.Args[1], i))
			f.storeInt(out, i, w)
		}
	}
}

// storeInt stores w as the BIGINT [UNSIGNED] result of row i, or fails the row.
func (f *Frame) storeInt(out []int64, i int, w decimal.Wide) {
	if f.Call.Type.Unsigned {
		u, ok := w.Uint64()
		if !ok {
			f.outOfRange(i, "BIGINT UNSIGNED")
		}
		out[i] = int64(u)
		return
	}
	v, ok := w.Int64()
	if !ok {
		f.outOfRange(i, "BIGINT")
	}
	out[i] = v
}

var wideOps = map[string]func(a, b decimal.Wide) (decimal.Wide, bool){
	"+": decimal.Add, "-": decimal.Sub, "*": decimal.Mul,
}

// modInts is % of integers: the remainder has the sign of the first.
func modInts(f *Frame) {
	if !f.MergeValid() {
		return
	}
	a, b := f.Args[0], f.Args[1]
	out := f.Ints()
	if b.IsConst() && b.I[0] > 0 && !a.IsConst() && !a.Type.Unsigned {
		y := b.I[0]
		if y&(y-1) != 0 && y < 1<<31 {
			divSmall(out, a.I, y, true)
			return
		}
		for i, x := range a.I[:len(out)] {
			out[i] = x % y
		}
		return
	}
	for i := range out {
		out[i] = 0
		switch {
		case f.AnyNull(i):
		case b.Int(i) == 0:
			f.divisionByZero(i)
		default:
			r := decimal.Rem(wideInt(a, i), wideInt(b, i))
			out[i] = int64(r[0])
		}
	}
}

// divSmall is x / y, and with mod x % y, for a constant 1 < y < 2^31. For an x of 32
// bits the quotient is the high half of x · ⌈2^64 ÷ y⌉ (Lemire, Kaser, Kurz, "Faster
// remainder by direct computation", 2019), several times faster than dividing.
func divSmall(out, xs []int64, y int64, mod bool) {
	m := math.MaxUint64/uint64(y) + 1
	for i, x := range xs[:len(out)] {
		var q int64
		if uint64(x) <= math.MaxUint32 {
			hi, _ := bits.Mul64(uint64(x), m)
			q = int64(hi)
		} else {
			q = x / y
		}
		if mod {
			q = x - q*y
		}
		out[i] = q
	}
}

// divisionByZero makes row i NULL with a warning (an error under Strict), unless
// sql_mode wants no word of it.
func (f *Frame) divisionByZero(i int) {
	f.NullOut(i)
	if f.QuietDivision {
		return
	}
	f.Problem(i, sqlerr.DivisionByZero, "Division by 0")
}

// divKernel is DIV: the quotient cut towards zero, of integers or decimals.
func divKernel(e *expr.Expr) Kernel {
	sa, sb := scaleOf(e.Args[0]), scaleOf(e.Args[1])
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		a, b := f.Args[0], f.Args[1]
		out := f.Ints()
		if b.IsConst() && !b.IsWide() && b.I[0] > 0 && !a.IsConst() && sa+sb == 0 && !a.IsWide() && !a.Type.Unsigned && !b.Type.Unsigned {
			y := b.I[0]
			if y > 1 && y < 1<<31 {
				divSmall(out, a.I, y, false)
				return
			}
			for i, x := range a.I[:len(out)] {
				out[i] = x / y
			}
			return
		}
		for i := range out {
			out[i] = 0
			if f.AnyNull(i) {
				continue
			}
			x, y := decimalOrInt(a, i), decimalOrInt(b, i)
			if y.Sign() == 0 {
				f.divisionByZero(i)
				continue
			}
			if sa > sb {
				y, _ = decimal.Rescale(y, sb, sa)
			}
			q, ok := decimal.Quo(x, y, max(sb-sa, 0))
			if !ok {
				f.outOfRange(i, "BIGINT")
				continue
			}
			f.storeInt(out, i, q)
		}
	}
}

// decimalOrInt is an operand's unscaled value, also of BIGINT UNSIGNED.
func decimalOrInt(o Operand, i int) decimal.Wide {
	if o.Type.IsInteger() {
		return wideInt(o, i)
	}
	return o.Dec(i)
}

// negateAny is the unary minus.
func negateAny(f *Frame) {
	if !f.MergeValid() {
		return
	}
	a := f.Args[0]
	switch {
	case a.F != nil:
		out := f.Floats()
		for i := range out {
			out[i] = -a.Float(i)
		}
	case a.IsWide():
		out := f.Wides()
		for i := range out {
			out[i] = decimal.Negate(a.Dec(i))
		}
		f.narrow()
	case f.Call.Type.IsInteger():
		out := f.Ints()
		for i := range out {
			out[i] = 0
			if !f.AnyNull(i) {
				f.storeInt(out, i, decimal.Negate(wideInt(a, i)))
			}
		}
	default:
		f.wideOrNarrow(func(i int) (decimal.Wide, bool) { return decimal.Negate(a.Dec(i)), true })
	}
}
