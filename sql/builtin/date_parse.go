package builtin

import (
	"bytes"
	"strings"

	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 2, max: 2, resolve: resolveStrToDate, kernel: strToDateKernel}, "str_to_date")
}

// resolveStrToDate: a constant format says whether the result is a DATE, a TIME
// or a DATETIME; without one it is DATETIME(6).
func resolveStrToDate(c *call) (*expr.Expr, error) {
	c.args = []*expr.Expr{c.env.toText(c.args[0]), c.env.toText(c.args[1])}
	t := types.MakeDateTime(6)
	if format := c.args[1]; format.Op == expr.OpConst && !format.Value.Null {
		t = formatType(string(format.Value.S))
	}
	return c.result(t), nil
}

func formatType(format string) types.Type {
	var date, clock, micro bool
	for k := 0; k+1 < len(format); k++ {
		if format[k] != '%' {
			continue
		}
		k++
		switch {
		case format[k] == 'f':
			clock, micro = true, true
		case strings.IndexByte("HkhIlisSprT", format[k]) >= 0:
			clock = true
		case strings.IndexByte("YymcdeDMbjUuVvXxWaw", format[k]) >= 0:
			date = true
		}
	}
	fsp := 0
	if micro {
		fsp = 6
	}
	switch {
	case date && !clock:
		return types.Type{Kind: types.Date}
	case clock && !date:
		return types.Type{Kind: types.Time, Scale: fsp}
	}
	return types.MakeDateTime(fsp)
}

func strToDateKernel(e *expr.Expr) Kernel {
	return strict(func(f *Frame, i int) {
		p := timeReader{s: f.Args[0].Str(i), half: -1, weekday: -1, week: -1}
		us, ok := int64(0), p.read(f.Args[1].Str(i))
		if ok {
			us, ok = p.value(e.Type.Kind)
		}
		if !ok {
			f.NullOut(i)
			f.Problem(i, 1411, "Incorrect %s value: '%s' for function str_to_date", castTimeName(e.Type), f.Args[0].Str(i))
			return
		}
		f.Out.AppendInt(us)
	})
}

// timeReader reads a text by a format of STR_TO_DATE.
type timeReader struct {
	s                []byte
	year, month, day int
	hour, min, sec   int
	micro            int64
	half             int // 0 AM, 1 PM, −1 not said
	yearDay, weekday int
	week, weekMode   int
	hour12           bool
}

func (p *timeReader) read(format []byte) bool {
	for k := 0; k < len(format); k++ {
		c := format[k]
		if isSpace(c) {
			p.spaces()
			continue
		}
		if c != '%' || k+1 == len(format) {
			p.spaces()
			if len(p.s) == 0 || p.s[0] != c {
				return false
			}
			p.s = p.s[1:]
			continue
		}
		k++
		p.spaces()
		if len(p.s) == 0 {
			return true // MySQL: what the text does not reach stays zero
		}
		if !p.field(format[k]) {
			return false
		}
	}
	return true
}

func (p *timeReader) spaces() {
	for len(p.s) > 0 && isSpace(p.s[0]) {
		p.s = p.s[1:]
	}
}

// number reads up to width digits.
func (p *timeReader) number(width int, into *int) bool {
	n, k := 0, 0
	for k < width && k < len(p.s) && p.s[k] >= '0' && p.s[k] <= '9' {
		n = n*10 + int(p.s[k]-'0')
		k++
	}
	p.s = p.s[k:]
	*into = n
	return k > 0
}

// name reads one of names, whole or by its first three letters.
func (p *timeReader) name(names []string, short bool, into *int) bool {
	for n, name := range names {
		if short {
			name = name[:3]
		}
		if len(p.s) >= len(name) && strings.EqualFold(string(p.s[:len(name)]), name) {
			p.s = p.s[len(name):]
			*into = n
			return true
		}
	}
	return false
}

func (p *timeReader) field(c byte) bool {
	switch c {
	case 'Y':
		before := len(p.s)
		ok := p.number(4, &p.year)
		if before-len(p.s) == 2 {
			p.year = century(p.year)
		}
		return ok
	case 'y':
		ok := p.number(2, &p.year)
		p.year = century(p.year)
		return ok
	case 'm', 'c':
		return p.number(2, &p.month)
	case 'd', 'e':
		return p.number(2, &p.day)
	case 'D':
		if !p.number(2, &p.day) || len(p.s) < 2 {
			return false
		}
		p.s = p.s[2:]
		return true
	case 'M', 'b':
		ok := p.name(monthNames[:], c == 'b', &p.month)
		p.month++
		return ok
	case 'j':
		return p.number(3, &p.yearDay)
	case 'W', 'a':
		return p.name(dayNames[:], c == 'a', &p.weekday)
	case 'w':
		ok := p.number(1, &p.weekday)
		p.weekday = (p.weekday + 6) % 7
		return ok && p.weekday < 7
	case 'U', 'u', 'V', 'v':
		p.weekMode = weekModes[c]
		return p.number(2, &p.week) && p.week <= 53
	case 'X', 'x':
		p.weekMode = weekModes[c]
		return p.number(4, &p.year)
	}
	return p.clockField(c)
}

func century(y int) int {
	if y < 70 {
		return y + 2000
	}
	return y + 1900
}

func (p *timeReader) clockField(c byte) bool {
	switch c {
	case 'H', 'k':
		return p.number(2, &p.hour)
	case 'h', 'I', 'l':
		p.hour12 = true
		return p.number(2, &p.hour)
	case 'i':
		return p.number(2, &p.min)
	case 's', 'S':
		return p.number(2, &p.sec)
	case 'f':
		n, k := 0, len(p.s)
		if !p.number(6, &n) {
			return false
		}
		p.micro = int64(n) * pow10(6-(k-len(p.s)))
		return true
	case 'p':
		return p.name([]string{"AM", "PM"}, false, &p.half)
	case 'r':
		p.hour12 = true
		return p.read([]byte("%h:%i:%s %p"))
	case 'T':
		return p.read([]byte("%H:%i:%s"))
	case '%':
		ok := bytes.HasPrefix(p.s, []byte("%"))
		if ok {
			p.s = p.s[1:]
		}
		return ok
	}
	return false
}

// value checks the fields and makes a value of the kind.
func (p *timeReader) value(kind types.Kind) (int64, bool) {
	if p.hour12 || p.half >= 0 {
		if p.hour < 1 || p.hour > 12 {
			return 0, false
		}
		if p.hour %= 12; p.half == 1 {
			p.hour += 12
		}
	}
	if p.hour > 23 || p.min > 59 || p.sec > 59 {
		return 0, false
	}
	clock := int64(p.hour)*types.Hour + int64(p.min)*types.Minute + int64(p.sec)*types.Second + p.micro
	if kind == types.Time {
		return clock, true
	}
	days, ok := p.date()
	if kind == types.Date {
		clock = 0
	}
	return days*types.Day + clock, ok
}

func (p *timeReader) date() (int64, bool) {
	switch {
	case p.yearDay > 0 && p.year > 0:
		return types.DaysFromCivil(p.year, 1, 1) + int64(p.yearDay) - 1, true
	case p.week >= 0 && p.weekday >= 0:
		return p.dateOfWeek()
	}
	if p.month < 1 || p.month > 12 || p.day < 1 || p.day > types.DaysInMonth(p.year, p.month) {
		return 0, false
	}
	return types.DaysFromCivil(p.year, p.month, p.day), true
}

// dateOfWeek is the weekday in the week of the year.
func (p *timeReader) dateOfWeek() (int64, bool) {
	monday := p.weekMode&1 != 0
	first := civil{days: types.DaysFromCivil(p.year, 1, 1)}
	day := p.weekday
	start := first.weekday()
	if !monday {
		day, start = (day+1)%7, (start+1)%7
	}
	// The first day of the week that counts as week 1.
	days := first.days - int64(start)
	firstWeekday := !monday
	if firstWeekday && start != 0 || !firstWeekday && start >= 4 {
		days += 7
	}
	return days + int64(p.week-1)*7 + int64(day), true
}
