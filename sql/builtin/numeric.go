package builtin

import (
	"math"
	"math/rand/v2"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 1, max: 1, flags: total, resolve: resolveSame, kernel: func(*expr.Expr) Kernel { return strict(absRow) }}, "abs")
	register(function{min: 1, max: 1, flags: total, resolve: resolveWhole, kernel: wholeKernel}, "ceil", "ceiling", "floor")
	register(function{min: 1, max: 2, flags: total, resolve: resolveRound, kernel: roundKernel}, "round")
	register(function{min: 2, max: 2, flags: total, resolve: resolveRound, kernel: roundKernel}, "truncate")
	define("sign", "n", total, returns(types.Type{Kind: types.Int}), strict(func(f *Frame, i int) {
		f.Out.AppendInt(int64(f.Args[0].sign(i)))
	}))
	one := func(fn func(float64) float64) Kernel {
		return strict(func(f *Frame, i int) { f.appendDouble(i, fn(f.Args[0].Float(i))) })
	}
	double := returns(types.MakeDouble())
	for name, fn := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": math.Exp, "ln": logarithm(math.Log), "log2": logarithm(math.Log2), "log10": logarithm(math.Log10),
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos,
		"cot":     func(x float64) float64 { return 1 / math.Tan(x) },
		"degrees": func(x float64) float64 { return x * (180 / math.Pi) },
		"radians": func(x float64) float64 { return x * (math.Pi / 180) },
	} {
		define(name, "d", 0, double, one(fn))
	}
	define("atan,atan2", "d?d", total, double, strict(arcTangent))
	define("pow,power", "dd", 0, double, strict(func(f *Frame, i int) { f.appendDouble(i, power(f.Args[0].Float(i), f.Args[1].Float(i))) }))
	define("log", "d?d", 0, double, strict(logRow))
	define("pi", "", nonNull, returns(types.Type{Kind: types.Double, Scale: 6}), strict(func(f *Frame, _ int) { f.Out.AppendFloat(math.Pi) }))
	define("rand", "?i", volatile, double, strict(randomRow))
}

// resolveSame keeps the numeric type of the argument.
func resolveSame(c *call) (*expr.Expr, error) {
	shown := toNumber(c.args[0])
	a := Exact(shown)
	c.args = []*expr.Expr{a}
	t := a.Type
	switch t.Class() {
	case types.ClassInt:
		t = types.Type{Kind: types.BigInt, Unsigned: t.Unsigned}
	case types.ClassFloat:
		t.Kind = types.Double
	}
	return Shown(c.result(t), shown.Type), nil
}

// sign of a number.
func (o Operand) sign(i int) int {
	switch {
	case o.F != nil:
		switch x := o.Float(i); {
		case x < 0:
			return -1
		case x > 0:
			return 1
		}
		return 0
	case o.Type.IsInteger():
		return wideInt(o, i).Sign()
	}
	return o.Dec(i).Sign()
}

func absRow(f *Frame, i int) {
	a := f.Args[0]
	switch {
	case a.F != nil:
		f.Out.AppendFloat(math.Abs(a.Float(i)))
	case isUnsigned(a.Type):
		f.Out.AppendInt(a.Int(i))
	case a.Type.IsInteger():
		v, ok := decimal.Abs(decimal.FromInt64(a.Int(i))).Int64()
		if !ok {
			f.outOfRange(i, "BIGINT")
			return
		}
		f.Out.AppendInt(v)
	default:
		f.Out.AppendWide(decimal.Abs(a.Dec(i)))
	}
}

// resolveWhole is CEIL and FLOOR: BIGINT of a DECIMAL whose whole part fits.
func resolveWhole(c *call) (*expr.Expr, error) {
	if c.fn == "ceiling" {
		c.fn = "ceil"
	}
	t := toNumber(c.args[0]).Type // a quotient's whole part has as many digits as it shows
	a := Exact(toNumber(c.args[0]))
	c.args = []*expr.Expr{a}
	switch {
	case t.Kind == types.Decimal && t.Prec-t.Scale > 18:
		return c.result(types.MakeDecimal(t.Prec-t.Scale+1, 0)), nil
	case t.Class() == types.ClassFloat:
		return c.result(types.MakeDouble()), nil
	}
	return c.result(types.Type{Kind: types.BigInt, Unsigned: t.Unsigned}), nil
}

func wholeKernel(e *expr.Expr) Kernel {
	from := e.Args[0].Type
	up := e.Fn == "ceil"
	switch {
	case from.IsInteger():
		return passThrough
	case from.Class() == types.ClassFloat:
		fn := math.Floor
		if up {
			fn = math.Ceil
		}
		return strict(func(f *Frame, i int) { f.Out.AppendFloat(fn(f.Args[0].Float(i))) })
	}
	return strict(func(f *Frame, i int) {
		w := f.Args[0].Dec(i)
		q := decimal.Trunc(w, from.Scale)
		if back, _ := decimal.Rescale(q, 0, from.Scale); back != w && up != w.Neg() {
			step := decimal.FromInt64(1)
			if !up {
				step = decimal.FromInt64(-1)
			}
			q, _ = decimal.Add(q, step)
		}
		f.Out.AppendWide(q)
	})
}

// resolveRound is ROUND and TRUNCATE: a DECIMAL has as many digits after the
// point as a constant second argument says.
func resolveRound(c *call) (*expr.Expr, error) {
	a := Exact(toNumber(c.args[0]))
	shown := toNumber(c.args[0]).Type
	places := expr.NewInt(0)
	if len(c.args) == 2 {
		places = foldTree(c.env.fit(c.args[1], 'i'))
	}
	constant := places.Op == expr.OpConst && !places.Value.Null
	d := 0
	if constant {
		d = int(min(max(places.Value.I, -65), 30))
		if places.Type.Unsigned && places.Value.I < 0 {
			d = 30
		}
	}
	c.args = []*expr.Expr{a, places}
	switch {
	case a.Type.Class() == types.ClassFloat:
		t := types.MakeDouble()
		if constant {
			t.Scale = max(d, 0)
		}
		return c.result(t), nil
	case a.Type.IsInteger() && constant:
		return c.result(types.Type{Kind: types.BigInt, Unsigned: a.Type.Unsigned}), nil
	case a.Type.IsInteger():
		c.args[0] = toDouble(a)
		return c.result(types.MakeDouble()), nil
	case !constant:
		return c.result(types.MakeDecimal(shown.Prec, shown.Scale)), nil
	}
	scale := max(d, 0)
	prec := shown.Prec - shown.Scale + scale
	if scale < shown.Scale && c.fn == "round" {
		prec++
	}
	return c.result(types.MakeDecimal(prec, scale)), nil
}

func roundKernel(e *expr.Expr) Kernel {
	truncate := e.Fn == "truncate"
	switch from := e.Args[0].Type; {
	case from.Class() == types.ClassFloat:
		return strict(func(f *Frame, i int) {
			f.Out.AppendFloat(roundDouble(f.Args[0].Float(i), places(f.Args[1], i), truncate))
		})
	case from.IsInteger():
		return strict(func(f *Frame, i int) { roundInteger(f, i, truncate) })
	}
	return strict(func(f *Frame, i int) { roundDecimal(f, i, truncate) })
}

// places is the number of digits after the point that is asked for.
func places(o Operand, i int) int {
	d := o.Int(i)
	if isUnsigned(o.Type) && d < 0 {
		return 400
	}
	return int(min(max(d, -400), 400))
}

func roundDouble(x float64, d int, truncate bool) float64 {
	p := math.Pow10(d)
	if d < 0 {
		p = math.Pow10(-d)
	}
	fn := math.RoundToEven
	if truncate {
		fn = math.Trunc
	}
	switch {
	case d < 0 && math.IsInf(p, 0):
		return 0
	case d < 0:
		return fn(x/p) * p
	case math.IsInf(x*p, 0) || math.IsInf(p, 0):
		return x
	}
	return fn(x*p) / p
}

func roundInteger(f *Frame, i int, truncate bool) {
	a := f.Args[0]
	d := places(f.Args[1], i)
	if d >= 0 {
		f.Out.AppendInt(a.Int(i))
		return
	}
	if d < -20 {
		f.Out.AppendInt(0)
		return
	}
	w := roundWide(wideInt(a, i), 0, d, truncate)
	v, ok := w.Int64()
	if isUnsigned(a.Type) {
		u, fits := w.Uint64()
		v, ok = int64(u), fits
	}
	if !ok {
		kind := "BIGINT"
		if isUnsigned(a.Type) {
			kind = "BIGINT UNSIGNED"
		}
		f.outOfRange(i, kind)
		return
	}
	f.Out.AppendInt(v)
}

// roundWide rounds a value of some scale to d digits after the point, at the
// same scale.
func roundWide(w decimal.Wide, scale, d int, truncate bool) decimal.Wide {
	if d >= scale {
		return w
	}
	drop := scale - d
	if drop > 76 {
		return decimal.Wide{}
	}
	if truncate {
		w = decimal.Trunc(w, drop)
	} else {
		w, _ = decimal.Rescale(w, drop, 0)
	}
	w, _ = decimal.Rescale(w, 0, drop)
	return w
}

func roundDecimal(f *Frame, i int, truncate bool) {
	a := f.Args[0]
	scale, out := a.Type.Scale, f.Call.Type.Scale
	w := roundWide(a.Dec(i), scale, min(places(f.Args[1], i), out), truncate)
	w, ok := decimal.Rescale(w, scale, out)
	if !ok || !decimal.Fits(w, decimal.MaxPrec) {
		f.outOfRange(i, "DECIMAL")
		return
	}
	f.Out.AppendWide(w)
}

// logarithm makes what has no logarithm NaN, which becomes NULL.
func logarithm(fn func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if x <= 0 {
			return math.NaN()
		}
		return fn(x)
	}
}

// appendDouble appends x: NULL for NaN, an error beyond the range.
func (f *Frame) appendDouble(i int, x float64) {
	switch {
	case math.IsNaN(x) && f.Call.Fn[0] == 'p':
		f.outOfRange(i, "DOUBLE")
	case math.IsNaN(x):
		if f.Call.Fn[0] == 'l' {
			f.Problem(i, 3020, "Invalid argument for logarithm")
		}
		f.Out.AppendNull()
	case math.IsInf(x, 0):
		f.outOfRange(i, "DOUBLE")
	default:
		f.Out.AppendFloat(x)
	}
}

func arcTangent(f *Frame, i int) {
	if len(f.Args) == 1 {
		f.Out.AppendFloat(math.Atan(f.Args[0].Float(i)))
		return
	}
	f.Out.AppendFloat(math.Atan2(f.Args[0].Float(i), f.Args[1].Float(i)))
}

// logRow is LOG(x), or LOG(base, x).
func logRow(f *Frame, i int) {
	x := f.Args[0].Float(i)
	if len(f.Args) == 2 {
		base := x
		x = f.Args[1].Float(i)
		if base <= 0 || base == 1 || x <= 0 {
			f.appendDouble(i, math.NaN())
			return
		}
		if base == 2 {
			f.appendDouble(i, math.Log2(x))
			return
		}
		f.appendDouble(i, math.Log(x)/math.Log(base))
		return
	}
	f.appendDouble(i, logarithm(math.Log)(x))
}

// randomRow is RAND: with a seed, the first number of MySQL's generator for it.
func randomRow(f *Frame, i int) {
	if len(f.Args) == 0 {
		f.Out.AppendFloat(rand.Float64())
		return
	}
	const limit = 0x3FFFFFFF
	seed := uint32(f.Args[0].Int(i))
	s1 := uint64(seed*0x10001+55555555) % limit
	s2 := uint64(seed*0x10000001) % limit
	s1 = (s1*3 + s2) % limit
	f.Out.AppendFloat(float64(s1) / limit)
}

// power is x^y. For a small whole y the product is kept in two doubles, so that it
// is rounded once (Dekker's product by FMA); math.Pow rounds at every step.
func power(x, y float64) float64 {
	if y != math.Trunc(y) || math.Abs(y) > 1<<12 || x == 0 {
		return math.Pow(x, y)
	}
	hi, lo := 1.0, 0.0
	sq, rest := x, 0.0 // x to the power of 1, 2, 4, …, and what the double leaves out
	for n := int(math.Abs(y)); n > 0; n >>= 1 {
		if n&1 == 1 {
			hi, lo = timesTwofold(hi, lo, sq, rest)
		}
		if n > 1 {
			sq, rest = timesTwofold(sq, rest, sq, rest)
		}
	}
	if y < 0 {
		q := 1 / hi
		hi = q + q*(math.FMA(-hi, q, 1)-lo*q)
	}
	if math.IsInf(hi, 0) || math.IsNaN(hi) || math.Abs(hi) < 1e-290 {
		return math.Pow(x, y)
	}
	return hi
}

// timesTwofold is the product of two numbers, each the sum of two doubles.
func timesTwofold(a, aRest, b, bRest float64) (p, rest float64) {
	p = a * b
	rest = math.FMA(a, b, -p) + (a*bRest + aRest*b)
	s := p + rest
	return s, rest - (s - p)
}
