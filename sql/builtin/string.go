package builtin

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"streamsql/sql/collate"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	define("concat", "s+", total, textResult(sumLen), strict(func(f *Frame, i int) {
		for _, a := range f.Args {
			f.Out.Buf = append(f.Out.Buf, a.Str(i)...)
		}
		f.endText()
	}))
	define("concat_ws", "ss+", 0, textResult(func(c *call) int { return sumLen(c) + len(c.args)*textLen(c.args[0].Type) }), each(concatWithSeparator))
	define("length,octet_length", "s", total, returns(types.Type{Kind: types.Int}), intOf(func(s []byte) int64 { return int64(len(s)) }))
	define("bit_length", "s", total, returns(types.Type{Kind: types.Int}), intOf(func(s []byte) int64 { return 8 * int64(len(s)) }))
	define("char_length,character_length", "s", total, returns(types.Type{Kind: types.Int}), strict(func(f *Frame, i int) {
		f.Out.AppendInt(int64(f.chars(f.Args[0].Str(i))))
	}))
	define("upper,ucase", "s", total, textResult(firstLen), caseKernel('a', unicode.ToUpper))
	define("lower,lcase", "s", total, textResult(firstLen), caseKernel('A', unicode.ToLower))
	define("substring,substr,mid", "si?i", total, textResult(firstLen), strict(substringRow))
	define("left", "si", total, textResult(firstLen), strict(func(f *Frame, i int) {
		s := f.Args[0].Str(i)
		f.Out.AppendBytes(s[:f.offset(s, clampCount(f.Args[1], i))])
	}))
	define("right", "si", total, textResult(firstLen), strict(func(f *Frame, i int) {
		s := f.Args[0].Str(i)
		f.Out.AppendBytes(s[f.offset(s, f.chars(s)-clampCount(f.Args[1], i)):])
	}))
	define("ltrim", "s", total, textResult(firstLen), strict(func(f *Frame, i int) { f.Out.AppendBytes(bytes.TrimLeft(f.Args[0].Str(i), " ")) }))
	define("rtrim", "s", total, textResult(firstLen), strict(func(f *Frame, i int) { f.Out.AppendBytes(bytes.TrimRight(f.Args[0].Str(i), " ")) }))
	define("trim", "s?ss", total, textResult(firstLen), strict(trimRow))
	define("lpad", "sis", 0, textResult(padLen), strict(func(f *Frame, i int) { padRow(f, i, true) }))
	define("rpad", "sis", 0, textResult(padLen), strict(func(f *Frame, i int) { padRow(f, i, false) }))
	define("replace", "sss", total|compares, textResult(replaceLen), strict(func(f *Frame, i int) {
		s, from, to := f.Args[0].Str(i), f.Args[1].Str(i), f.Args[2].Str(i)
		if len(from) == 0 {
			f.Out.AppendBytes(s)
			return
		}
		for {
			k := bytes.Index(s, from)
			if k < 0 {
				break
			}
			f.Out.Buf = append(append(f.Out.Buf, s[:k]...), to...)
			s = s[k+len(from):]
		}
		f.Out.AppendBytes(s)
	}))
	define("insert", "siis", total, textResult(sumLen), strict(insertRow))
	define("repeat", "si", 0, textResult(repeatLen), strict(repeatRow))
	define("space", "i", 0, textResult(func(c *call) int { return constantCount(c.args[0], 1) }), strict(func(f *Frame, i int) {
		f.repeat(i, []byte{' '}, clampCount(f.Args[0], i))
	}))
	define("reverse", "s", total, textResult(firstLen), strict(reverseRow))
	defineBy("instr", "ss", total|compares, returns(types.Type{Kind: types.BigInt}), func(e *expr.Expr) Kernel {
		c := textCollation(e.Args...)
		return strict(func(f *Frame, i int) { f.locate(c, f.Args[0].Str(i), f.Args[1].Str(i), 1) })
	})
	defineBy("locate,position", "ss?i", total|compares, returns(types.Type{Kind: types.BigInt}), func(e *expr.Expr) Kernel {
		c := textCollation(e.Args...)
		return strict(func(f *Frame, i int) {
			start := 1
			if len(f.Args) == 3 {
				start = int(min(max(f.Args[2].Int(i), 0), 1<<31))
			}
			f.locate(c, f.Args[1].Str(i), f.Args[0].Str(i), start)
		})
	})
	define("substring_index", "ssi", total|compares, textResult(firstLen), strict(substringIndexRow))
	define("ascii", "s", total, returns(types.Type{Kind: types.Int}), intOf(func(s []byte) int64 {
		if len(s) == 0 {
			return 0
		}
		return int64(s[0])
	}))
	define("ord", "s", total, returns(types.Type{Kind: types.BigInt}), intOf(func(s []byte) int64 {
		_, n := utf8.DecodeRune(s)
		v := int64(0)
		for _, c := range s[:n] {
			v = v<<8 | int64(c)
		}
		return v
	}))
}

// textResult is the type of a text function: bytes if an argument is bytes, in
// the collation of its arguments, of at most n characters.
func textResult(n func(c *call) int) func(c *call) types.Type {
	return func(c *call) types.Type { return c.text(n(c)) }
}

const maxVarChar = 16383 // characters of four bytes in a row

func (c *call) text(n int) types.Type {
	t := types.MakeVarChar(n)
	t.Collation = c.env.Collation
	for _, a := range c.args {
		switch {
		case a.Type.IsBinary() && DerivationOf(a) <= c.firmest():
			t.Kind, t.Collation = types.VarBinary, types.BinaryCollation
		case a.Type.IsText() && a.Type.Folds() && t.Kind != types.VarBinary:
			t.Collation, _ = collationOf(c.args)
		}
	}
	if n > maxVarChar {
		if t.Len = types.LongTextLen; t.Kind == types.VarBinary {
			t.Kind = types.Blob
		} else {
			t.Kind = types.Text
		}
	}
	return t
}

// firmest is how firmly the texts among the arguments hold to being that. Bytes make
// bytes of what does not hold to it more firmly than they do: of literals, not of a
// column beside a hexadecimal literal.
func (c *call) firmest() Derivation {
	d := Ignorable
	for _, a := range c.args {
		if a.Type.IsText() {
			d = min(d, DerivationOf(a))
		}
	}
	return d
}

func firstLen(c *call) int { return textLen(c.args[0].Type) }

func sumLen(c *call) int {
	n := 0
	for _, a := range c.args {
		if a.Type.Class() == types.ClassBytes {
			n += textLen(a.Type)
		}
	}
	return n
}

// constantCount is unit times a constant count; of a column, more than any VARCHAR.
func constantCount(e *expr.Expr, unit int) int {
	if e.Op == expr.OpConst {
		if e.Value.Null || e.Value.I <= 0 {
			return 0
		}
		if e.Value.I < maxVarChar {
			return unit * int(e.Value.I)
		}
	}
	return maxVarChar + 1
}

func padLen(c *call) int    { return constantCount(c.args[1], 1) }
func repeatLen(c *call) int { return constantCount(c.args[1], max(firstLen(c), 1)) }
func replaceLen(c *call) int {
	return firstLen(c) * max(1, textLen(c.args[2].Type))
}

// intOf is the kernel of an integer made of one text.
func intOf(fn func(s []byte) int64) Kernel {
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		out := f.Ints()
		for i := range out {
			out[i] = fn(f.Args[0].Str(i))
		}
	}
}

// binary reports that the first argument is bytes, which have no characters.
func (f *Frame) binary() bool { return len(f.Args) > 0 && f.Args[0].Type.IsBinary() }

// chars is the length of s in characters (bytes, if the first argument is bytes).
func (f *Frame) chars(s []byte) int {
	if f.binary() {
		return len(s)
	}
	return utf8.RuneCount(s)
}

// offset is where the n-th character of s starts, from 0; its end beyond.
func (f *Frame) offset(s []byte, n int) int {
	switch {
	case n <= 0:
		return 0
	case n >= len(s):
		return len(s)
	case f.binary():
		return n
	}
	return prefixLen(s, n, false)
}

// clampCount is an argument that counts characters, within what a text can have.
func clampCount(o Operand, i int) int {
	n := o.Int(i)
	if isUnsigned(o.Type) && n < 0 {
		n = 1 << 31
	}
	return int(min(max(n, 0), 1<<31))
}

func concatWithSeparator(f *Frame, i int) {
	if f.Args[0].NullAt(i) {
		f.Out.AppendNull()
		return
	}
	first := true
	for _, a := range f.Args[1:] {
		if a.NullAt(i) {
			continue
		}
		if !first {
			f.Out.Buf = append(f.Out.Buf, f.Args[0].Str(i)...)
		}
		first = false
		f.Out.Buf = append(f.Out.Buf, a.Str(i)...)
	}
	f.endText()
}

// substringRow counts from 1; a negative position counts from the end.
func substringRow(f *Frame, i int) {
	s := f.Args[0].Str(i)
	pos, n := f.Args[1].Int(i), int64(1<<31)
	if len(f.Args) == 3 {
		if n = f.Args[2].Int(i); n < 0 && isUnsigned(f.Args[2].Type) {
			n = 1 << 31
		}
	}
	if isUnsigned(f.Args[1].Type) && pos < 0 {
		pos = 1 << 31
	}
	if pos < 0 {
		if pos += int64(f.chars(s)); pos < 0 {
			n = 0
		}
	} else if pos == 0 {
		n = 0
	} else {
		pos--
	}
	if n <= 0 {
		f.endText()
		return
	}
	s = s[f.offset(s, int(min(pos, 1<<31))):]
	f.Out.AppendBytes(s[:f.offset(s, int(min(n, 1<<31)))])
}

// trimRow is TRIM(s), or TRIM(s, what, both | leading | trailing).
func trimRow(f *Frame, i int) {
	s := f.Args[0].Str(i)
	what := []byte{' '}
	side := "both"
	if len(f.Args) > 1 {
		what = f.Args[1].Str(i)
	}
	if len(f.Args) > 2 {
		side = string(f.Args[2].Str(i))
	}
	if len(what) > 0 {
		for side != "trailing" && bytes.HasPrefix(s, what) {
			s = s[len(what):]
		}
		for side != "leading" && bytes.HasSuffix(s, what) {
			s = s[:len(s)-len(what)]
		}
	}
	f.Out.AppendBytes(s)
}

// maxText is how long a text may get: max_allowed_packet.
const maxText = 64 << 20

// padRow pads to a number of characters, or cuts to it.
func padRow(f *Frame, i int, left bool) {
	s, pad := f.Args[0].Str(i), f.Args[2].Str(i)
	want := f.Args[1].Int(i)
	have := int64(f.chars(s))
	if isUnsigned(f.Args[1].Type) && want < 0 || want > maxText {
		f.tooLong(i)
		return
	}
	if want < 0 {
		f.Out.AppendNull()
		return
	}
	if want <= have {
		f.Out.AppendBytes(s[:f.offset(s, int(want))])
		return
	}
	if len(pad) == 0 {
		f.endText() // MySQL 8: nothing to pad with gives the empty text
		return
	}
	if !left {
		f.Out.Buf = append(f.Out.Buf, s...)
	}
	per := int64(f.chars(pad))
	for missing := want - have; missing > 0; missing -= per {
		f.Out.Buf = append(f.Out.Buf, pad[:f.offset(pad, int(min(missing, per)))]...)
	}
	if left {
		f.Out.Buf = append(f.Out.Buf, s...)
	}
	f.endText()
}

// insertRow is INSERT(s, pos, len, new).
func insertRow(f *Frame, i int) {
	s := f.Args[0].Str(i)
	pos, n := f.Args[1].Int(i), f.Args[2].Int(i)
	if pos < 1 || pos > int64(f.chars(s)) {
		f.Out.AppendBytes(s)
		return
	}
	at := f.offset(s, int(pos-1))
	rest := s[at:]
	if n < 0 {
		n = int64(len(rest))
	}
	f.Out.Buf = append(append(f.Out.Buf, s[:at]...), f.Args[3].Str(i)...)
	f.Out.AppendBytes(rest[f.offset(rest, int(min(n, int64(len(rest))))):])
}

func repeatRow(f *Frame, i int) { f.repeat(i, f.Args[0].Str(i), clampCount(f.Args[1], i)) }

// repeat appends n times s; beyond max_allowed_packet it is NULL with a warning.
func (f *Frame) repeat(i int, s []byte, n int) {
	if n*len(s) > maxText {
		f.tooLong(i)
		return
	}
	for range n {
		f.Out.Buf = append(f.Out.Buf, s...)
	}
	f.endText()
}

// tooLong is NULL with warning 1301.
func (f *Frame) tooLong(i int) {
	f.NullOut(i)
	f.Problem(i, sqlerr.WarnAllowedPacket, "Result of %s() was larger than max_allowed_packet (%d) - truncated", f.Call.Fn, maxText)
}

func reverseRow(f *Frame, i int) {
	s := f.Args[0].Str(i)
	for len(s) > 0 {
		n := 1
		if !f.binary() {
			_, n = utf8.DecodeLastRune(s)
		}
		f.Out.Buf = append(f.Out.Buf, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	f.endText()
}

// locate appends the place of sub in s, in characters from 1, not before start; 0: none.
func (f *Frame) locate(c types.Collation, s, sub []byte, start int) {
	s, sub = collate.Fold(c, s), collate.Fold(c, sub)
	if start < 1 || start > f.chars(s)+1 {
		f.Out.AppendInt(0)
		return
	}
	from := f.offset(s, start-1)
	k := bytes.Index(s[from:], sub)
	if k < 0 {
		f.Out.AppendInt(0)
		return
	}
	f.Out.AppendInt(int64(start + f.chars(s[from:from+k])))
}

// substringIndexRow is what stands before the n-th delimiter, or after the n-th from the end.
func substringIndexRow(f *Frame, i int) {
	s, delim, n := f.Args[0].Str(i), f.Args[1].Str(i), f.Args[2].Int(i)
	if n == 0 || len(delim) == 0 {
		f.endText()
		return
	}
	at := 0
	if n > 0 {
		for ; n > 0; n-- {
			var k int
			if len(delim) == 1 {
				k = bytes.IndexByte(s[at:], delim[0])
			} else {
				k = bytes.Index(s[at:], delim)
			}
			if k < 0 {
				f.Out.AppendBytes(s)
				return
			}
			at += k + len(delim)
		}
		f.Out.AppendBytes(s[:at-len(delim)])
		return
	}
	if !f.binary() { // text is always searched from the left: 'aaaaa' ends with a single a
		if n += int64(bytes.Count(s, delim)) + 1; n <= 0 {
			f.Out.AppendBytes(s)
			return
		}
		for ; n > 0; n-- {
			at += bytes.Index(s[at:], delim) + len(delim)
		}
		f.Out.AppendBytes(s[at:])
		return
	}
	at = len(s)
	for ; n < 0; n++ {
		if at = bytes.LastIndex(s[:at], delim); at < 0 {
			f.Out.AppendBytes(s)
			return
		}
	}
	f.Out.AppendBytes(s[at+len(delim):])
}
