package ingest

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep a document may be nested, as in MySQL.
const maxDepth = 100

// scanner is a position in JSON text. Its methods report whether what they read
// was there; if not, reason says what is wrong at pos.
type scanner struct {
	data   []byte
	pos    int
	reason string
}

func (s *scanner) wrong(reason string) bool {
	if s.reason == "" {
		s.reason = reason
	}
	return false
}

func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) take(c byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// space passes over white space.
func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) word(w string) bool {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special has the high bit of each byte set that ends a run of plain text: a
// quote, a backslash, a control character. Beyond the first of them, bits may be
// set too much, never too little.
func special(w uint64) uint64 {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
}

// text reads a string from its opening quote on and returns what stands between
// the quotes; plain is false if it holds escapes.
func (s *scanner) text() (span []byte, plain, ok bool) {
	s.pos++
	start := s.pos
	plain = true
	i := start
	for {
		for i+8 <= len(s.data) {
			m := special(binary.LittleEndian.Uint64(s.data[i:]))
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(s.data) {
			s.pos = len(s.data)
			return nil, false, s.wrong("Missing a closing quotation mark in string.")
		}
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return s.data[start:i], plain, true
		case c == '\\':
			plain = false
			i += 2
		case c < 0x20:
			s.pos = i
			return nil, false, s.wrong("Invalid encoding in string.")
		default: // near the end, byte by byte
			i++
		}
	}
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape appends what stands for a string with escapes, which ends at s.pos.
func (s *scanner) unescape(dst, span []byte) ([]byte, bool) {
	for i := 0; i < len(span); i++ {
		c := span[i]
		if c != '\\' {
			dst = append(dst, c)
			continue
		}
		i++
		if i < len(span) && span[i] != 'u' {
			if c = escapes[span[i]]; c == 0 {
				return dst, s.wrong("Invalid escape character in string.")
			}
			dst = append(dst, c)
			continue
		}
		r, ok := hex4(span, i+1)
		if !ok {
			return dst, s.wrong("Incorrect hex digit after \\u escape in string.")
		}
		i += 4
		if utf16.IsSurrogate(r) {
			low := rune(-1)
			if i+2 < len(span) && span[i+1] == '\\' && span[i+2] == 'u' {
				low, _ = hex4(span, i+3)
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return dst, s.wrong("The surrogate pair in string is invalid.")
			}
			i += 6
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, true
}

func hex4(s []byte, i int) (r rune, ok bool) {
	if i+4 > len(s) {
		return 0, false
	}
	for _, c := range s[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// number reads a number.
func (s *scanner) number(v *Value) bool {
	start := s.pos
	neg := s.take('-')
	first := s.pos
	n := int64(0)
	for s.pos < len(s.data) {
		c := s.data[s.pos] - '0'
		if c > 9 {
			break
		}
		n = n*10 + int64(c)
		s.pos++
	}
	digits := s.pos - first
	if digits == 0 || digits > 1 && s.data[first] == '0' {
		return s.wrong("Invalid value.")
	}
	if neg {
		n = -n
	}
	v.Kind, v.Small, v.Num = Int, digits <= maxSmallDigits, n
	if s.pos < len(s.data) && (s.data[s.pos] == '.' || s.data[s.pos]|0x20 == 'e') {
		v.Kind = Decimal
		if s.take('.') && !s.digits() {
			return s.wrong("Miss fraction part in number.")
		}
		if s.peek()|0x20 == 'e' {
			v.Kind = Float
			s.pos++
			if c := s.peek(); c == '+' || c == '-' {
				s.pos++
			}
			if !s.digits() {
				return s.wrong("Miss exponent in number.")
			}
		}
	}
	v.Bytes = s.data[start:s.pos]
	return true
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > start
}

// skip passes over a value that is an object or an array, checking it; depth is
// how deep it lies.
func (s *scanner) skip(depth int) bool {
	if depth > maxDepth {
		return s.wrong("The JSON document exceeds the maximum depth.")
	}
	end := byte(']')
	if s.data[s.pos] == '{' {
		end = '}'
	}
	s.pos++
	s.space()
	if s.take(end) {
		return true
	}
	for {
		if end == '}' {
			if s.peek() != '"' {
				return s.wrong("Missing a name for object member.")
			}
			if !s.skipText() {
				return false
			}
			s.space()
			if !s.take(':') {
				return s.wrong("Missing a colon after a name of object member.")
			}
			s.space()
		}
		if !s.skipValue(depth) {
			return false
		}
		s.space()
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return s.wrong("Missing a comma or closing bracket.")
		}
		s.space()
	}
}

func (s *scanner) skipValue(depth int) bool {
	switch c := s.peek(); {
	case c == '{' || c == '[':
		return s.skip(depth + 1)
	case c == '"':
		return s.skipText()
	case c == '-' || c-'0' <= 9:
		var v Value
		return s.number(&v)
	}
	return s.word("null") || s.word("true") || s.word("false") || s.wrong("Invalid value.")
}

// skipText passes over a string and checks its escapes.
func (s *scanner) skipText() bool {
	span, plain, ok := s.text()
	if ok && !plain {
		var room [64]byte
		_, ok = s.unescape(room[:0], span)
	}
	return ok
}
