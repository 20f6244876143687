package builtin

import (
	"math"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 3, max: 3, resolve: resolveDateAdd, kernel: dateAddKernel}, "date_add", "date_sub")
	register(function{min: 2, max: 3, resolve: resolveAddDate, kernel: dateAddKernel}, "adddate", "subdate")
	register(function{min: 3, max: 3, resolve: func(c *call) (*expr.Expr, error) {
		return Call(c.env, "date_add", c.args[2], c.args[1], c.args[0])
	}}, "timestampadd")
	define("datediff", "tt", 0, returns(types.MakeBigInt()), strict(func(f *Frame, i int) {
		a, _ := types.SplitDay(f.Args[0].Int(i))
		b, _ := types.SplitDay(f.Args[1].Int(i))
		f.Out.AppendInt(a - b)
	}))
	defineBy("timestampdiff", "*tt", 0, returns(types.MakeBigInt()), timestampDiffKernel)
	define("period_add", "ii", 0, returns(types.MakeBigInt()), strict(func(f *Frame, i int) {
		if p, ok := f.period(i, 0); ok {
			f.Out.AppendInt(fromMonths(p + f.Args[1].Int(i)))
		}
	}))
	define("period_diff", "ii", 0, returns(types.MakeBigInt()), strict(func(f *Frame, i int) {
		p, ok1 := f.period(i, 0)
		q, ok2 := f.period(i, 1)
		if ok1 && ok2 {
			f.Out.AppendInt(p - q)
		}
	}))
}

// resolveAddDate is ADDDATE(d, days), or with a unit DATE_ADD.
func resolveAddDate(c *call) (*expr.Expr, error) {
	fn := map[string]string{"adddate": "date_add", "subdate": "date_sub"}[c.fn]
	args := c.args
	if len(args) == 2 {
		args = append(args[:2:2], expr.NewConst(expr.Value{S: []byte("day")}, types.MakeVarChar(3)))
	}
	return Call(c.env, fn, args...)
}

// resolveDateAdd is DATE_ADD(d, INTERVAL n unit) as date_add(d, n, unit): a DATE
// stays one under units of days, text stays text, a TIME one under units of the clock.
func resolveDateAdd(c *call) (*expr.Expr, error) {
	u, err := unitOf(c.args[2])
	if err != nil {
		return nil, err
	}
	d, n := c.args[0], c.args[1]
	scale := 0
	switch {
	case composite[u] != nil:
		n = c.env.toText(n)
	case u == "second":
		if n = Exact(toNumber(n)); n.Type.Class() == types.ClassFloat {
			scale = 6
			n = coerce(n, types.MakeDecimal(30, 6))
		} else {
			scale = min(scaleOf(n), 6)
			n = coerce(n, types.MakeDecimal(30, scale))
		}
	default:
		n = c.env.fit(n, 'i')
	}
	var t types.Type
	switch {
	case d.Type.Kind == types.Date && u.dateOnly():
		t = d.Type
	case d.Type.Kind == types.Time && !u.dateOnly():
		t = types.Type{Kind: types.Time, Scale: max(d.Type.Scale, u.fsp(scale))}
	case d.Type.IsTemporal():
		d = toDateTime(d)
		t = types.MakeDateTime(max(d.Type.Scale, u.fsp(scale)))
	default:
		if d.Type.Class() != types.ClassBytes { // a number is read as its digits are as text
			d = c.env.toText(d)
		}
		t = types.MakeVarChar(29)
		t.Collation = c.env.Collation
	}
	c.args = []*expr.Expr{d, n, c.args[2]}
	return c.result(t), nil
}

func dateAddKernel(e *expr.Expr) Kernel {
	u, err := unitOf(e.Args[2])
	if err != nil {
		return nil
	}
	sign := int64(1)
	if e.Fn == "date_sub" {
		sign = -1
	}
	rowwise := strict(func(f *Frame, i int) {
		iv, ok := u.amount(f.Args[1], i)
		iv.months *= sign
		iv.us *= sign
		switch e.Type.Class() {
		case types.ClassBytes:
			f.addToText(i, u, iv, ok)
			return
		}
		us := f.Args[0].Int(i)
		if e.Type.Kind == types.Time {
			us += iv.us
			ok = ok && us <= types.MaxTime && us >= -types.MaxTime
		} else {
			us, ok = iv.addTo(us, ok)
		}
		f.appendTime(i, us, ok)
	})
	if e.Type.Class() == types.ClassBytes || e.Type.Kind == types.Time {
		return rowwise
	}
	return func(f *Frame) {
		n := f.Args[1]
		if n.IsConst() && !n.IsNull(0) && !f.Args[0].IsConst() {
			if iv, ok := u.amount(n, 0); ok && iv.months == 0 && f.shift(sign*iv.us) {
				return
			}
		}
		rowwise(f)
	}
}

// shift moves every point of time by us; false, with nothing done, if one would
// leave its range.
func (f *Frame) shift(us int64) bool {
	at := f.Args[0].I[:f.N]
	lowest, highest := int64(math.MaxInt64), int64(math.MinInt64)
	for _, x := range at {
		lowest, highest = min(lowest, x), max(highest, x)
	}
	lo, ok1 := decimal.AddNarrow(lowest, us)
	hi, ok2 := decimal.AddNarrow(highest, us)
	if !ok1 || !ok2 || lo < firstSum || hi > types.MaxDateTime || !f.MergeValid() {
		return false
	}
	out := f.Ints()
	for i, x := range at {
		out[i] = x + us
	}
	return true
}

// appendTime appends a point of time, or NULL with a warning when it left its range.
func (f *Frame) appendTime(i int, us int64, ok bool) {
	if !ok {
		f.NullOut(i)
		name := "datetime"
		if f.Call.Type.Kind == types.Time {
			name = "time"
		}
		f.Problem(i, 1441, "Datetime function: %s field overflow", name)
		return
	}
	f.Out.AppendInt(us)
}

// addToText answers in text: a date if it was one and the unit has no clock.
func (f *Frame) addToText(i int, u unit, iv interval, ok bool) {
	p := types.ParseDateTime(f.Args[0].Str(i))
	if !p.OK {
		f.NullOut(i)
		f.Problem(i, sqlerr.TruncatedWrongValue, "Incorrect datetime value: '%s'", f.Args[0].Str(i))
		return
	}
	us, ok := iv.addTo(p.US, ok)
	if !ok {
		f.appendTime(i, us, false)
		return
	}
	switch {
	case !p.HasTime && u.dateOnly():
		f.Out.Buf = types.AppendDate(f.Out.Buf, us)
	case us%types.Second != 0 || u.fsp(0) > 0:
		f.Out.Buf = types.AppendDateTime(f.Out.Buf, us, 6)
	default:
		f.Out.Buf = types.AppendDateTime(f.Out.Buf, us, 0)
	}
	f.endText()
}

// timestampDiffKernel is TIMESTAMPDIFF(unit, a, b): whole units from a to b.
func timestampDiffKernel(e *expr.Expr) Kernel {
	u, err := unitOf(e.Args[0])
	if err != nil {
		return nil
	}
	one, ok := simple[u]
	if !ok {
		return nil
	}
	return strict(func(f *Frame, i int) {
		a, b := f.Args[1].Int(i), f.Args[2].Int(i)
		if one.months == 0 {
			f.Out.AppendInt((b - a) / one.us)
			return
		}
		f.Out.AppendInt(monthsBetween(a, b) / one.months)
	})
}

// monthsBetween counts the whole months from a to b.
func monthsBetween(a, b int64) int64 {
	if b < a {
		return -monthsBetween(b, a)
	}
	x, y := civilOf(a), civilOf(b)
	n := int64(y.year-x.year)*12 + int64(y.month-x.month)
	_, ra := types.SplitDay(a)
	_, rb := types.SplitDay(b)
	if y.day < x.day || y.day == x.day && rb < ra {
		n--
	}
	return n
}

// period is an argument YYMM or YYYYMM as a number of months. What is none is an
// error of the row.
func (f *Frame) period(i, arg int) (months int64, ok bool) {
	p := f.Args[arg].Int(i)
	if p <= 0 || p%100 < 1 || p%100 > 12 {
		f.Fail(i, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to %s", f.Call.Fn))
		return 0, false
	}
	return toMonths(p), true
}

// toMonths reads a period YYMM or YYYYMM as a number of months.
func toMonths(p int64) int64 {
	y := p / 100
	if y < 70 {
		y += 2000
	} else if y < 100 {
		y += 1900
	}
	return y*12 + p%100 - 1
}

// fromMonths writes a number of months as YYYYMM.
func fromMonths(m int64) int64 { return m/12*100 + m%12 + 1 }
