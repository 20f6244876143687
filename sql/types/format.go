package types

import (
	"math"
	"strconv"
)

// AppendDate appends YYYY-MM-DD, of what is beyond the calendar its first or last day.
func AppendDate(dst []byte, us int64) []byte {
	days, _ := SplitDay(OnCalendar(us))
	y, m, d := CivilFromDays(days)
	dst = append2(dst, y/100)
	dst = append2(dst, y%100)
	dst = append2(append(dst, '-'), m)
	return append2(append(dst, '-'), d)
}

// AppendDateTime appends YYYY-MM-DD hh:mm:ss with fsp digits of a second, of what
// is beyond the calendar its first or last moment.
func AppendDateTime(dst []byte, us int64, fsp int) []byte {
	days, rest := SplitDay(OnCalendar(us))
	dst = append(AppendDate(dst, days*Day), ' ')
	dst = append2(dst, int(rest/Hour))
	return appendMinutes(dst, rest, fsp)
}

// AppendTime appends [-]hh:mm:ss with fsp digits of a second; the hours may
// have three digits.
func AppendTime(dst []byte, us int64, fsp int) []byte {
	if us < 0 {
		dst = append(dst, '-')
		us = -us
	}
	if h := int(us / Hour); h < 100 {
		dst = append2(dst, h)
	} else {
		dst = strconv.AppendInt(dst, int64(h), 10)
	}
	return appendMinutes(dst, us, fsp)
}

// appendMinutes appends :mm:ss[.ffffff] of a time of day.
func appendMinutes(dst []byte, us int64, fsp int) []byte {
	dst = append2(append(dst, ':'), int(us/Minute%60))
	dst = append2(append(dst, ':'), int(us/Second%60))
	if fsp <= 0 {
		return dst
	}
	dst = append(dst, '.')
	frac := us % Second
	for unit := Second / 10; fsp > 0; fsp-- {
		dst = append(dst, byte('0'+frac/unit))
		frac %= unit
		unit /= 10
	}
	return dst
}

func append2(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// AppendYear appends a YEAR in four digits.
func AppendYear(dst []byte, year int64) []byte {
	return append2(append2(dst, int(year/100)), int(year%100))
}

// AppendDouble appends f as MySQL prints a DOUBLE: the fewest digits that read
// back as f, plain while the point lies within 15 digits, else with an exponent
// (`1e20`). With scale other than NotFixed, exactly scale digits after the point.
func AppendDouble(dst []byte, f float64, scale int) []byte {
	if scale < NotFixed {
		return appendFixed(dst, f, scale)
	}
	return appendShortest(dst, f, -1)
}

// AppendFloat appends f as MySQL prints a FLOAT: as a DOUBLE, of at most 6 digits.
func AppendFloat(dst []byte, f float64, scale int) []byte {
	if scale < NotFixed {
		return appendFixed(dst, f, scale)
	}
	return appendShortest(dst, f, 5)
}

func appendFixed(dst []byte, f float64, scale int) []byte {
	if f == 0 {
		f = 0 // no minus sign
	}
	return strconv.AppendFloat(dst, f, 'f', scale, 64)
}

func appendShortest(dst []byte, f float64, prec int) []byte {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		if math.Signbit(f) && f == 0 {
			dst = append(dst, '-')
		}
		return append(dst, '0')
	}
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'e', prec, 64)
	if s[0] == '-' {
		dst = append(dst, '-')
		s = s[1:]
	}
	e := len(s) - 1
	for s[e] != 'e' {
		e--
	}
	exp, _ := strconv.Atoi(string(s[e+1:]))
	digits := s[:1]
	if e > 2 {
		digits = append(digits, s[2:e]...)
	}
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return appendPlaced(dst, digits, exp+1)
}

// appendPlaced appends 0.digits · 10^point.
func appendPlaced(dst, digits []byte, point int) []byte {
	const most = 15 // digits of a double that are always exact
	switch {
	case point > most || point < -most+1:
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(append(dst, '.'), digits[1:]...)
		}
		return strconv.AppendInt(append(dst, 'e'), int64(point-1), 10)
	case point <= 0:
		dst = append(dst, '0', '.')
		for range -point {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	case point >= len(digits):
		dst = append(dst, digits...)
		for range point - len(digits) {
			dst = append(dst, '0')
		}
		return dst
	}
	dst = append(dst, digits[:point]...)
	dst = append(dst, '.')
	return append(dst, digits[point:]...)
}
