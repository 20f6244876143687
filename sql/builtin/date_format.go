package builtin

import (
	"strconv"

	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	define("date_format", "ts", 0, formatResult, formatDates)
	define("time_format", "Ts", 0, formatResult, strict(func(f *Frame, i int) {
		f.formatTime(f.Args[0].Int(i), f.Args[1].Str(i), true)
	}))
}

func formatResult(c *call) types.Type {
	n := 100
	if c.args[1].Op == expr.OpConst {
		n = 10 * textLen(c.args[1].Type)
	}
	t := types.MakeVarChar(n)
	t.Collation = c.env.Collation
	return t
}

// formatDates is DATE_FORMAT. Rows of a stream are often of the same day, hour or
// minute as the one before, which then has the text already.
func formatDates(f *Frame) {
	grain := int64(0) // 0: the format may change from row to row
	if f.N > 1 && f.Args[1].IsConst() && !f.Args[1].NullAt(0) {
		grain = formatGrain(f.Args[1].Str(0))
	}
	begin, from, to := int64(0), 0, 0 // the last text is at from … to, and of the times from begin on
	strict(func(f *Frame, i int) {
		us := f.Args[0].Int(i)
		if to > from && us >= begin && us < begin+grain {
			f.Out.Buf = append(f.Out.Buf, f.Out.Buf[from:to]...)
			f.endText()
			return
		}
		from = len(f.Out.Buf)
		f.formatTime(us, f.Args[1].Str(i), false)
		if to = len(f.Out.Buf); grain > 0 {
			begin = us - (us%grain+grain)%grain
		}
	})(f)
}

// formatGrain is how long, in microseconds, a text of the format stays the same.
func formatGrain(format []byte) int64 {
	grain := int64(types.Day)
	for k := 0; k+1 < len(format); k++ {
		if format[k] != '%' {
			continue
		}
		k++
		switch format[k] {
		case 'H', 'k', 'h', 'I', 'l', 'p':
			grain = min(grain, types.Hour)
		case 'i':
			grain = min(grain, types.Minute)
		case 's', 'S', 'r', 'T':
			grain = min(grain, types.Second)
		case 'f':
			return 1
		}
	}
	return grain
}

// formatTime appends us in a format of DATE_FORMAT. A TIME has no date: what asks
// for one is 0 or makes the result NULL.
func (f *Frame) formatTime(us int64, format []byte, isTime bool) {
	start := len(f.Out.Buf)
	if len(format) == 0 {
		f.Out.AppendNull()
		return
	}
	w := timeWriter{buf: f.Out.Buf, isTime: isTime}
	if isTime {
		if us < 0 {
			w.buf = append(w.buf, '-')
			us = -us
		}
		w.rest = us
	} else {
		w.civil = civilOf(us)
		_, w.rest = types.SplitDay(us)
	}
	for k := 0; k < len(format); k++ {
		c := format[k]
		if c != '%' || k+1 == len(format) {
			w.buf = append(w.buf, c)
			continue
		}
		k++
		if !w.write(format[k]) {
			f.Out.Buf = w.buf[:start]
			f.Out.AppendNull()
			return
		}
	}
	f.Out.Buf = w.buf
	f.endText()
}

// timeWriter appends the parts of a point of time.
type timeWriter struct {
	buf    []byte
	civil  civil
	rest   int64 // microseconds of the day
	isTime bool
}

func (w *timeWriter) number(n int64, width int) {
	for ; width > 1 && n < pow10(width-1); width-- {
		w.buf = append(w.buf, '0')
	}
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

// write appends what a letter after % stands for; false if it has no value.
func (w *timeWriter) write(c byte) bool {
	hour, minute, second := w.rest/types.Hour, w.rest/types.Minute%60, w.rest/types.Second%60
	switch c {
	case 'H':
		w.number(hour, 2)
	case 'k':
		w.number(hour, 1)
	case 'h', 'I':
		w.number((hour+11)%12+1, 2)
	case 'l':
		w.number((hour+11)%12+1, 1)
	case 'i':
		w.number(minute, 2)
	case 's', 'S':
		w.number(second, 2)
	case 'f':
		w.number(w.rest%types.Second, 6)
	case 'p':
		w.buf = append(w.buf, noon(hour)...)
	case 'r':
		w.number((hour+11)%12+1, 2)
		w.minutes(minute, second)
		w.buf = append(append(w.buf, ' '), noon(hour)...)
	case 'T':
		w.number(hour, 2)
		w.minutes(minute, second)
	default:
		return w.writeDate(c)
	}
	return true
}

func (w *timeWriter) minutes(minute, second int64) {
	w.buf = append(w.buf, ':')
	w.number(minute, 2)
	w.buf = append(w.buf, ':')
	w.number(second, 2)
}

func noon(hour int64) string {
	if hour%24 < 12 {
		return "AM"
	}
	return "PM"
}

func (w *timeWriter) writeDate(c byte) bool {
	d := w.civil
	switch c {
	case 'Y':
		w.number(int64(d.year), 4)
	case 'y':
		w.number(int64(d.year%100), 2)
	case 'm':
		w.number(int64(d.month), 2)
	case 'c':
		w.number(int64(d.month), 1)
	case 'd':
		w.number(int64(d.day), 2)
	case 'e':
		w.number(int64(d.day), 1)
	case 'M', 'b', 'W', 'a', 'j', 'U', 'u', 'V', 'v', 'X', 'x', 'w', 'D':
		if w.isTime {
			return false
		}
		w.writeNamed(c)
	default:
		w.buf = append(w.buf, c)
	}
	return true
}

// weekModes are the modes of WEEK behind the letters for weeks and their years.
var weekModes = map[byte]int{'U': 0, 'u': 1, 'V': 2, 'v': 3, 'X': 2, 'x': 3}

func (w *timeWriter) writeNamed(c byte) {
	d := w.civil
	switch c {
	case 'M':
		w.buf = append(w.buf, monthNames[d.month-1]...)
	case 'b':
		w.buf = append(w.buf, monthNames[d.month-1][:3]...)
	case 'W':
		w.buf = append(w.buf, dayNames[d.weekday()]...)
	case 'a':
		w.buf = append(w.buf, dayNames[d.weekday()][:3]...)
	case 'j':
		w.number(d.yearDay(), 3)
	case 'w':
		w.number(int64(d.weekday()+1)%7, 1)
	case 'U', 'u', 'V', 'v':
		n, _ := d.week(weekModes[c])
		w.number(int64(n), 2)
	case 'X', 'x':
		_, year := d.week(weekModes[c])
		w.number(int64(year), 4)
	case 'D':
		w.number(int64(d.day), 1)
		w.buf = append(w.buf, ordinal(d.day)...)
	}
}

func ordinal(day int) string {
	if day >= 10 && day <= 19 {
		return "th"
	}
	switch day % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}
