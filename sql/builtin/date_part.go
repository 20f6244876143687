package builtin

import (
	"math"

	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	part := func(names string, flags flag, part func(d civil) int64) {
		define(names, "t", flags, returns(types.Type{Kind: types.Int}), civilInt(part))
	}
	define("year", "t", 0, returns(types.Type{Kind: types.Year}), civilInt(func(d civil) int64 { return int64(d.year) }))
	part("month", 0, func(d civil) int64 { return int64(d.month) })
	part("day,dayofmonth", 0, func(d civil) int64 { return int64(d.day) })
	part("quarter", 0, func(d civil) int64 { return int64(d.month+2) / 3 })
	part("dayofweek", 0, func(d civil) int64 { return int64(d.weekday()+1)%7 + 1 })
	part("weekday", 0, func(d civil) int64 { return int64(d.weekday()) })
	part("dayofyear", 0, func(d civil) int64 { return d.yearDay() })
	part("weekofyear", 0, func(d civil) int64 { w, _ := d.week(3); return int64(w) })
	part("to_days", 0, func(d civil) int64 { return d.days + daysToEpoch })
	define("to_seconds", "t", 0, returns(types.MakeBigInt()), strict(func(f *Frame, i int) {
		us := f.Args[0].Int(i)
		days, rest := types.SplitDay(us)
		f.Out.AppendInt((days+daysToEpoch)*86400 + rest/types.Second)
	}))
	week := func(name string, bits int, number func(week, year int) int) {
		define(name, "t?i", 0, returns(types.Type{Kind: types.Int}), each(func(f *Frame, i int) {
			if f.Args[0].NullAt(i) {
				return
			}
			mode := 0 // of a mode that is NULL, too
			if len(f.Args) > 1 && !f.Args[1].NullAt(i) {
				mode = int(f.Args[1].Int(i) & 7)
			}
			f.Out.AppendInt(int64(number(civilOf(f.Args[0].Int(i)).week(mode | bits))))
		}))
	}
	week("week", 0, func(week, _ int) int { return week })
	week("yearweek", weekOfItsYear, func(week, year int) int { return year*100 + week })
	clock := func(name string, part func(us int64) int64) {
		define(name, "T", 0, returns(types.Type{Kind: types.Int}), intOfInt(func(us int64) int64 { return part(max(us, -us)) }))
	}
	clock("hour", func(us int64) int64 { return us / types.Hour })
	clock("minute", func(us int64) int64 { return us / types.Minute % 60 })
	clock("second", func(us int64) int64 { return us / types.Second % 60 })
	clock("microsecond", func(us int64) int64 { return us % types.Second })
	define("dayname", "t", 0, returns(types.MakeVarChar(9)), strict(func(f *Frame, i int) {
		f.Out.AppendString(dayNames[civilOf(f.Args[0].Int(i)).weekday()])
	}))
	define("monthname", "t", 0, returns(types.MakeVarChar(9)), strict(func(f *Frame, i int) {
		f.Out.AppendString(monthNames[civilOf(f.Args[0].Int(i)).month-1])
	}))
	register(function{min: 2, max: 2, flags: contextual, resolve: resolveExtract, kernel: extractKernel}, "extract")
}

var dayNames = [7]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

var monthNames = [12]string{
	"January", "February", "March", "April", "May", "June",
	"July", "August", "September", "October", "November", "December",
}

// daysToEpoch is TO_DAYS('1970-01-01').
const daysToEpoch = 719528

// civil is a date taken apart.
type civil struct {
	year, month, day int
	days             int64 // since 1970-01-01
}

func civilOf(us int64) civil {
	days, _ := types.SplitDay(types.OnCalendar(us))
	y, m, d := types.CivilFromDays(days)
	return civil{year: y, month: m, day: d, days: days}
}

// weekday is 0 for Monday.
func (d civil) weekday() int { return int(((d.days+3)%7 + 7) % 7) }

// yearDay is 1 for January 1st.
func (d civil) yearDay() int64 { return d.days - types.DaysFromCivil(d.year, 1, 1) + 1 }

// weekOfItsYear in a mode: a day of week 0 belongs to the last week of the year before.
const weekOfItsYear = 2

// week is the number of the week in one of MySQL's modes 0 to 7, and its year.
// Bit 0: weeks start on Monday; bit 1: weeks count from 1; bit 2 (inverted with
// bit 0): the first week is the one with the year's first Sunday (Monday).
func (d civil) week(mode int) (week, year int) {
	monday := mode&1 != 0
	ofItsYear := mode&weekOfItsYear != 0
	firstWeekday := mode&4 != 0
	if !monday {
		firstWeekday = !firstWeekday
	}
	year = d.year
	first := civil{days: types.DaysFromCivil(year, 1, 1)}
	start := func(c civil) int { // day of the week of c, from the first day of a week
		if monday {
			return c.weekday()
		}
		return (c.weekday() + 1) % 7
	}
	w := start(first)
	if d.month == 1 && d.day <= 7-w && (firstWeekday && w != 0 || !firstWeekday && w >= 4) {
		if !ofItsYear {
			return 0, year
		}
		year--
		first = civil{days: types.DaysFromCivil(year, 1, 1)}
		w = start(first)
	}
	n := d.days - first.days
	if firstWeekday && w != 0 || !firstWeekday && w >= 4 {
		n -= int64(7 - w)
	} else {
		n += int64(w)
	}
	if ofItsYear && n >= 52*7 {
		next := civil{days: types.DaysFromCivil(year+1, 1, 1)}
		if w = start(next); d.days >= next.days-int64(w) && (!firstWeekday && w < 4 || firstWeekday && w == 0) {
			return 1, year + 1
		}
	}
	return int(n/7) + 1, year
}

// civilInt is the kernel of a number that depends on the date alone. Rows of one
// day mostly follow each other: the date is taken apart once for them.
func civilInt(part func(d civil) int64) Kernel {
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		out := f.Ints()
		last, value := int64(math.MinInt64), int64(0)
		for i := range out {
			us := f.Args[0].Int(i)
			if days, _ := types.SplitDay(us); days != last {
				last, value = days, part(civilOf(us))
			}
			out[i] = value
		}
	}
}

// intOfInt is the kernel of an int64 made of one int64.
func intOfInt(fn func(int64) int64) Kernel {
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		a, out := f.Args[0], f.Ints()
		for i := range out {
			out[i] = fn(a.I[i&a.mask])
		}
	}
}

// resolveExtract is EXTRACT(unit FROM x), with the unit first. Units of the clock
// alone are read of a TIME, unless x has a date; those of days and the clock of
// whichever of both x is.
func resolveExtract(c *call) (*expr.Expr, error) {
	u, err := unitOf(c.args[0])
	if err != nil {
		return nil, err
	}
	x := c.args[1]
	switch {
	case x.Type.HasDate() || u.dateOnly():
		x = toDateTime(x)
	case u.clockOnly():
		x = toTime(x)
	}
	c.args = []*expr.Expr{c.args[0], x}
	return c.result(types.MakeBigInt()), nil
}

func extractKernel(e *expr.Expr) Kernel {
	u, err := unitOf(e.Args[0])
	if err != nil {
		return nil
	}
	return strict(func(f *Frame, i int) {
		m, ok := f.momentAt(i, 1)
		switch {
		case !ok:
		case m.dated:
			f.Out.AppendInt(u.extract(m.us))
		case m.us < 0:
			f.Out.AppendInt(-u.extractClock(0, -m.us))
		default:
			f.Out.AppendInt(u.extractClock(0, m.us))
		}
	})
}

// extract is a unit of a point of time.
func (u unit) extract(us int64) int64 {
	d := civilOf(us)
	switch u {
	case "year":
		return int64(d.year)
	case "quarter":
		return int64(d.month+2) / 3
	case "month":
		return int64(d.month)
	case "week":
		w, _ := d.week(0)
		return int64(w)
	case "year_month":
		return int64(d.year)*100 + int64(d.month)
	}
	_, rest := types.SplitDay(us)
	return u.extractClock(int64(d.day), rest)
}

// extractClock is a unit of a time of day, and of the day of the month before it.
func (u unit) extractClock(day, us int64) int64 {
	h, m, s, micro := us/types.Hour, us/types.Minute%60, us/types.Second%60, us%types.Second
	switch u {
	case "day":
		return day
	case "day_hour":
		return day*100 + h
	case "day_minute":
		return (day*100+h)*100 + m
	case "day_second":
		return ((day*100+h)*100+m)*100 + s
	case "day_microsecond":
		return (((day*100+h)*100+m)*100+s)*1e6 + micro
	case "hour":
		return h
	case "hour_minute":
		return h*100 + m
	case "hour_second":
		return (h*100+m)*100 + s
	case "hour_microsecond":
		return ((h*100+m)*100+s)*1e6 + micro
	case "minute":
		return m
	case "minute_second":
		return m*100 + s
	case "minute_microsecond":
		return (m*100+s)*1e6 + micro
	case "second":
		return s
	case "second_microsecond":
		return s*1e6 + micro
	}
	return micro
}
