package bind

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"streamsql/sql/decimal"
	"streamsql/sql/parser"
	"streamsql/sql/types"
)

// maxNarrowDigits is how many digits an int64 always holds.
const maxNarrowDigits = 18

// scaled reads the digits of a number, or of a text that is one, as an integer
// scaled by 10^scale. It wants no more digits after the point than that.
func (f *filler) scaled(l parser.Lit, scale int) (int64, bool) {
	neg := l.Neg
	s := f.iv.Raw(l)
	switch l.Kind {
	case parser.LitInt, parser.LitDecimal:
	case parser.LitString:
		if l.Escaped || len(s) == 0 {
			return 0, false
		}
		if neg = s[0] == '-'; neg {
			s = s[1:]
		}
	case parser.LitTrue:
		return decimal.RescaleNarrow(1, 0, scale)
	case parser.LitFalse:
		return 0, true
	default:
		return 0, false
	}
	if len(s) == 0 || len(s) > maxNarrowDigits {
		return 0, false
	}
	var n int64
	frac, point := 0, false
	for i := range len(s) {
		c := s[i]
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
	if frac < scale {
		return decimal.RescaleNarrow(n, frac, scale)
	}
	return n, true
}

func (f *filler) int(l parser.Lit) bool {
	n, ok := f.scaled(l, 0)
	if !ok || n < f.lo || n > f.hi {
		return false
	}
	if n == 0 && f.zeroIsNull {
		f.v.AppendNull()
	} else {
		f.v.AppendInt(n)
	}
	return true
}

func (f *filler) decimal(l parser.Lit) bool {
	n, ok := f.scaled(l, f.t.Scale)
	if !ok || n < 0 && f.t.Unsigned || !decimal.FitsNarrow(n, f.t.Prec) {
		return false
	}
	f.v.AppendInt(n)
	return true
}

func (f *filler) float(l parser.Lit) bool {
	switch l.Kind {
	case parser.LitInt, parser.LitDecimal, parser.LitFloat:
	default:
		return false
	}
	x, err := strconv.ParseFloat(f.iv.Raw(l), 64)
	if err != nil {
		return false
	}
	if l.Neg {
		x = -x
	}
	if x == 0 {
		x = 0 // no negative zero
	}
	if f.t.Kind == types.Float {
		if x = float64(float32(x)); math.IsInf(x, 0) {
			return false
		}
	}
	f.v.AppendFloat(x)
	return true
}

// text is a string's value, good until the next call.
func (f *filler) text(l parser.Lit) ([]byte, bool) {
	if l.Kind != parser.LitString {
		return nil, false
	}
	if l.Escaped {
		f.scratch = f.iv.AppendText(f.scratch[:0], l)
		return f.scratch, true
	}
	s := f.iv.Raw(l)
	return unsafe.Slice(unsafe.StringData(s), len(s)), true // only read
}

func (f *filler) bytes(l parser.Lit) bool {
	s, ok := f.text(l)
	if !ok || len(s) > f.t.Len && !(f.t.IsText() && f.t.Kind != types.Text && utf8.RuneCount(s) <= f.t.Len) {
		return false
	}
	if f.t.Kind == types.Char && bytes.HasSuffix(s, []byte{' '}) {
		return false // does not keep them
	}
	f.v.AppendBytes(s)
	return true
}

func (f *filler) dateTime(l parser.Lit) bool {
	s, ok := f.text(l)
	if !ok {
		return false
	}
	p := types.ParseDateTime(s)
	if !p.OK || p.Cut || p.HasZone || p.Fsp > f.t.Scale || f.t.Kind == types.Date && p.HasTime {
		return false
	}
	f.v.AppendInt(p.US)
	return true
}

func (f *filler) time(l parser.Lit) bool {
	s, ok := f.text(l)
	if !ok || len(s) > len("838:59:59.123456") {
		return false
	}
	p := types.ParseTime(s)
	if !p.OK || p.Cut || p.Fsp > f.t.Scale {
		return false
	}
	f.v.AppendInt(p.US)
	return true
}

// enum finds the element that the text is, to the letter.
func (f *filler) enum(l parser.Lit) bool {
	s, ok := f.text(l)
	if !ok || len(s) == 0 || bytes.IndexByte(s, 0) >= 0 {
		return false
	}
	rest := f.t.Enum
	for n := int64(1); ; n++ {
		element, more, found := strings.Cut(rest, "\x00")
		if element == string(s) {
			f.v.AppendInt(n)
			return true
		}
		if !found {
			return false
		}
		rest = more
	}
}
