package types

// Parsed is a temporal value read from text or a number.
type Parsed struct {
	US      int64 // microseconds; a point of time or, for a TIME, a duration
	Fsp     int   // digits of a second that were written, at most 6
	HasTime bool  // hours were written
	HasZone bool  // an offset was written; US is then on the UTC clock
	Cut     bool  // more followed that does not belong to it
	Zero    bool  // 0000-00-00, or a zero month or day: no value of ours
	NoDay   bool  // its month does not have this day
	OK      bool  // it is a value
	// IsPoint: what was read as a TIME is a whole DATETIME, that of Point.
	IsPoint bool
	Point   int64
}

// ParseDateTime reads a DATE or DATETIME as MySQL does: fields with any
// punctuation between them (2024-1-2 3:4:5.678, 2024-01-02T03:04:05+02:00), or
// digits alone (20240102030405, 240102).
func ParseDateTime(s []byte) Parsed {
	s = trimLeft(s)
	if len(s) == 0 || !isDigit(s[0]) {
		return Parsed{}
	}
	p := readDateTime(s)
	return p.result()
}

// readDateTime reads the fields of a DATE or DATETIME that begins with a digit.
func readDateTime(s []byte) dateParser {
	run := 0
	for run < len(s) && (isDigit(s[run]) || s[run] == 'T') {
		run++
	}
	var p dateParser
	if run == len(s) || s[run] == '.' {
		p = dateParser{s: s, compact: true, width: 2}
		if run == 4 || run == 8 || run >= 14 {
			p.width = 4
		}
	} else {
		p = dateParser{s: s, width: 4}
	}
	p.fields()
	return p
}

// dateParser walks over the fields year, month, day, hour, minute, second.
type dateParser struct {
	s        []byte
	compact  bool
	width    int // most digits of the next field
	at       int
	field    [6]int
	n        int // fields read
	yearLen  int
	micro    int64
	fsp      int
	zone     int64 // offset in microseconds
	hasZone  bool
	spaced   bool // a space or T stood before the hours
	bad, cut bool
}

func (p *dateParser) fields() {
	for p.n < 6 && p.at < len(p.s) && isDigit(p.s[p.at]) {
		start := p.at
		v := 0
		for p.at < len(p.s) && isDigit(p.s[p.at]) && p.at-start < p.width {
			v = v*10 + int(p.s[p.at]-'0')
			p.at++
		}
		if p.n == 0 {
			p.yearLen = p.at - start
		}
		p.field[p.n] = v
		p.n++
		p.width = 2
		if p.n == 6 || !p.separator() {
			break
		}
	}
	if p.n == 6 && p.at < len(p.s) && p.s[p.at] == '.' {
		p.at++
		p.fraction()
	}
	if p.n >= 4 {
		p.offset()
	}
	for p.at < len(p.s) && isSpace(p.s[p.at]) {
		p.at++
	}
	p.cut = p.at < len(p.s)
}

// separator skips what stands between two fields, and reports whether another
// field may follow.
func (p *dateParser) separator() bool {
	if p.at == len(p.s) {
		return false
	}
	c := p.s[p.at]
	if p.compact {
		if c == 'T' && p.n == 3 {
			p.at++
		}
		return p.at < len(p.s) && isDigit(p.s[p.at])
	}
	if p.n == 3 && c == 'T' {
		p.at++
		p.spaced = true
		return true
	}
	start := p.at
	for p.at < len(p.s) && (isPunct(p.s[p.at]) || p.n == 3 && isSpace(p.s[p.at])) {
		if p.n >= 4 && (p.s[p.at] == '+' || p.s[p.at] == '-') {
			break
		}
		p.spaced = p.spaced || isSpace(p.s[p.at])
		p.at++
	}
	if p.at == len(p.s) || !isDigit(p.s[p.at]) {
		if p.n >= 3 && p.at > start && isSpace(p.s[start]) {
			return false
		}
		if p.n >= 3 && p.at == len(p.s) && p.at > start { // punctuation at the end
			p.at = start
		}
		return false
	}
	return p.at > start
}

// fraction reads digits of a second; the seventh rounds.
func (p *dateParser) fraction() {
	var us int64
	us, p.fsp, p.at = parseFraction(p.s, p.at)
	p.micro = us
}

// parseFraction reads the digits after the point at s[i].
func parseFraction(s []byte, i int) (us int64, fsp, end int) {
	unit := Second
	for i < len(s) && isDigit(s[i]) {
		d := int64(s[i] - '0')
		switch {
		case fsp < 6:
			unit /= 10
			us += d * unit
			fsp++
		case fsp == 6:
			if d >= 5 {
				us++
			}
			fsp++
		}
		i++
	}
	return us, min(fsp, 6), i
}

// offset reads a zone offset ±hh:mm.
func (p *dateParser) offset() {
	s := p.s[p.at:]
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' ||
		!isDigit(s[1]) || !isDigit(s[2]) || !isDigit(s[4]) || !isDigit(s[5]) {
		return
	}
	h, m := int64(s[1]-'0')*10+int64(s[2]-'0'), int64(s[4]-'0')*10+int64(s[5]-'0')
	if h > 14 || m > 59 || h == 14 && m > 0 {
		p.bad = true
	}
	p.zone, p.hasZone = h*Hour+m*Minute, true
	if s[0] == '-' {
		p.zone = -p.zone
	}
	p.at += 6
}

func (p *dateParser) result() Parsed {
	y, m, d := p.field[0], p.field[1], p.field[2]
	if p.n < 3 || p.bad {
		return Parsed{}
	}
	if p.yearLen == 2 && (y|m|d) != 0 {
		y = fullYear(y)
	}
	out := Parsed{Fsp: p.fsp, HasTime: p.n > 3, HasZone: p.hasZone, Cut: p.cut}
	us, ok := out.assemble(y, m, d, p.field[3], p.field[4], p.field[5])
	if !ok {
		return out
	}
	out.US = us + p.micro - p.zone
	out.OK = out.US <= MaxDateTime && out.US >= MinDateTime
	return out
}

// fullYear gives a year of two digits its century.
func fullYear(y int) int {
	if y < 70 {
		return y + 2000
	}
	return y + 1900
}

// assemble checks the fields and makes microseconds of them; p says what is wrong.
func (p *Parsed) assemble(y, m, d, hh, mm, ss int) (us int64, ok bool) {
	switch {
	case y > 9999 || m > 12 || d > 31 || hh > 23 || mm > 59 || ss > 59:
		return 0, false
	case m == 0 || d == 0:
		p.Zero = true
		return 0, false
	case d > DaysInMonth(y, m):
		p.NoDay = true
		return 0, false
	}
	return DaysFromCivil(y, m, d)*Day + int64(hh)*Hour + int64(mm)*Minute + int64(ss)*Second, true
}

// DateTimeFromNumber reads YYMMDD, YYYYMMDD, YYMMDDhhmmss or YYYYMMDDhhmmss.
func DateTimeFromNumber(n int64) Parsed {
	const (
		yy70   = 70
		full   = 10000101
		full14 = 10000101000000
	)
	if n < 0 || n > 99991231235959 {
		return Parsed{}
	}
	date, clock := n, int64(0)
	hasTime := false
	switch {
	case n < 101: // 0 too
		return Parsed{Zero: n == 0}
	case n <= (yy70-1)*10000+1231:
		date = n + 20000000
	case n < yy70*10000+101:
		return Parsed{}
	case n <= 991231:
		date = n + 19000000
	case n < full:
		if n > 99991231 {
			return Parsed{}
		}
	case n <= 99991231:
	case n < 101000000:
		return Parsed{}
	case n <= (yy70-1)*10000000000+1231235959:
		date, clock, hasTime = (n+20000000000000)/1000000, n%1000000, true
	case n < yy70*10000000000+101000000:
		return Parsed{}
	case n <= 991231235959:
		date, clock, hasTime = (n+19000000000000)/1000000, n%1000000, true
	default:
		date, clock, hasTime = n/1000000, n%1000000, true
	}
	out := Parsed{HasTime: hasTime}
	out.US, out.OK = out.assemble(int(date/10000), int(date/100%100), int(date%100),
		int(clock/10000), int(clock/100%100), int(clock%100))
	return out
}

// ParseTime reads a TIME as MySQL does: [-][days ]hh:mm:ss[.fraction], hh:mm,
// hhmmss, or the time of a whole DATETIME. Beyond 838:59:59 it is that, and Cut.
func ParseTime(s []byte) Parsed {
	s = trimLeft(s)
	if len(s) >= 12 && isDigit(s[0]) {
		if d := readDateTime(s); d.n > 3 && (d.compact || d.spaced) {
			return d.clock()
		}
	}
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if len(s) == 0 || !isDigit(s[0]) {
		return Parsed{}
	}
	f, i := timeFields(s)
	out := Parsed{HasTime: true}
	if i < len(s) && s[i] == '.' {
		var us int64
		us, out.Fsp, i = parseFraction(s, i+1)
		out.US = us
	}
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	out.Cut = i < len(s)
	if f[1] > 59 || f[2] > 59 {
		return Parsed{Cut: true}
	}
	return out.clock(neg, f[0], f[1], f[2])
}

// clock is the time of day of a DATETIME, and that.
func (p *dateParser) clock() Parsed {
	d := p.result()
	if d.Zero { // a day that is none has its hours all the same
		d.US = int64(p.field[3])*Hour + int64(p.field[4])*Minute + int64(p.field[5])*Second + p.micro
		d.OK = d.US < Day
		return d
	}
	d.Point, d.IsPoint = d.US, d.OK
	_, d.US = SplitDay(d.US)
	return d
}

// clock finishes a TIME of the fields h, m, s and the fraction in p.US.
func (p Parsed) clock(neg bool, h, m, s int64) Parsed {
	p.US += min(h, 839)*Hour + m*Minute + s*Second
	if p.US > MaxTime {
		p.US, p.Cut = MaxTime, true
	}
	if neg {
		p.US = -p.US
	}
	p.OK = true
	return p
}

// timeFields reads hours, minutes and seconds from the start of s.
func timeFields(s []byte) (f [3]int64, end int) {
	n, i := readInt(s, 0)
	first := 0
	j := i
	for j < len(s) && isSpace(s[j]) {
		j++
	}
	switch {
	case j > i && j < len(s) && isDigit(s[j]): // days
		var h int64
		h, i = readInt(s, j)
		f[0], first = n*24+h, 1
	case i+1 < len(s) && s[i] == ':' && isDigit(s[i+1]):
		f[0], first = n, 1
	default:
		return [3]int64{n / 10000, n / 100 % 100, n % 100}, i
	}
	for k := first; k < 3 && i+1 < len(s) && s[i] == ':' && isDigit(s[i+1]); k++ {
		f[k], i = readInt(s, i+1)
	}
	return f, i
}

func readInt(s []byte, i int) (n int64, end int) {
	for i < len(s) && isDigit(s[i]) {
		n = min(n*10+int64(s[i]-'0'), 1e10)
		i++
	}
	return n, i
}

// TimeFromNumber reads a TIME from hhmmss; a number of 10 digits or more is a DATETIME.
func TimeFromNumber(n int64) Parsed {
	if n >= 10000000000 {
		if p := DateTimeFromNumber(n); p.OK {
			p.Point, p.IsPoint = p.US, true
			_, p.US = SplitDay(p.US)
			return p
		}
	}
	neg := n < 0
	if neg {
		n = -n
	}
	if n > 8385959 || n < 0 {
		return Parsed{Cut: true}.clock(neg, 839, 0, 0)
	}
	if n%100 > 59 || n/100%100 > 59 {
		return Parsed{}
	}
	return Parsed{HasTime: true}.clock(neg, n/10000, n/100%100, n%100)
}

// ParseYear turns a written year into a YEAR: digits says how many stood there
// (0 of a number). 1–69 are 2001–2069, 70–99 are 1970–1999; 0 is 0 as a number
// and 2000 as one to three digits of text.
func ParseYear(n int64, digits int) (int64, bool) {
	switch {
	case n == 0 && digits > 0 && digits < 4:
		return 2000, true
	case n == 0:
		return 0, true
	case n > 0 && n < 100 && digits < 4:
		return int64(fullYear(int(n))), true
	case n >= 1901 && n <= 2155:
		return n, true
	}
	return 0, false
}

func trimLeft(s []byte) []byte {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	return s
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isPunct reports ASCII punctuation.
func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z')
}
