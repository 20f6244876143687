package bind

import (
	"strings"

	"streamsql/sql/builtin"
)

// optionUnits are short names of units in the options of WITH.
var optionUnits = map[string]string{
	"us": "microsecond", "s": "second", "sec": "second", "m": "minute", "min": "minute", "mins": "minute", "h": "hour", "d": "day", "w": "week",
}

// optionDuration reads the value of an option such as '5 s', '500 ms' or '1.5
// seconds', in microseconds.
func optionDuration(s string) (us int64, ok bool) {
	s = strings.TrimSpace(s)
	n := strings.LastIndexAny(s, "0123456789") + 1
	value, unit := strings.TrimSpace(s[:n]), strings.ToLower(strings.TrimSpace(s[n:]))
	switch unit {
	case "ms", "millisecond", "milliseconds":
		us, _, ok = builtin.Duration(value, "microsecond")
		return 1000 * us, ok
	}
	if long, known := optionUnits[unit]; known {
		unit = long
	}
	us, _, ok = builtin.Duration(value, unit)
	return us, ok && value != ""
}
