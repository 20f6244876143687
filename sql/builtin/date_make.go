package builtin

import (
	"strings"
	"time"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/reference"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	clock := func(names string, kind types.Kind, utc bool) {
		register(function{min: 0, max: 1, flags: nonNull | contextual, resolve: resolveNow(kind),
			kernel: func(*expr.Expr) Kernel { return nowKernel(utc) }}, strings.Fields(names)...)
	}
	clock("now current_timestamp localtime localtimestamp sysdate", types.DateTime, false)
	clock("utc_timestamp", types.DateTime, true)
	clock("curdate current_date", types.Date, false)
	clock("utc_date", types.Date, true)
	clock("curtime current_time", types.Time, false)
	clock("utc_time", types.Time, true)

	define("date", "t", 0, returns(types.Type{Kind: types.Date}), strict(func(f *Frame, i int) {
		days, _ := types.SplitDay(f.Args[0].Int(i))
		f.Out.AppendInt(days * types.Day)
	}))
	define("last_day", "t", 0, returns(types.Type{Kind: types.Date}), strict(func(f *Frame, i int) {
		d := civilOf(f.Args[0].Int(i))
		f.Out.AppendInt(types.DaysFromCivil(d.year, d.month, types.DaysInMonth(d.year, d.month)) * types.Day)
	}))
	define("time", "T", 0, func(c *call) types.Type { return c.args[0].Type }, passThrough)
	register(function{min: 1, max: 2, flags: contextual, resolve: resolveTimestamp, kernel: timestampKernel}, "timestamp")
	define("makedate", "ii", 0, returns(types.Type{Kind: types.Date}), strict(makeDateRow))
	register(function{min: 3, max: 3, resolve: resolveMakeTime, kernel: func(*expr.Expr) Kernel { return strict(makeTimeRow) }}, "maketime")
	register(function{min: 1, max: 1, resolve: resolveSecToTime, kernel: func(*expr.Expr) Kernel { return strict(secToTimeRow) }}, "sec_to_time")
	define("time_to_sec", "T", 0, returns(types.MakeBigInt()), strict(func(f *Frame, i int) { f.Out.AppendInt(f.Args[0].Int(i) / types.Second) }))
	define("from_days", "i", 0, returns(types.Type{Kind: types.Date}), strict(func(f *Frame, i int) {
		days := f.Args[0].Int(i) - daysToEpoch
		switch {
		case days < -daysToEpoch+366: // MySQL has 0000-00-00
		case days > types.MaxDateTime/types.Day:
			f.appendTime(i, 0, false)
		default:
			f.Out.AppendInt(days * types.Day)
		}
	}))
	register(function{min: 0, max: 1, flags: contextual, resolve: resolveUnixTimestamp, kernel: unixTimestampKernel}, "unix_timestamp")
	register(function{min: 1, max: 2, flags: contextual, resolve: resolveFromUnix, kernel: fromUnixKernel}, "from_unixtime")
	define("convert_tz", "tss", contextual, func(c *call) types.Type { return types.MakeDateTime(c.args[0].Type.Scale) }, strict(convertZoneRow))
}

// UsesNow reports a function that reads the clock: a batch's time in a
// continuous query.
func UsesNow(e *expr.Expr) bool {
	switch e.Fn {
	case "coerce", "cast", "assign": // a TIME is a time of today
		return e.Args[0].Type.Kind == types.Time && e.Type.HasDate()
	}
	return reference.VariesBy(e.Fn, len(e.Args)) == reference.Clock
}

// resolveNow takes the digits of a second as a constant.
func resolveNow(kind types.Kind) func(c *call) (*expr.Expr, error) {
	return func(c *call) (*expr.Expr, error) {
		t := types.Type{Kind: kind}
		if len(c.args) == 1 && kind != types.Date {
			a := c.args[0]
			if a.Op != expr.OpConst || !a.Type.IsInteger() || a.Value.I < 0 {
				return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to %s", c.fn)
			}
			if a.Value.I > 6 {
				return nil, sqlerr.New(sqlerr.TooBigPrecision, "Too-big precision %d specified for '%s'. Maximum is 6.", a.Value.I, c.fn)
			}
			t.Scale = int(a.Value.I)
		}
		c.args = nil
		return c.result(t), nil
	}
}

func nowKernel(utc bool) Kernel {
	return func(f *Frame) {
		us := f.Now
		if !utc {
			us = types.ToClock(us, f.Location)
		}
		days, rest := types.SplitDay(us)
		rest = types.TruncFraction(rest, f.Call.Type.Scale)
		v := days*types.Day + rest
		switch f.Call.Type.Kind {
		case types.Date:
			v = days * types.Day
		case types.Time:
			v = rest
		}
		out := f.Ints()
		for i := range out {
			out[i] = v
		}
	}
}

// resolveTimestamp is TIMESTAMP(x), or TIMESTAMP(x, time).
func resolveTimestamp(c *call) (*expr.Expr, error) {
	a := c.args[0]
	if a.Type.Kind != types.DateTime {
		a = coerce(a, types.MakeDateTime(fractionDigits(a)))
	}
	c.args = append([]*expr.Expr{a}, c.args[1:]...)
	fsp := a.Type.Scale
	if len(c.args) == 2 {
		fsp = max(fsp, fractionDigits(c.args[1]))
	}
	return c.result(types.MakeDateTime(fsp)), nil
}

func timestampKernel(e *expr.Expr) Kernel {
	if len(e.Args) == 1 {
		return passThrough
	}
	return strict(func(f *Frame, i int) {
		f.addTime(i, moment{us: f.Args[0].Int(i), dated: true, timed: true}, true, 1)
	})
}

// makeDateRow is MAKEDATE(year, day of the year).
func makeDateRow(f *Frame, i int) {
	y, day := f.Args[0].Int(i), f.Args[1].Int(i)
	if y < 0 || y > 9999 || day <= 0 || day > 4e6 {
		f.Out.AppendNull()
		return
	}
	if y < 70 {
		y += 2000
	} else if y < 100 {
		y += 1900
	}
	days := types.DaysFromCivil(int(y), 1, 1) + day - 1
	if days > types.MaxDateTime/types.Day {
		f.Out.AppendNull()
		return
	}
	f.Out.AppendInt(days * types.Day)
}

// secondsDecimal is a number of seconds as a DECIMAL of that scale, and its digits
// of a second.
func secondsDecimal(e *expr.Expr, scale int) (*expr.Expr, int) {
	if e.Type.IsText() {
		return coerce(e, types.MakeDecimal(30, scale)), 6
	}
	e = toNumber(e)
	if e.Type.IsInteger() {
		return coerce(e, types.MakeDecimal(20, 0)), 0
	}
	fsp := 6
	if e.Type.Kind == types.Decimal {
		fsp = min(e.Type.Scale, 6)
	}
	return coerce(e, types.MakeDecimal(30, scale)), fsp
}

func resolveMakeTime(c *call) (*expr.Expr, error) {
	s, fsp := secondsDecimal(c.args[2], 9)
	c.args = []*expr.Expr{c.env.fit(c.args[0], 'i'), c.env.fit(c.args[1], 'i'), s}
	return c.result(types.Type{Kind: types.Time, Scale: fsp}), nil
}

func makeTimeRow(f *Frame, i int) {
	h, m := f.Args[0].Int(i), f.Args[1].Int(i)
	seconds := f.Args[2]
	scale := seconds.Type.Scale
	ns, ok := decimal.RescaleNarrow(narrowOf(seconds, i), scale, 9)
	if !ok || m < 0 || m > 59 || ns < 0 || ns >= 60e9 {
		return
	}
	neg := h < 0 && !isUnsigned(f.Args[0].Type)
	us := types.MaxTime
	if n := max(h, -h); n >= 0 && n <= 838 {
		us = types.RoundFraction(n*types.Hour+m*types.Minute+(ns+500)/1000, f.Call.Type.Scale)
	} else if !f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect time value: '%s:%02d:%02d'",
		f.Args[0].AppendTextAt(nil, i, nil), m, ns/1e9) {
		return
	}
	if neg {
		us = -us
	}
	f.Out.AppendInt(us)
}

func resolveSecToTime(c *call) (*expr.Expr, error) {
	s, fsp := secondsDecimal(c.args[0], 6)
	c.args = []*expr.Expr{s}
	return c.result(types.Type{Kind: types.Time, Scale: fsp}), nil
}

func secToTimeRow(f *Frame, i int) {
	us, ok := decimal.RescaleNarrow(narrowOf(f.Args[0], i), f.Args[0].Type.Scale, 6)
	if !ok || us > types.MaxTime || us < -types.MaxTime {
		neg := f.Args[0].Dec(i).Neg()
		if us = types.MaxTime; neg {
			us = -us
		}
		if !f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect time value: '%s'", f.Args[0].AppendTextAt(nil, i, nil)) {
			return
		}
	}
	f.Out.AppendInt(types.RoundFraction(us, f.Call.Type.Scale))
}

// resolveUnixTimestamp: without argument, of now.
func resolveUnixTimestamp(c *call) (*expr.Expr, error) {
	if len(c.args) == 0 {
		e := c.result(types.MakeBigInt())
		e.Type.NotNull = true
		return e, nil
	}
	a := c.args[0]
	fsp := fractionDigits(a)
	if a.Type.IsTemporal() && a.Type.Kind != types.Timestamp {
		a = toDateTime(a)
	}
	c.args = []*expr.Expr{a}
	if fsp > 0 {
		return c.result(types.MakeDecimal(12+fsp, fsp)), nil
	}
	return c.result(types.MakeBigInt()), nil
}

func unixTimestampKernel(e *expr.Expr) Kernel {
	if len(e.Args) == 0 {
		return func(f *Frame) {
			out := f.Ints()
			for i := range out {
				out[i] = f.Now / types.Second
			}
		}
	}
	return strict(func(f *Frame, i int) {
		us, ok := f.instant(i)
		if !ok {
			return
		}
		if us < types.MinStamp || us > types.MaxUnix {
			us = 0
		}
		v, _ := decimal.RescaleNarrow(us-us%pow10(6-e.Type.Scale), 6, e.Type.Scale)
		f.Out.AppendInt(v)
	})
}

// instant is the first argument on the UTC clock: 0, with a warning, of what is no
// point of time; false: the row failed.
func (f *Frame) instant(i int) (us int64, ok bool) {
	a := f.Args[0]
	if a.Type.Kind == types.Timestamp {
		return a.Int(i), true
	}
	us, st := f.temporal(a, i, types.MakeDateTime(f.Call.Type.Scale))
	if st == wrong || st == noDate || st == over {
		return 0, f.Problem(i, sqlerr.TruncatedWrongValue, "Incorrect datetime value: '%s'", a.AppendTextAt(nil, i, f.Location))
	}
	us, _ = types.FromClock(us, f.Location)
	return us, f.readable(a, i, st, "datetime")
}

func pow10(n int) int64 { return decimal.NarrowPow10(n) }

// resolveFromUnix is FROM_UNIXTIME(n), or with a format DATE_FORMAT of it.
func resolveFromUnix(c *call) (*expr.Expr, error) {
	s, fsp := secondsDecimal(c.args[0], 6)
	e := expr.NewCall("from_unixtime", types.MakeDateTime(fsp), s)
	if len(c.args) == 2 {
		return Call(c.env, "date_format", e, c.args[1])
	}
	return e, nil
}

func fromUnixKernel(e *expr.Expr) Kernel {
	return strict(func(f *Frame, i int) {
		us, ok := decimal.RescaleNarrow(narrowOf(f.Args[0], i), f.Args[0].Type.Scale, 6)
		if !ok || us < 0 || us > types.MaxUnix {
			f.Out.AppendNull()
			return
		}
		f.Out.AppendInt(types.RoundFraction(types.ToClock(us, f.Location), e.Type.Scale))
	})
}

// convertZoneRow is CONVERT_TZ(x, from, to): NULL for a zone that is not known.
func convertZoneRow(f *Frame, i int) {
	from, ok1 := f.zone(string(f.Args[1].Str(i)))
	to, ok2 := f.zone(string(f.Args[2].Str(i)))
	if !ok1 || !ok2 {
		f.Out.AppendNull()
		return
	}
	us := f.Args[0].Int(i)
	utc, _ := types.FromClock(us, from)
	if utc < types.MinStamp || utc > types.MaxUnix { // MySQL leaves what it cannot convert
		f.Out.AppendInt(us)
		return
	}
	f.Out.AppendInt(types.ToClock(utc, to))
}

func (f *Frame) zone(name string) (*time.Location, bool) {
	switch {
	case strings.EqualFold(name, "system"):
		return f.Location, true
	case name == "":
		return nil, false
	}
	return types.Zone(name)
}
