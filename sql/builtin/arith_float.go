package builtin

import "math"

var floatKernels = map[string]Kernel{"+": addFloats, "-": subFloats, "*": mulFloats, "/": divFloats, "%": modFloats}

func addFloats(f *Frame) {
	if !f.MergeValid() {
		return
	}
	a, b := f.Args[0], f.Args[1]
	out := f.Floats()
	if a.IsConst() {
		a, b = b, a
	}
	if b.IsConst() {
		y := b.F[0]
		for i, x := range a.F[:len(out)] {
			out[i] = x + y
		}
	} else {
		ys := b.F[:len(out)]
		for i, x := range a.F[:len(out)] {
			out[i] = x + ys[i]
		}
	}
	f.finite()
}

func subFloats(f *Frame) {
	if !f.MergeValid() {
		return
	}
	a, b := f.Args[0], f.Args[1]
	out := f.Floats()
	for i := range out {
		out[i] = a.F[i&a.mask] - b.F[i&b.mask]
	}
	f.finite()
}

func mulFloats(f *Frame) {
	if !f.MergeValid() {
		return
	}
	a, b := f.Args[0], f.Args[1]
	out := f.Floats()
	if a.IsConst() {
		a, b = b, a
	}
	if b.IsConst() {
		y := b.F[0]
		for i, x := range a.F[:len(out)] {
			out[i] = x * y
		}
	} else {
		ys := b.F[:len(out)]
		for i, x := range a.F[:len(out)] {
			out[i] = x * ys[i]
		}
	}
	f.finite()
}

// finite fails the rows whose double is beyond its range.
func (f *Frame) finite() {
	bad := false
	for _, x := range f.Out.F {
		bad = bad || x-x != 0 // only for infinities and NaN
	}
	if !bad {
		return
	}
	for i, x := range f.Out.F {
		if x-x != 0 {
			f.Out.F[i] = 0
			if !f.AnyNull(i) {
				f.outOfRange(i, "DOUBLE")
			}
		}
	}
}

func divFloats(f *Frame) { floatQuotient(f, func(x, y float64) float64 { return x / y }) }
func modFloats(f *Frame) { floatQuotient(f, math.Mod) }

func floatQuotient(f *Frame, op func(x, y float64) float64) {
	if !f.MergeValid() {
		return
	}
	a, b := f.Args[0], f.Args[1]
	out := f.Floats()
	for i := range out {
		out[i] = 0
		switch y := b.Float(i); {
		case y != 0:
			out[i] = op(a.Float(i), y)
		case !f.AnyNull(i):
			f.divisionByZero(i)
		}
	}
	f.finite()
}
