// Package jsonkey orders JSON documents as MySQL does, by making keys of them:
// the keys of two documents are equal, and sort, as the documents do.
//
// By rising precedence of its type a value is: null; a number, by value, however
// it is written (1, 1.0 and 1e0 are equal); a string, by its bytes; an object; an
// array; false, then true. Arrays compare element by element, a beginning before
// what goes on. Objects with equal members are equal; which of two others comes
// first MySQL leaves open: here the one with fewer members, then by members in
// their stored order.
package jsonkey

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
)

// What a value's key begins with. No key is the beginning of another one, so
// that keys can follow one another; atEnd sorts before all of them.
const (
	atEnd byte = iota
	ofNull
	ofNumber
	ofString
	ofObject
	ofArray
	ofFalse
	ofTrue
)

// Append appends the key of a document, given as normalised JSON text: members
// of objects sorted, each key once.
func Append(dst, text []byte) []byte {
	dst, _ = appendValue(dst, text)
	return dst
}

// Compare is negative, zero or positive as document a sorts before, with or after b.
func Compare(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	var x, y [128]byte
	return bytes.Compare(Append(x[:0], a), Append(y[:0], b))
}

// appendValue appends the key of the value that text begins with, and returns
// what follows it.
func appendValue(dst, text []byte) (key, rest []byte) {
	text = space(text)
	if len(text) == 0 {
		return append(dst, ofNull), nil
	}
	switch text[0] {
	case '{':
		return appendObject(dst, text[1:])
	case '[':
		return appendArray(dst, text[1:])
	case '"':
		return appendString(append(dst, ofString), text[1:])
	case 't':
		return append(dst, ofTrue), text[min(4, len(text)):]
	case 'f':
		return append(dst, ofFalse), text[min(5, len(text)):]
	case 'n':
		return append(dst, ofNull), text[min(4, len(text)):]
	}
	n := 0
	for n < len(text) && isNumber(text[n]) {
		n++
	}
	return appendNumber(append(dst, ofNumber), text[:n]), text[max(n, 1):]
}

func space(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\n' || text[0] == '\t' || text[0] == '\r') {
		text = text[1:]
	}
	return text
}

// after is the text behind a separator, if it begins with one.
func after(text []byte, separator byte) []byte {
	if text = space(text); len(text) > 0 && text[0] == separator {
		text = space(text[1:])
	}
	return text
}

func appendArray(dst, text []byte) (key, rest []byte) {
	dst = append(dst, ofArray)
	for text = space(text); len(text) > 0 && text[0] != ']'; text = after(text, ',') {
		dst, text = appendValue(dst, text)
	}
	return append(dst, atEnd), text[min(1, len(text)):]
}

func appendObject(dst, text []byte) (key, rest []byte) {
	dst = append(dst, ofObject)
	base := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	members := uint32(0)
	for text = space(text); len(text) > 0 && text[0] != '}'; text = after(text, ',') {
		dst, text = appendString(dst, text[1:])
		dst, text = appendValue(dst, after(text, ':'))
		members++
	}
	binary.BigEndian.PutUint32(dst[base:], members)
	return dst, text[min(1, len(text)):]
}

// appendString appends the string whose opening quote is gone: a zero byte as
// 00 FF, and 00 00 at the end.
func appendString(dst, text []byte) (key, rest []byte) {
	for len(text) > 0 && text[0] != '"' {
		c := text[0]
		if text = text[1:]; c == '\\' && len(text) > 0 {
			dst, text = appendEscape(dst, text)
			continue
		}
		dst = appendByte(dst, c)
	}
	return append(dst, 0, 0), text[min(1, len(text)):]
}

func appendByte(dst []byte, c byte) []byte {
	if dst = append(dst, c); c == 0 {
		dst = append(dst, 0xFF)
	}
	return dst
}

// appendEscape appends the character of an escape whose backslash is gone.
func appendEscape(dst, text []byte) (key, rest []byte) {
	c := text[0]
	switch c {
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'u':
		n := min(5, len(text))
		r, _ := strconv.ParseUint(string(text[1:n]), 16, 32)
		if r == 0 {
			return appendByte(dst, 0), text[n:]
		}
		return utf8.AppendRune(dst, rune(r)), text[n:]
	}
	return appendByte(dst, c), text[1:]
}

func isNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// Of a number: its sign; for what is not zero the power of ten that it is less
// than, and its digits without zeros around them. All but the sign is inverted
// for negative ones.
const (
	negative byte = 1
	zero     byte = 2
	positive byte = 3
)

func appendNumber(dst, text []byte) []byte {
	sign := positive
	if len(text) > 0 && text[0] == '-' {
		sign, text = negative, text[1:]
	}
	mantissa, power := text, int64(0)
	if e := bytes.IndexAny(text, "eE"); e >= 0 {
		mantissa = text[:e]
		p, err := strconv.ParseInt(string(text[e+1:]), 10, 32)
		if power = p; err != nil && p >= 0 {
			power = math.MaxInt32
		}
	}
	base := len(dst)
	dst = append(dst, sign, 0, 0, 0, 0)
	point := len(mantissa)
	if p := bytes.IndexByte(mantissa, '.'); p >= 0 {
		point = p
	}
	first := -1 // the place of the first digit that counts
	for i, c := range mantissa {
		switch {
		case c == '.':
			continue
		case first < 0 && c == '0':
			continue
		case first < 0:
			first = i
		}
		dst = append(dst, c)
	}
	if first < 0 {
		return append(dst[:base], zero)
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	dst = append(dst, 0)
	if power += int64(point - first); first > point {
		power++ // the point itself is no digit
	}
	binary.BigEndian.PutUint32(dst[base+1:], uint32(max(min(power, math.MaxInt32), math.MinInt32))^1<<31)
	if sign == negative {
		for i := base + 1; i < len(dst); i++ {
			dst[i] ^= 0xFF
		}
	}
	return dst
}
