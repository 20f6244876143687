package builtin

import (
	"math"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
)

// Kernels of DECIMAL arithmetic. Each first tries the chunk on int64; if a value
// does not fit, the whole chunk is done again on 256 bits.

func decimalKernel(e *expr.Expr) Kernel {
	sa, sb, so := scaleOf(e.Args[0]), scaleOf(e.Args[1]), e.Type.Scale
	switch e.Fn {
	case "+", "-":
		return sumKernel(e.Fn, so-sa, so-sb)
	case "*":
		return productKernel(sa + sb - so)
	case "/":
		return quotientKernel(so + sb - sa)
	default:
		return remainderKernel(so-sa, so-sb)
	}
}

// isNarrow reports operands that lie in int64.
func isNarrow(a, b Operand) bool { return a.W == nil && b.W == nil }

// sumKernel is + and −: the arguments are first multiplied by 10^ua and 10^ub.
func sumKernel(fn string, ua, ub int) Kernel {
	wide, narrow := wideOps[fn], addInt64
	if fn == "-" {
		narrow = subInt64
	}
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		a, b := f.Args[0], f.Args[1]
		if isNarrow(a, b) && max(ua, ub) <= decimal.MaxNarrowPow10 {
			x, ok1 := f.scaleUp(a, ua)
			y, ok2 := f.scaleUp(b, ub)
			if ok1 && ok2 {
				if fn == "+" && x.IsConst() {
					x, y = y, x
				}
				if narrow(f.Ints(), x, y) >= 0 {
					return
				}
			}
		}
		f.wideOrNarrow(func(i int) (decimal.Wide, bool) {
			x, ok1 := decimal.Rescale(a.Dec(i), 0, ua)
			y, ok2 := decimal.Rescale(b.Dec(i), 0, ub)
			w, ok := wide(x, y)
			return w, ok && ok1 && ok2
		})
	}
}

// scaleUp is a · 10^n, and whether every value fits.
func (f *Frame) scaleUp(a Operand, n int) (Operand, bool) {
	if n == 0 {
		return a, true
	}
	p := decimal.NarrowPow10(n)
	factor := *a.Vector
	factor.I = []int64{p}
	v := *a.Vector
	v.I = make([]int64, len(a.I))
	ok := mulInt64(v.I, Operand{Vector: a.Vector, mask: -1}, Operand{Vector: &factor})
	return Operand{Vector: &v, mask: a.mask}, ok
}

// productKernel is *; drop is by how many digits the product is longer than its type.
func productKernel(drop int) Kernel {
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		a, b := f.Args[0], f.Args[1]
		if isNarrow(a, b) && drop == 0 {
			x, y := a, b
			if x.IsConst() {
				x, y = y, x
			}
			if mulInt64(f.Ints(), x, y) {
				return
			}
		}
		f.wideOrNarrow(func(i int) (decimal.Wide, bool) {
			w, ok := decimal.Mul(a.Dec(i), b.Dec(i))
			if ok && drop > 0 {
				w, ok = decimal.Rescale(w, drop, 0)
			}
			return w, ok
		})
	}
}

// quotientKernel is /: a · 10^shift ÷ b, cut. With a negative shift, b grows.
func quotientKernel(shift int) Kernel {
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		a, b := f.Args[0], f.Args[1]
		if isNarrow(a, b) && shift >= 0 && shift <= decimal.MaxNarrowPow10 && quotientNarrow(f, a, b, decimal.NarrowPow10(shift)) {
			return
		}
		f.wideOrNarrow(func(i int) (decimal.Wide, bool) {
			y := b.Dec(i)
			if y.Sign() == 0 {
				f.divisionByZero(i)
				return y, true
			}
			if shift < 0 {
				y, _ = decimal.Rescale(y, 0, -shift)
			}
			return decimal.Quo(a.Dec(i), y, max(shift, 0))
		})
	}
}

// quotientNarrow reports whether every dividend fits.
func quotientNarrow(f *Frame, a, b Operand, p int64) bool {
	bound := math.MaxInt64 / p
	for _, x := range a.I {
		if x > bound || x < -bound {
			return false
		}
	}
	out := f.Ints()
	if b.IsConst() && b.I[0] != 0 && !a.IsConst() {
		y := b.I[0]
		for i, x := range a.I[:len(out)] {
			out[i] = x * p / y
		}
		return true
	}
	for i := range out {
		out[i] = 0
		if y := b.Int(i); y != 0 {
			out[i] = a.Int(i) * p / y
		} else if !f.AnyNull(i) {
			f.divisionByZero(i)
		}
	}
	return true
}

// remainderKernel is %, of arguments brought to one scale.
func remainderKernel(ua, ub int) Kernel {
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		a, b := f.Args[0], f.Args[1]
		f.wideOrNarrow(func(i int) (decimal.Wide, bool) {
			x, ok1 := decimal.Rescale(a.Dec(i), 0, ua)
			y, ok2 := decimal.Rescale(b.Dec(i), 0, ub)
			if y.Sign() == 0 {
				f.divisionByZero(i)
				return y, true
			}
			return decimal.Rem(x, y), ok1 && ok2
		})
	}
}

// wideOrNarrow fills Out with op's decimals, of the rows without a NULL
// argument. Rows beyond the 65 digits of DECIMAL fail.
func (f *Frame) wideOrNarrow(op func(i int) (decimal.Wide, bool)) {
	out := f.Wides()
	for i := range out {
		if f.AnyNull(i) {
			continue
		}
		w, ok := op(i)
		if !ok || !decimal.Fits(w, decimal.MaxPrec) {
			f.outOfRange(i, "DECIMAL")
			continue
		}
		out[i] = w
	}
	f.narrow()
}

// narrow makes a wide Out narrow if all its values allow.
func (f *Frame) narrow() {
	ws := f.Out.W
	for _, w := range ws {
		if _, ok := w.Int64(); !ok {
			return
		}
	}
	f.Out.W = nil
	out := f.Ints()
	for i, w := range ws {
		out[i], _ = w.Int64()
	}
}

// toScaleKernel rounds to the digits of the type.
func toScaleKernel(e *expr.Expr) Kernel {
	drop := scaleOf(e.Args[0]) - e.Type.Scale
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		a := f.Args[0]
		if a.W == nil && drop > 0 && drop <= decimal.MaxNarrowPow10 {
			roundNarrow(f.Ints(), a, drop)
			return
		}
		f.wideOrNarrow(func(i int) (decimal.Wide, bool) { return decimal.Rescale(a.Dec(i), drop, 0) })
	}
}

// roundNarrow is decimal.RoundNarrow over a vector.
func roundNarrow(out []int64, a Operand, drop int) {
	p := decimal.NarrowPow10(drop)
	half := p / 2
	for i, v := range a.I[:len(out)] {
		q := v / p
		switch r := v - q*p; {
		case r >= half:
			q++
		case r <= -half:
			q--
		}
		out[i] = q
	}
}
