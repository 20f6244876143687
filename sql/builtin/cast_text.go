package builtin

import (
	"unicode/utf8"

	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// castText is the cast to text or bytes; an explicit one cuts to its length, and fills
// BINARY up to it.
func castText(from, to types.Type, explicit bool) Kernel {
	limited := explicit && to.Len > 0 && (to.Len < textLen(from) || textLen(from) == 0 || to.Kind == types.Binary)
	check := from.IsBinary() && to.IsText() // bytes may be no text
	if from.Class() == types.ClassBytes && !limited && !check {
		return passThrough
	}
	return strict(func(f *Frame, i int) {
		if s := f.Args[0]; check && !utf8.Valid(s.Str(i)) {
			wrong := s.Str(i)
			wrong = wrong[validPrefix(wrong):]
			f.NullOut(i)
			f.Problem(i, sqlerr.InvalidCharacter, "Invalid utf8mb4 character string: '%X'", wrong[:min(len(wrong), 3)])
			return
		}
		start := len(f.Out.Buf)
		f.Out.Buf = f.Args[0].AppendTextAt(f.Out.Buf, i, f.Location)
		if limited {
			text := f.Out.Buf[start:]
			if n := prefixLen(text, to.Len, to.IsBinary()); n < len(text) {
				kind := "CHAR"
				if to.IsBinary() {
					kind = "BINARY"
				}
				f.Out.Buf = f.Out.Buf[:start+n]
				if !f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect %s(%d) value: '%s'", kind, to.Len, f.Args[0].AppendTextAt(nil, i, f.Location)) {
					f.Out.Buf = f.Out.Buf[:start]
					return
				}
			}
			if to.Kind == types.Binary {
				if to.Len > maxText {
					f.Out.Buf = f.Out.Buf[:start]
					f.tooLong(i)
					return
				}
				for len(f.Out.Buf)-start < to.Len {
					f.Out.Buf = append(f.Out.Buf, 0)
				}
			}
		}
		f.endText()
	})
}

// endText finishes a text that was appended to Out.Buf.
func (f *Frame) endText() { f.Out.AppendBytes(nil) }

// prefixLen is how many bytes the first n characters of s take, or n bytes.
func prefixLen(s []byte, n int, binary bool) int {
	if len(s) <= n {
		return len(s)
	}
	if binary {
		return n
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, w := utf8.DecodeRune(s[i:])
		i += w
	}
	return i
}
