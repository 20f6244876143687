package builtin

import (
	"math"
	"strconv"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

func init() {
	for _, name := range []string{"cast", "coerce"} {
		register(function{min: 1, max: 1, kernel: castKernel,
			resolve: func(c *call) (*expr.Expr, error) { return nil, NoFunction(c.fn) }}, name)
	}
}

// Cast is the explicit CAST(e AS t). t is one of SIGNED and UNSIGNED (BIGINT),
// CHAR, BINARY, DECIMAL, DOUBLE, FLOAT, DATE, DATETIME, TIME, YEAR. A CHAR or
// BINARY of length 0 is as long as it takes.
func Cast(_ *Env, e *expr.Expr, t types.Type) (*expr.Expr, error) {
	switch {
	case t.Kind == types.JSON && e.Type.IsText():
		return expr.NewCall("json_parse", types.Type{Kind: types.JSON}, e), nil
	case t.Kind == types.JSON && e.Type.Kind != types.JSON && e.Type.Kind != types.Null:
		return expr.NewCall("json_of_value", types.Type{Kind: types.JSON, NotNull: e.Type.NotNull}, e), nil
	case t.Kind == types.Decimal && t.Scale > 30:
		return nil, sqlerr.New(sqlerr.TooBigScale, "Too big scale %d specified for column '%s'. Maximum is 30.", t.Scale, message(e))
	case t.Kind == types.Decimal && t.Prec > decimal.MaxPrec:
		return nil, sqlerr.New(sqlerr.TooBigPrecision, "Too-big precision %d specified for '%s'. Maximum is 65.", t.Prec, message(e))
	case t.Kind == types.Decimal && t.Scale > t.Prec:
		return nil, sqlerr.New(sqlerr.MBiggerThanD, "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '').")
	}
	t.Bool = false
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.MediumInt, types.Int:
		t.Kind = types.BigInt
	case types.Char:
		t.Kind = types.VarChar
	case types.Text:
		t.Kind = types.VarChar
	}
	fixed := t.Len > 0
	if (t.IsText() || t.IsBinary()) && !fixed {
		t.Len = textLen(e.Type)
		if t.Kind == types.Binary {
			t.Kind = types.VarBinary
		}
	}
	t.NotNull = e.Type.NotNull && !mayFail(e.Type, t)
	c := expr.NewCall("cast", t, Exact(e))
	if isHex(e) && t.IsNumeric() {
		c.Args[0] = hexNumber(e)
	}
	return c, nil
}

// castKernel chooses by the classes of both types.
func castKernel(e *expr.Expr) Kernel {
	from, to := e.Args[0].Type, e.Type
	switch {
	case from.Kind == types.Null:
		return (*Frame).AllNull
	case from.Kind == types.JSON && (to.IsNumeric() || to.IsTemporal()):
		text := types.Type{Kind: types.Text, Len: types.LongTextLen}
		return castJSON(to, castBetween(text, to, e.Fn == "cast"))
	}
	return castBetween(from, to, e.Fn == "cast")
}

// castBetween is the cast of a value that is no document.
func castBetween(from, to types.Type, explicit bool) Kernel {
	switch {
	case to.IsInteger() && to.Kind != types.Year:
		return castInt(from, to)
	case to.Class() == types.ClassFloat:
		return castFloat(from, to)
	case to.Kind == types.Decimal:
		return castDecimal(from, to)
	case to.Kind == types.Date, to.Kind == types.DateTime, to.Kind == types.Timestamp, to.Kind == types.Time:
		return castTemporal(from, to)
	case to.Kind == types.Year:
		return strict(castYear)
	case to.Class() == types.ClassBytes:
		return castText(from, to, explicit)
	}
	if from.Kind == to.Kind {
		return passThrough
	}
	return nil
}

// passThrough gives the argument as it is, under the type of the call.
func passThrough(f *Frame) { f.Pass = &f.Args[0] }

// status says how a conversion went.
type status uint8

const (
	fine   status = iota
	cut           // what followed the value was left out
	wrong         // there is no value
	over          // clamped to the range of the target
	noDate        // there is no such date: a day that its month does not have, a zero one
)

func castInt(from, to types.Type) Kernel {
	if from.IsInteger() || from.Kind == types.Enum {
		return passThrough // SIGNED and UNSIGNED share bit patterns
	}
	return strict(func(f *Frame, i int) {
		v, st := f.integer(f.Args[0], i, to.Unsigned)
		if st != fine && !f.truncatedOK(i, "INTEGER") {
			return
		}
		f.Out.AppendInt(v)
	})
}

// integer is the value of row i as CAST AS SIGNED or UNSIGNED sees it: numbers
// round, text is read up to its first character that is no digit.
func (f *Frame) integer(a Operand, i int, unsigned bool) (int64, status) {
	t := a.Type
	switch {
	case t.Class() == types.ClassFloat:
		return floatToInt(a.Float(i), unsigned)
	case t.Kind == types.Decimal:
		w, _ := decimal.Rescale(a.Dec(i), t.Scale, 0)
		return wideToInt(w, unsigned && !w.Neg())
	case t.IsTemporal():
		whole, _ := f.timeNumber(t, types.RoundFraction(a.Int(i), 0))
		return whole, fine
	case t.Class() == types.ClassBytes:
		return textToInt(a.Str(i), unsigned)
	}
	return a.Int(i), fine
}

func floatToInt(x float64, unsigned bool) (int64, status) {
	x = math.RoundToEven(x)
	switch {
	case unsigned && x >= 1<<63 && x < 1<<64:
		return int64(uint64(x)), fine
	case unsigned && x >= 1<<64:
		return -1, over
	case x >= 1<<63:
		return math.MaxInt64, over
	case x < -1<<63:
		return math.MinInt64, over
	}
	return int64(x), fine
}

func wideToInt(w decimal.Wide, unsigned bool) (int64, status) {
	if unsigned {
		if u, ok := w.Uint64(); ok {
			return int64(u), fine
		} else if w.Neg() {
			return 0, over
		}
		return -1, over
	}
	if v, ok := w.Int64(); ok {
		return v, fine
	}
	if w.Neg() {
		return math.MinInt64, over
	}
	return math.MaxInt64, over
}

func textToInt(s []byte, unsigned bool) (int64, status) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	neg := i < len(s) && s[i] == '-'
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	start, n, st := i, uint64(0), fine
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		d := uint64(s[i] - '0')
		if n > (math.MaxUint64-d)/10 {
			n, st = math.MaxUint64, over
		} else {
			n = n*10 + d
		}
	}
	if i == start {
		return 0, wrong
	}
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	if i < len(s) && st == fine {
		st = cut
	}
	switch {
	case neg && n > 1<<63:
		return math.MinInt64, over
	case neg:
		return -int64(n), st
	case !unsigned && n > math.MaxInt64: // MySQL keeps the bits, and warns
		return int64(n), over
	}
	return int64(n), st
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func castFloat(from, to types.Type) Kernel {
	if from.Class() == types.ClassFloat && (to.Kind == types.Double || from.Kind == types.Float) {
		return passThrough
	}
	if from.IsInteger() && !from.Unsigned && to.Kind == types.Double {
		return func(f *Frame) {
			if f.MergeValid() {
				a := f.Args[0]
				out := f.Floats()
				for i := range out {
					out[i] = float64(a.I[i&a.mask])
				}
			}
		}
	}
	return strict(func(f *Frame, i int) {
		x, st := f.double(f.Args[0], i)
		if st != fine && !f.truncatedOK(i, "DOUBLE") {
			return
		}
		if to.Kind == types.Float {
			x = float64(float32(x))
		}
		f.Out.AppendFloat(x)
	})
}

// truncatedOK warns of the first argument, and reports whether the row may have a value.
func (f *Frame) truncatedOK(i int, kind string) bool {
	return f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect %s value: '%s'", kind, f.Args[0].AppendTextAt(nil, i, f.Location))
}

// double is the value of row i as a DOUBLE.
func (f *Frame) double(a Operand, i int) (float64, status) {
	t := a.Type
	switch {
	case t.Class() == types.ClassFloat:
		return a.Float(i), fine
	case t.Kind == types.Decimal:
		if a.W == nil {
			return decimal.FloatNarrow(a.Int(i), t.Scale), fine
		}
		return decimal.Float(a.Dec(i), t.Scale), fine
	case t.IsTemporal():
		whole, micro := f.timeNumber(t, a.Int(i))
		return float64(whole) + float64(micro)/1e6, fine
	case t.Class() == types.ClassBytes:
		return textToFloat(a.Str(i))
	case t.Unsigned:
		return float64(uint64(a.Int(i))), fine
	}
	return float64(a.Int(i)), fine
}

func textToFloat(s []byte) (float64, status) {
	start, end := numberPrefix(s)
	if end == start {
		return 0, wrong
	}
	x, err := strconv.ParseFloat(string(s[start:end]), 64)
	if err != nil {
		if math.IsInf(x, 0) {
			return math.Copysign(math.MaxFloat64, x), over
		}
		return 0, wrong
	}
	for end < len(s) && isSpace(s[end]) {
		end++
	}
	if end < len(s) {
		return x, cut
	}
	return x, fine
}

// numberPrefix is where the number at the start of s lies; empty if there is none.
func numberPrefix(s []byte) (start, end int) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	start = i
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := 0
	run := func() {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
			digits++
		}
	}
	run()
	if i < len(s) && s[i] == '.' {
		i++
		run()
	}
	if digits == 0 {
		return start, start
	}
	end = i
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		mark := digits
		if run(); digits > mark {
			end = i
		}
	}
	return start, end
}

func castDecimal(from, to types.Type) Kernel {
	if from.Kind == types.Decimal || from.IsInteger() && !isUnsigned(from) {
		if k := widen(from, to); k != nil {
			return k
		}
	}
	return strict(func(f *Frame, i int) {
		w, st := f.decimal(f.Args[0], i, to)
		if (st == cut || st == wrong) && !f.truncatedOK(i, "DECIMAL") {
			return
		}
		if st == over && !f.Problem(i, sqlerr.WarnDataOutOfRange, "Out of range value for column '%s' at row %d", message(f.Call), f.RowNumber(i)) {
			return
		}
		f.Out.AppendWide(w)
	})
}

// widen is the kernel of a cast that only adds digits; nil if it may lose some.
func widen(from, to types.Type) Kernel {
	fe := &expr.Expr{Op: expr.OpColumn, Type: from}
	p, s := digits(fe)
	up := to.Scale - s
	if up < 0 || to.Prec-to.Scale < p-s || up > decimal.MaxNarrowPow10 {
		return nil
	}
	if up == 0 && from.Kind == types.Decimal {
		return passThrough
	}
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		a := f.Args[0]
		if a.W == nil {
			factor := Operand{Vector: decimalConst(decimal.NarrowPow10(up))}
			if mulInt64(f.Ints(), a, factor) {
				return
			}
		}
		f.wideOrNarrow(func(i int) (decimal.Wide, bool) { return decimal.Rescale(a.Dec(i), 0, up) })
	}
}

// decimal is the value of row i at the scale of to, clamped to its precision.
func (f *Frame) decimal(a Operand, i int, to types.Type) (w decimal.Wide, st status) {
	t := a.Type
	ok := true
	switch {
	case t.Kind == types.Decimal:
		w, ok = decimal.Rescale(a.Dec(i), t.Scale, to.Scale)
	case t.Class() == types.ClassFloat:
		w, ok = decimal.FromFloat(a.Float(i), to.Scale)
	case t.IsTemporal():
		whole, micro := f.timeNumber(t, a.Int(i))
		if whole < 0 {
			micro = -micro
		}
		w, _ = decimal.Rescale(decimal.FromInt64(whole), 0, 6)
		w, _ = decimal.Add(w, decimal.FromInt64(micro))
		w, ok = decimal.Rescale(w, 6, to.Scale)
	case t.Class() == types.ClassBytes:
		w, ok, st = textToDecimal(a.Str(i), to.Scale)
	default:
		w, ok = decimal.Rescale(wideInt(a, i), 0, to.Scale)
	}
	if !ok || !decimal.Fits(w, to.Prec) {
		limit := decimal.Max(to.Prec)
		if ok && w.Neg() || !ok && f.negative(a, i) {
			limit = decimal.Negate(limit)
		}
		return limit, over
	}
	if to.Unsigned && w.Neg() {
		return decimal.Wide{}, over
	}
	return w, st
}

// negative is the sign of a value whose decimal did not fit.
func (f *Frame) negative(a Operand, i int) bool {
	x, _ := f.double(a, i)
	return x < 0
}

func textToDecimal(s []byte, scale int) (decimal.Wide, bool, status) {
	n := decimal.Parse(s, scale)
	if n.N == 0 {
		return decimal.Wide{}, true, wrong
	}
	st := fine
	for _, c := range s[n.N:] {
		if !isSpace(c) {
			st = cut
		}
	}
	w, ok := decimal.Rescale(n.Value, n.Scale, scale)
	return w, ok && !n.Over, st
}

// decimalConst is a vector of one narrow value.
func decimalConst(v int64) *vector.Vector {
	return &vector.Vector{Type: types.MakeBigInt(), N: 1, I: []int64{v}}
}
