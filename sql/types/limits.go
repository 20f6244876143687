package types

import "strings"

// Elements are the elements of an ENUM; the value n is element n−1.
func (t Type) Elements() []string {
	if t.Enum == "" {
		return nil
	}
	return strings.Split(t.Enum, "\x00")
}

// Element is the n-th element of an ENUM, from 1; outside, the empty text.
func (t Type) Element(n int64) string {
	rest := t.Enum
	for ; n > 1; n-- {
		i := strings.IndexByte(rest, 0)
		if i < 0 {
			return ""
		}
		rest = rest[i+1:]
	}
	if n < 1 {
		return ""
	}
	if i := strings.IndexByte(rest, 0); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// IntRange is the smallest and the largest value of an integer type; for
// BIGINT UNSIGNED the largest is the bit pattern −1.
func (t Type) IntRange() (lo, hi int64) {
	var bits uint
	switch t.Kind {
	case TinyInt:
		bits = 8
	case SmallInt:
		bits = 16
	case MediumInt:
		bits = 24
	case Int:
		bits = 32
	case Year:
		return 1901, 2155
	default:
		bits = 64
	}
	if t.Unsigned {
		return 0, int64(^uint64(0) >> (64 - bits))
	}
	return -1 << (bits - 1), int64(^uint64(0) >> (65 - bits))
}
