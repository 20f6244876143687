// Package collate compares text as MySQL's collations do, and makes keys that
// are equal when the texts are. Of JSON documents, which have their own order
// (package jsonkey), it does the same.
package collate

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	xcollate "golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"streamsql/sql/jsonkey"
	"streamsql/sql/types"
)

// Of is the collation by which values of t compare.
func Of(t types.Type) types.Collation {
	if t.IsBinary() {
		return types.BinaryCollation
	}
	return t.Collation
}

// CompareAs is Compare of two values of t, which are text, bytes or JSON.
func CompareAs(t types.Type, a, b []byte) int {
	if t.Kind == types.JSON {
		return jsonkey.Compare(a, b)
	}
	return Compare(Of(t), a, b)
}

// AppendKeyOf appends a key of a value of t, which is text, bytes or JSON: keys are
// equal, and sort, as the values do.
func AppendKeyOf(dst []byte, t types.Type, b []byte) []byte {
	if t.Kind == types.JSON {
		return jsonkey.Append(dst, b)
	}
	return AppendKey(dst, Of(t), b)
}

// Compare is negative, zero or positive as a sorts before, with or after b.
//
// utf8mb4_bin and utf8mb4_general_ci pad with spaces: 'a' equals 'a '. The binary
// collation and utf8mb4_0900_ai_ci do not.
func Compare(c types.Collation, a, b []byte) int {
	switch c {
	case types.UTF8MB4Bin:
		return comparePadded(a, b)
	case types.UTF8MB4GeneralCI:
		return compareGeneral(a, b)
	case types.UTF8MB40900AICI:
		return bytes.Compare(AppendKey(nil, c, a), AppendKey(nil, c, b))
	}
	return bytes.Compare(a, b)
}

// comparePadded compares bytes, the shorter one continued with spaces.
func comparePadded(a, b []byte) int {
	n := min(len(a), len(b))
	if c := bytes.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	for _, x := range a[n:] {
		if x != ' ' {
			return int(x) - ' '
		}
	}
	for _, x := range b[n:] {
		if x != ' ' {
			return ' ' - int(x)
		}
	}
	return 0
}

func compareGeneral(a, b []byte) int {
	for len(a) > 0 || len(b) > 0 {
		x, y := rune(' '), rune(' ')
		var n int
		if len(a) > 0 {
			x, n = utf8.DecodeRune(a)
			a = a[n:]
		}
		if len(b) > 0 {
			y, n = utf8.DecodeRune(b)
			b = b[n:]
		}
		if x, y = generalWeight(x), generalWeight(y); x != y {
			return int(x - y)
		}
	}
	return 0
}

// generalWeight is the letter without its case and accent; all characters
// beyond the basic plane weigh the same.
func generalWeight(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	case r > 0xffff:
		return 0xfffd
	case r == 'ß':
		return 'S'
	}
	var buf [utf8.UTFMax]byte
	if d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition(); len(d) > 0 {
		r, _ = utf8.DecodeRune(d)
	}
	return unicode.ToUpper(r)
}

// AppendKey appends a key of s: keys are equal, and sort, as the texts do.
func AppendKey(dst []byte, c types.Collation, s []byte) []byte {
	switch c {
	case types.UTF8MB4Bin:
		return append(dst, bytes.TrimRight(s, " ")...)
	case types.UTF8MB4GeneralCI:
		for _, r := range string(bytes.TrimRight(s, " ")) {
			dst = utf8.AppendRune(dst, generalWeight(r))
		}
		return dst
	case types.UTF8MB40900AICI:
		w := uca.Get().(*ucaKeys)
		defer uca.Put(w)
		w.buf.Reset()
		return append(dst, w.collator.Key(&w.buf, s)...)
	}
	return append(dst, s...)
}

// ucaKeys makes keys of the Unicode collation, of the primary level only.
type ucaKeys struct {
	collator *xcollate.Collator
	buf      xcollate.Buffer
}

var uca = sync.Pool{New: func() any {
	return &ucaKeys{collator: xcollate.New(language.Und, xcollate.Loose)}
}}

// Fold is s in a form in which equal characters of a case-insensitive collation
// are the same bytes, character by character: for LIKE and searches.
func Fold(c types.Collation, s []byte) []byte {
	if c == types.UTF8MB4Bin || c == types.BinaryCollation {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range string(s) {
		out = utf8.AppendRune(out, generalWeight(r))
	}
	return out
}
