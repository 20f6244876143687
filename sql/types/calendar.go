package types

// Microseconds in the units of the clock.
const (
	Second int64 = 1e6
	Minute       = 60 * Second
	Hour         = 60 * Minute
	Day          = 24 * Hour
)

// The ends of the temporal types, in microseconds.
const (
	MinDateTime = -62167219200 * Second            // 0000-01-01 00:00:00
	MaxDateTime = 253402300799*Second + Second - 1 // 9999-12-31 23:59:59.999999
	MaxTime     = 838*Hour + 59*Minute + 59*Second // 838:59:59, on either side of 0
	MinStamp    = 1 * Second                       // 1970-01-01 00:00:01 UTC
	MaxStamp    = 2147483647*Second + Second - 1   // 2038-01-19 03:14:07.999999 UTC
	MaxUnix     = 32536771199*Second + Second - 1  // 3001-01-18 23:59:59.999999 UTC: of FROM_UNIXTIME
)

// OnCalendar is the DATETIME nearest to us that can be shown. A window may begin
// or end beyond the calendar; its bounds stay what they are, or windows would not
// be told apart.
func OnCalendar(us int64) int64 { return min(max(us, MinDateTime), MaxDateTime) }

// DaysFromCivil counts the days from 1970-01-01 to a date of the proleptic
// Gregorian calendar. The month may be any, the day too: both carry over.
// (Howard Hinnant, "chrono-compatible low-level date algorithms".)
func DaysFromCivil(year, month, day int) int64 {
	month--
	y := int64(year + floorDiv(month, 12))
	m := int64(month - floorDiv(month, 12)*12 + 1)
	if m <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	doy := (153*((m+9)%12) + 2) / 5
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468 + int64(day-1)
}

// CivilFromDays is the date that is days after 1970-01-01.
func CivilFromDays(days int64) (year, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int((mp+2)%12) + 1
	year = int(yoe + era*400)
	if month <= 2 {
		year++
	}
	return year, month, day
}

// SplitDay cuts a point of time into the day since 1970-01-01 and the
// microseconds of that day, which are not negative.
func SplitDay(us int64) (days, rest int64) {
	days = floorDiv(us, Day)
	return days, us - days*Day
}

// DaysInMonth of a month from 1 to 12.
func DaysInMonth(year, month int) int {
	switch month {
	case 2:
		if IsLeap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// IsLeap reports a leap year.
func IsLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// RoundFraction rounds a point of time or a duration to fsp digits of a second,
// half away from zero.
func RoundFraction(us int64, fsp int) int64 {
	if fsp >= 6 {
		return us
	}
	unit := fractionUnit[fsp]
	r := us % unit
	us -= r
	switch {
	case 2*r >= unit:
		us += unit
	case -2*r > unit || -2*r == unit && us <= 0:
		us -= unit
	}
	return us
}

// TruncFraction cuts to fsp digits of a second, towards the past for points of
// time and towards zero for durations (both are what the digits say).
func TruncFraction(us int64, fsp int) int64 {
	if fsp >= 6 {
		return us
	}
	return us - us%fractionUnit[fsp]
}

var fractionUnit = [6]int64{1e6, 1e5, 1e4, 1e3, 1e2, 1e1}

type integer interface{ ~int | ~int64 }

// floorDiv is a ÷ b (b > 0), rounded down.
func floorDiv[T integer](a, b T) T {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
