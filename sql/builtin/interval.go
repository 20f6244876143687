package builtin

import (
	"math"
	"strings"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// unit is an INTERVAL's unit in lower case.
type unit string

// interval is an amount of time: months, and microseconds beside them.
type interval struct{ months, us int64 }

// simple are the units that are one number: how much one of them is.
var simple = map[unit]interval{
	"microsecond": {us: 1}, "second": {us: types.Second}, "minute": {us: types.Minute}, "hour": {us: types.Hour},
	"day": {us: types.Day}, "week": {us: 7 * types.Day}, "month": {months: 1}, "quarter": {months: 3}, "year": {months: 12},
}

// composite are the units of several numbers: what each is, the last one last.
var composite = map[unit][]interval{
	"year_month":         {{months: 12}, {months: 1}},
	"day_hour":           {{us: types.Day}, {us: types.Hour}},
	"day_minute":         {{us: types.Day}, {us: types.Hour}, {us: types.Minute}},
	"day_second":         {{us: types.Day}, {us: types.Hour}, {us: types.Minute}, {us: types.Second}},
	"day_microsecond":    {{us: types.Day}, {us: types.Hour}, {us: types.Minute}, {us: types.Second}, {us: 1}},
	"hour_minute":        {{us: types.Hour}, {us: types.Minute}},
	"hour_second":        {{us: types.Hour}, {us: types.Minute}, {us: types.Second}},
	"hour_microsecond":   {{us: types.Hour}, {us: types.Minute}, {us: types.Second}, {us: 1}},
	"minute_second":      {{us: types.Minute}, {us: types.Second}},
	"minute_microsecond": {{us: types.Minute}, {us: types.Second}, {us: 1}},
	"second_microsecond": {{us: types.Second}, {us: 1}},
}

// unitOf reads the constant that names a unit.
func unitOf(e *expr.Expr) (unit, error) {
	if e.Op == expr.OpConst && !e.Value.Null {
		u := unit(strings.TrimPrefix(strings.ToLower(string(e.Value.S)), "sql_tsi_"))
		if _, ok := simple[u]; ok {
			return u, nil
		}
		if _, ok := composite[u]; ok {
			return u, nil
		}
	}
	return "", sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to INTERVAL")
}

// clockOnly reports a unit without days or more.
func (u unit) clockOnly() bool {
	switch u {
	case "hour", "minute", "second", "microsecond":
		return true
	}
	return strings.HasPrefix(string(u), "hour_") || strings.HasPrefix(string(u), "minute_") || strings.HasPrefix(string(u), "second_")
}

// dateOnly reports a unit of whole days or more.
func (u unit) dateOnly() bool {
	switch u {
	case "day", "week", "month", "quarter", "year", "year_month":
		return true
	}
	return false
}

// fsp is how many digits of a second the unit adds, of a number with that scale.
func (u unit) fsp(scale int) int {
	switch {
	case u == "second":
		return min(scale, 6)
	case strings.HasSuffix(string(u), "microsecond"):
		return 6
	}
	return 0
}

// amount is the interval of row i; not ok if it is too large for any date.
func (u unit) amount(n Operand, i int) (interval, bool) {
	const most = 1e15
	if one, ok := simple[u]; ok {
		if u == "second" {
			v, ok := decimal.RescaleNarrow(narrowOf(n, i), n.Type.Scale, 6)
			return interval{us: v}, ok
		}
		v := n.Int(i)
		if isUnsigned(n.Type) && v < 0 || v > most || v < -most {
			return interval{us: v}, u == "microsecond" && !isUnsigned(n.Type) && v != math.MinInt64
		}
		us, ok := decimal.MulNarrow(v, one.us)
		return interval{months: v * one.months, us: us}, ok
	}
	return u.parse(n.Str(i))
}

func narrowOf(n Operand, i int) int64 {
	v, ok := n.Dec(i).Int64()
	if !ok {
		return math.MaxInt64
	}
	return v
}

// parse reads the numbers of a composite unit; if there are fewer, the first
// ones are missing. The digits of a last microsecond are a fraction.
func (u unit) parse(s []byte) (interval, bool) {
	parts := composite[u]
	var nums []int64
	fraction := 0
	neg := false
	for k := 0; k < len(s); {
		if s[k] < '0' || s[k] > '9' {
			if s[k] == '-' && len(nums) == 0 {
				neg = true
			}
			k++
			continue
		}
		n, start := int64(0), k
		for ; k < len(s) && s[k] >= '0' && s[k] <= '9'; k++ {
			n = min(n*10+int64(s[k]-'0'), 1e12)
		}
		nums = append(nums, n)
		fraction = k - start
	}
	if len(nums) > len(parts) || len(nums) == 0 {
		return interval{}, len(nums) == 0
	}
	if parts[len(parts)-1].us == 1 {
		for ; fraction < 6; fraction++ {
			nums[len(nums)-1] *= 10
		}
	}
	var iv interval
	for k, n := range nums {
		p := parts[len(parts)-len(nums)+k]
		us, ok := decimal.MulNarrow(n, p.us)
		if !ok {
			return interval{}, false
		}
		iv.months += n * p.months
		iv.us += us
	}
	if neg {
		iv.months, iv.us = -iv.months, -iv.us
	}
	return iv, true
}

// firstSum is the earliest day that an interval of days, or of the clock, leads to:
// before it MySQL gives the date 0000-00-00.
const firstSum = types.MinDateTime + 366*types.Day

// addTo moves a point of time; a day that the month does not have becomes its last.
func (iv interval) addTo(us int64, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	if iv.months != 0 {
		if iv.months > 12*10000 || iv.months < -12*10000 {
			return 0, false
		}
		d := civilOf(us)
		_, rest := types.SplitDay(us)
		m := d.year*12 + d.month - 1 + int(iv.months)
		if m < 0 || m >= 10000*12 {
			return 0, false
		}
		y, month := m/12, m%12+1
		us = types.DaysFromCivil(y, month, min(d.day, types.DaysInMonth(y, month)))*types.Day + rest
	}
	if iv.us == 0 {
		return us, true
	}
	us, ok = decimal.AddNarrow(us, iv.us)
	return us, ok && us >= firstSum && us <= types.MaxDateTime
}
