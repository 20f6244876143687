package builtin

import (
	"slices"
	"strings"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
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
	if format := foldTree(c.args[1]); format.Op == expr.OpConst && !format.Value.Null {
		t = formatType(string(format.Value.S))
	}
	return c.result(t), nil
}

// formatType is the type of what a format describes. The day of the month belongs
// to dates and to times.
func formatType(format string) types.Type {
	var date, clock bool
	fsp := 0
	for k := 0; k+1 < len(format); k++ {
		if format[k] != '%' {
			continue
		}
		k++
		switch c := format[k]; {
		case c == 'f':
			clock, fsp = true, 6
		case strings.IndexByte("HISThiklrs", c) >= 0:
			clock = true
		case strings.IndexByte("MVUXYWabcjmvuxyw", c) >= 0:
			date = true
		}
	}
	switch {
	case clock && date:
		return types.MakeDateTime(fsp)
	case clock:
		return types.Type{Kind: types.Time, Scale: fsp}
	}
	return types.Type{Kind: types.Date}
}

func strToDateKernel(e *expr.Expr) Kernel {
	return strict(func(f *Frame, i int) {
		s := f.Args[0].Str(i)
		p := timeReader{s: s, half: -1, weekday: -1, week: -1, weekYear: -1}
		us, ok := int64(0), p.read(f.Args[1].Str(i))
		if ok {
			us, ok = p.value(e.Type.Kind)
		}
		if !ok {
			f.NullOut(i)
			f.Problem(i, 1411, "Incorrect datetime value: '%s' for function str_to_date", s)
			return
		}
		kind := castTimeName(e.Type)
		if e.Type.Kind == types.Date {
			kind = "date"
		}
		if p.spaces(); len(p.s) > 0 && !f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect %s value: '%s'", kind, s) {
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
	weekYear         int // −1: not said
	yearMode         int // the mode of its letter
	hour12           bool
}

// read reads until the format or the text ends: what the text does not reach stays
// zero.
func (p *timeReader) read(format []byte) bool {
	for k := 0; k < len(format); k++ {
		p.spaces()
		c := format[k]
		switch {
		case len(p.s) == 0:
			return true
		case c == '%' && k+1 < len(format):
			if k++; !p.field(format[k]) {
				return false
			}
		case isSpace(c):
		case p.s[0] != c:
			return false
		default:
			p.s = p.s[1:]
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

// name reads a word that is one of names, or the beginning of only one.
func (p *timeReader) name(names []string, short bool, into *int) bool {
	word := p.while(isLetter)
	found := 0
	for n, name := range names {
		if short {
			name = name[:3]
		}
		if len(word) > len(name) || !strings.EqualFold(string(word), name[:len(word)]) {
			continue
		}
		*into = n
		if found++; len(word) == len(name) {
			return true
		}
	}
	return found == 1
}

// while reads bytes of a class.
func (p *timeReader) while(class func(byte) bool) []byte {
	k := 0
	for k < len(p.s) && class(p.s[k]) {
		k++
	}
	word := p.s[:k]
	p.s = p.s[k:]
	return word
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isPunct(c byte) bool  { return c > ' ' && c < 0x7f && !isDigit(c) && !isLetter(c) }

func (p *timeReader) field(c byte) bool {
	switch c {
	case 'Y':
		before := len(p.s)
		ok := p.number(4, &p.year)
		if before-len(p.s) <= 2 {
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
		ok := p.number(2, &p.day)
		p.s = p.s[min(2, len(p.s)):] // st, nd, rd, th
		return ok
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
		ok := p.number(2, &p.week)
		return ok && p.week <= 53 && (p.week > 0 || p.weekMode&weekOfItsYear == 0)
	case 'X', 'x':
		p.yearMode = weekModes[c]
		return p.number(4, &p.weekYear)
	case '.':
		p.while(isPunct)
		return true
	case '@':
		p.while(isLetter)
		return true
	case '#':
		p.while(isDigit)
		return true
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
		if !p.hour12 || len(p.s) < 2 {
			return false
		}
		p.half = slices.IndexFunc([]string{"AM", "PM"}, func(s string) bool { return strings.EqualFold(s, string(p.s[:2])) })
		p.s = p.s[2:]
		return p.half >= 0
	case 'r':
		return p.read([]byte("%I:%i:%S %p"))
	case 'T':
		return p.read([]byte("%H:%i:%S"))
	}
	return false
}

// value checks the fields and makes a value of the kind.
func (p *timeReader) value(kind types.Kind) (int64, bool) {
	if p.hour12 {
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
		return int64(p.day)*types.Day + clock, p.day <= 31
	}
	days, ok := p.date()
	if kind == types.Date {
		clock = 0
	}
	return days*types.Day + clock, ok
}

func (p *timeReader) date() (int64, bool) {
	switch {
	case p.week >= 0 && p.weekday >= 0:
		return p.dateOfWeek()
	case p.yearDay > 0 && p.year > 0:
		return types.DaysFromCivil(p.year, 1, 1) + int64(p.yearDay) - 1, true
	}
	if p.year < 1 || p.month < 1 || p.month > 12 || p.day < 1 || p.day > types.DaysInMonth(p.year, p.month) {
		return 0, false
	}
	return types.DaysFromCivil(p.year, p.month, p.day), true
}

// dateOfWeek is the weekday in the week of the year: %V goes with %X, %v with %x,
// %U and %u with %Y.
func (p *timeReader) dateOfWeek() (int64, bool) {
	year := p.year
	if p.weekMode&weekOfItsYear != 0 {
		year = p.weekYear
		if p.yearMode != p.weekMode {
			return 0, false
		}
	} else if p.weekYear >= 0 {
		return 0, false
	}
	if year < 1 {
		return 0, false
	}
	monday := p.weekMode&1 != 0
	first := civil{days: types.DaysFromCivil(year, 1, 1)}
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
