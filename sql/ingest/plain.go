package ingest

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
)

// choose is how the column stores plain values; nil: it has none.
func (c *Column) choose() func(*Column, *Value) bool {
	switch c.Type.Kind {
	case types.TinyInt, types.SmallInt, types.MediumInt, types.Int, types.BigInt:
		c.lo, c.hi = c.Type.IntRange()
		if c.Type.Unsigned && c.Type.Kind == types.BigInt {
			c.hi = 1<<63 - 1 // larger ones are for convert
		}
		return (*Column).integer
	case types.Decimal:
		return (*Column).decimal
	case types.Double, types.Float:
		if c.Type.Scale == types.NotFixed && !c.Type.Unsigned {
			return (*Column).float
		}
	case types.VarChar:
		return (*Column).varChar
	case types.Char, types.Text, types.VarBinary, types.Blob:
		return (*Column).bytes
	case types.Date, types.DateTime:
		return (*Column).dateTime
	case types.Timestamp:
		return (*Column).timestamp
	case types.Time:
		return (*Column).time
	case types.Enum:
		return (*Column).enum
	}
	return nil
}

// scaled reads a number, or a text that is one, as an integer scaled by 10^scale.
// It wants no more digits after the point than that.
func (v *Value) scaled(scale int) (int64, bool) {
	switch v.Kind {
	case Int:
		if v.Small {
			return rescaled(v.Num, 0, scale)
		}
	case Decimal, Text:
	case True:
		return rescaled(1, 0, scale)
	case False:
		return 0, true
	default:
		return 0, false
	}
	s := v.Bytes
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > maxSmallDigits {
		return 0, false
	}
	var n int64
	frac, point := 0, false
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
			if point {
				frac++
			}
		case c == '.' && !point:
			point = true
		default:
			return 0, false
		}
	}
	if frac > scale || point && len(s) == 1 {
		return 0, false
	}
	if neg {
		n = -n
	}
	return rescaled(n, frac, scale)
}

func rescaled(n int64, from, to int) (int64, bool) {
	if from == to {
		return n, true
	}
	return decimal.RescaleNarrow(n, from, to)
}

func (c *Column) integer(v *Value) bool {
	n, ok := v.Num, v.Kind == Int && v.Small
	if !ok {
		n, ok = v.scaled(0)
	}
	if !ok || n < c.lo || n > c.hi {
		return false
	}
	if n == 0 && c.ZeroIsNull {
		c.Values.AppendNull()
	} else {
		c.Values.AppendInt(n)
	}
	return true
}

func (c *Column) decimal(v *Value) bool {
	n, ok := v.scaled(c.Type.Scale)
	if !ok || n < 0 && c.Type.Unsigned || !decimal.FitsNarrow(n, c.Type.Prec) {
		return false
	}
	c.Values.AppendInt(n)
	return true
}

func (c *Column) float(v *Value) bool {
	var x float64
	switch {
	case v.Kind == Int && v.Small && v.Num > -1<<53 && v.Num < 1<<53:
		x = float64(v.Num)
	case v.Kind == Int || v.Kind == Decimal || v.Kind == Float:
		var err error
		if x, err = strconv.ParseFloat(unsafe.String(unsafe.SliceData(v.Bytes), len(v.Bytes)), 64); err != nil {
			return false
		}
	default:
		return false
	}
	if x == 0 {
		x = 0 // no negative zero
	}
	if c.Type.Kind == types.Float {
		if x = float64(float32(x)); math.IsInf(x, 0) {
			return false
		}
	}
	c.Values.AppendFloat(x)
	return true
}

func (c *Column) varChar(v *Value) bool {
	s := v.Bytes
	if v.Kind != Text || len(s) > c.Type.Len && utf8.RuneCount(s) > c.Type.Len || !utf8.Valid(s) {
		return false
	}
	c.Values.AppendBytes(s)
	return true
}

func (c *Column) bytes(v *Value) bool {
	s := v.Bytes
	if v.Kind != Text || c.Type.IsText() && !utf8.Valid(s) {
		return false
	}
	if len(s) > c.Type.Len && (c.Type.Kind != types.Char || utf8.RuneCount(s) > c.Type.Len) {
		return false
	}
	if c.Type.Kind == types.Char && bytes.HasSuffix(s, []byte{' '}) {
		return false // does not keep them
	}
	c.Values.AppendBytes(s)
	return true
}

func (c *Column) dateTime(v *Value) bool {
	if v.Kind == Moment {
		unit := int64(types.Day)
		if c.Type.Kind == types.DateTime {
			unit = microseconds[c.Type.Scale]
		}
		if v.Num%unit != 0 {
			return false
		}
		c.Values.AppendInt(v.Num)
		return true
	}
	if v.Kind != Text {
		return false
	}
	us, fsp, ok := fullDateTime(v.Bytes)
	if !ok {
		p := types.ParseDateTime(v.Bytes)
		if !p.OK || p.Cut || p.HasZone || c.Type.Kind == types.Date && p.HasTime {
			return false
		}
		us, fsp = p.US, p.Fsp
	} else if c.Type.Kind == types.Date {
		return false
	}
	if fsp > c.Type.Scale {
		return false
	}
	c.Values.AppendInt(us)
	return true
}

// microseconds of the smallest unit that a scale shows.
var microseconds = [...]int64{1e6, 1e5, 1e4, 1e3, 1e2, 10, 1}

// timestamp is dateTime on the session's clock.
func (c *Column) timestamp(v *Value) bool {
	us, fsp, ok := v.Num, 0, false
	switch v.Kind {
	case Moment:
		ok = us%microseconds[c.Type.Scale] == 0
	case Text:
		us, fsp, ok = fullDateTime(v.Bytes)
	}
	if !ok || fsp > c.Type.Scale {
		return false
	}
	if us, ok = types.FromClock(us, c.context.Location); !ok || us < types.MinStamp || us > types.MaxStamp {
		return false
	}
	c.Values.AppendInt(us)
	return true
}

// fullDateTime reads YYYY-MM-DD HH:MM:SS[.ffffff], or with a T in the middle, as
// microseconds. False: it is something else, or no value.
func fullDateTime(s []byte) (us int64, fsp int, ok bool) {
	if len(s) < 19 || len(s) > 26 || len(s) == 20 || s[4] != '-' || s[7] != '-' || s[10] != ' ' && s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return 0, 0, false
	}
	century, y1 := pair(s, 0)
	year, y2 := pair(s, 2)
	month, m := pair(s, 5)
	day, d := pair(s, 8)
	hour, h := pair(s, 11)
	minute, i := pair(s, 14)
	second, x := pair(s, 17)
	year += 100 * century
	if y1|y2|m|d|h|i|x != 0 || year == 0 || month == 0 || month > 12 || day == 0 || hour > 23 || minute > 59 || second > 59 ||
		day > 28 && day > types.DaysInMonth(year, month) {
		return 0, 0, false
	}
	if len(s) > 19 {
		if s[19] != '.' {
			return 0, 0, false
		}
		scale := int64(1e6)
		for _, c := range s[20:] {
			if c -= '0'; c > 9 {
				return 0, 0, false
			}
			scale /= 10
			us += int64(c) * scale
			fsp++
		}
	}
	return us + types.DaysFromCivil(year, month, day)*types.Day + int64(hour*3600+minute*60+second)*1e6, fsp, true
}

// pair reads two digits at i; bad is not 0 where there are none.
func pair(s []byte, i int) (n int, bad byte) {
	a, b := s[i]-'0', s[i+1]-'0'
	if a > 9 || b > 9 {
		bad = 1
	}
	return int(a)*10 + int(b), bad
}

func (c *Column) time(v *Value) bool {
	if v.Kind != Text || len(v.Bytes) > len("838:59:59.123456") {
		return false
	}
	p := types.ParseTime(v.Bytes)
	if !p.OK || p.Cut || p.Fsp > c.Type.Scale {
		return false
	}
	c.Values.AppendInt(p.US)
	return true
}

// enum finds the element that the text is, to the letter.
func (c *Column) enum(v *Value) bool {
	s := v.Bytes
	if v.Kind != Text || len(s) == 0 || bytes.IndexByte(s, 0) >= 0 {
		return false
	}
	rest := c.Type.Enum
	for n := int64(1); ; n++ {
		element, more, found := strings.Cut(rest, "\x00")
		if element == string(s) {
			c.Values.AppendInt(n)
			return true
		}
		if !found {
			return false
		}
		rest = more
	}
}
