package builtin

import (
	"streamsql/sql/decimal"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// timeNumber is a temporal value as the number that its digits make, and its
// microseconds; both without the sign of a negative TIME beyond the whole part.
func (f *Frame) timeNumber(t types.Type, us int64) (whole, micro int64) {
	if t.Kind == types.Time {
		sign := int64(1)
		if us < 0 {
			sign, us = -1, -us
		}
		return sign * clockNumber(us), us % types.Second
	}
	if t.Kind == types.Timestamp {
		us = types.ToClock(us, f.Location)
	}
	days, rest := types.SplitDay(us)
	y, m, d := types.CivilFromDays(days)
	date := int64(y)*10000 + int64(m)*100 + int64(d)
	if t.Kind == types.Date {
		return date, 0
	}
	return date*1000000 + clockNumber(rest), rest % types.Second
}

// clockNumber is hhmmss of a time of day.
func clockNumber(us int64) int64 {
	return us/types.Hour*10000 + us/types.Minute%60*100 + us/types.Second%60
}

// castTemporal is the cast to DATE, DATETIME, TIMESTAMP or TIME. What is no such
// value becomes NULL with a warning.
func castTemporal(from, to types.Type) Kernel {
	if from.Kind == to.Kind && from.Scale <= to.Scale || from.Kind == types.Date && to.Kind == types.DateTime {
		return passThrough
	}
	if (from.Kind == types.DateTime || from.Kind == types.Date) && to.Kind == types.Time && from.Scale <= to.Scale {
		return intOfInt(func(us int64) int64 {
			_, rest := types.SplitDay(us)
			return rest
		})
	}
	return strict(func(f *Frame, i int) {
		us, st := f.temporal(f.Args[0], i, to)
		if st == wrong || st == noDate || st == over && to.Kind != types.Time {
			f.NullOut(i)
			f.Problem(i, sqlerr.TruncatedWrongValue, "Incorrect %s value: '%s'", castTimeName(to), f.Args[0].AppendTextAt(nil, i, f.Location))
			return
		}
		if st != fine && !f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect %s value: '%s'", castTimeName(to), f.Args[0].AppendTextAt(nil, i, f.Location)) {
			return
		}
		f.Out.AppendInt(us)
	})
}

func castTimeName(t types.Type) string {
	if t.Kind == types.Time {
		return "time"
	}
	return "datetime"
}

// temporal is the value of row i as a value of type to: over says that it left
// the range, cut that something was left out.
func (f *Frame) temporal(a Operand, i int, to types.Type) (int64, status) {
	if to.Kind == types.Time {
		return f.clock(a, i, to.Scale)
	}
	us, st := f.point(a, i)
	if st == wrong || st == noDate {
		return 0, st
	}
	if to.Kind == types.Date {
		days, _ := types.SplitDay(us)
		return days * types.Day, st
	}
	if us = types.RoundFraction(us, to.Scale); us > types.MaxDateTime {
		return 0, over
	}
	if to.Kind == types.Timestamp {
		utc, ok := types.FromClock(us, f.Location)
		if utc < types.MinStamp || utc > types.MaxStamp {
			return 0, over
		}
		if !ok {
			return utc, cut
		}
		return utc, st
	}
	return us, st
}

// point is the value of row i as a point of time on the session's clock.
func (f *Frame) point(a Operand, i int) (int64, status) {
	t := a.Type
	var p types.Parsed
	switch {
	case t.Kind == types.Timestamp:
		return types.ToClock(a.Int(i), f.Location), fine
	case t.HasDate():
		return a.Int(i), fine
	case t.Kind == types.Time: // a time of today
		days, _ := types.SplitDay(types.ToClock(f.Now, f.Location))
		return days*types.Day + a.Int(i), fine
	case t.Kind == types.Year:
		return 0, wrong
	case t.Class() == types.ClassBytes, t.Kind == types.Enum:
		p = types.ParseDateTime(f.textAt(a, i))
		if p.OK && p.HasZone {
			p.US = types.ToClock(p.US, f.Location)
		}
	default:
		whole, micro, ok := f.wholeAndMicro(a, i)
		if !ok {
			return 0, wrong
		}
		p = types.DateTimeFromNumber(whole)
		p.US += micro
	}
	switch {
	case p.Zero || p.NoDay:
		return 0, noDate
	case !p.OK:
		return 0, wrong
	case p.Cut:
		return p.US, cut
	}
	return p.US, fine
}

// clock is the value of row i as a TIME.
func (f *Frame) clock(a Operand, i int, fsp int) (int64, status) {
	m, st := f.moment(a, i)
	if st == wrong {
		return 0, wrong
	}
	if m.dated {
		_, m.us = types.SplitDay(m.us)
	}
	us := types.RoundFraction(m.us, fsp)
	switch {
	case us > types.MaxTime:
		return types.MaxTime, over
	case us < -types.MaxTime:
		return -types.MaxTime, over
	case st == cut && (us == types.MaxTime || us == -types.MaxTime):
		return us, over
	}
	return us, st
}

// wholeAndMicro cuts a number into its whole part and microseconds, both with its sign,
// rounded to the sixth digit.
func (f *Frame) wholeAndMicro(a Operand, i int) (whole, micro int64, ok bool) {
	if a.Type.IsInteger() {
		return a.Int(i), 0, !isUnsigned(a.Type) || a.Int(i) >= 0
	}
	w, st := f.decimal(a, i, types.MakeDecimal(30, 6))
	if st == over {
		return 0, 0, false
	}
	million := decimal.FromInt64(1e6)
	seconds, ok := decimal.Quo(w, million, 0)
	if !ok {
		return 0, 0, false
	}
	micro, _ = decimal.Rem(w, million).Int64()
	whole, ok = seconds.Int64()
	return whole, micro, ok
}

// castYear is CAST AS YEAR.
func castYear(f *Frame, i int) {
	y, st := f.year(f.Args[0], i)
	if st == fine {
		f.Out.AppendInt(y)
		return
	}
	text := f.Args[0].AppendTextAt(nil, i, f.Location)
	if st == wrong {
		f.NullOut(i)
		f.Problem(i, sqlerr.WrongValue, "Incorrect YEAR value: '%s'", text)
		return
	}
	if ok := f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect YEAR value: '%s'", text); !ok {
		return
	}
	if st == over {
		f.NullOut(i)
	} else {
		f.Out.AppendInt(y) // of the digits that it begins with
	}
}

// numeralDigits is how many digits the whole number has that s begins with.
func numeralDigits(s []byte) (n int) {
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			n++
		case n > 0:
			return n
		}
	}
	return n
}

// year is the value of row i as a YEAR.
func (f *Frame) year(a Operand, i int) (int64, status) {
	t := a.Type
	digits := 0
	var n int64
	st := fine
	switch {
	case t.HasDate():
		us, _ := f.point(a, i)
		days, _ := types.SplitDay(us)
		y, _, _ := types.CivilFromDays(days)
		n, digits = int64(y), 4
	case t.Class() == types.ClassBytes:
		s := a.Str(i)
		n, st = textToInt(s, false)
		if digits = len(s); st == wrong {
			return 0, wrong
		}
		if st == cut {
			digits = numeralDigits(s)
		}
	default:
		n, st = f.integer(a, i, false)
	}
	y, ok := types.ParseYear(n, digits)
	if !ok {
		return 0, over
	}
	return y, st
}
