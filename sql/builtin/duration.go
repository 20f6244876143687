package builtin

import (
	"strings"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
)

// Duration is INTERVAL value unit in microseconds; months: the unit has no fixed
// length; not ok: it is no interval, or too long for any date. The unit may
// stand in the plural, and only seconds have a fraction.
func Duration(value, name string) (us int64, months, ok bool) {
	u := unit(strings.ToLower(name))
	if _, known := simple[u]; !known {
		u = unit(strings.TrimSuffix(string(u), "s"))
	}
	one, known := simple[u]
	if !known {
		if _, known = composite[u]; !known {
			return 0, false, false
		}
		iv, ok := u.parse([]byte(value))
		return iv.us, u == "year_month", ok && strings.ContainsAny(value, "0123456789")
	}
	if one.months != 0 {
		return 0, true, false
	}
	neg := strings.HasPrefix(value, "-")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(value), "-"), ".")
	if u != "second" && fraction != "" || whole+fraction == "" || len(whole) > 12 && one.us > 1 || len(whole) > 18 || len(fraction) > 6 {
		return 0, false, false
	}
	n := int64(0)
	for _, c := range []byte(whole) {
		if c < '0' || c > '9' {
			return 0, false, false
		}
		n = n*10 + int64(c-'0')
	}
	us, ok = decimal.MulNarrow(n, one.us)
	scale := int64(types.Second)
	for _, c := range []byte(fraction) {
		if c < '0' || c > '9' {
			return 0, false, false
		}
		scale /= 10
		us += int64(c-'0') * scale
	}
	if neg {
		us = -us
	}
	return us, false, ok && us < types.MaxDateTime && us > -types.MaxDateTime
}
