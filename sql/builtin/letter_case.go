package builtin

import (
	"encoding/binary"
	"unicode/utf8"
)

// caseKernel is the kernel of UPPER and LOWER: it turns letters by fn, of which the
// ASCII ones begin at from. Text of ASCII is turned as one for all rows, and passed
// on as it is when no letter changes.
func caseKernel(from byte, fn func(rune) rune) Kernel {
	byRow := strict(func(f *Frame, i int) { f.mapCase(i, from, fn) })
	return func(f *Frame) {
		a := &f.Args[0]
		if f.binary() {
			f.Pass = a
			return
		}
		if a.IsConst() {
			byRow(f)
			return
		}
		text := a.Buf[a.Off[0]:a.Off[f.N]]
		ascii, changes := caseOf(text, from)
		switch {
		case !ascii:
			byRow(f)
		case !changes:
			f.Pass = a
		case f.MergeValid():
			f.Out.N = f.N
			f.Out.Off = f.Scratch.offsets(f.N + 1)
			for i, at := range a.Off[:f.N+1] {
				f.Out.Off[i] = at - a.Off[0]
			}
			f.Out.Buf = f.Scratch.bytes(len(text))
			turnCase(f.Out.Buf, text, from)
		}
	}
}

// Words of eight bytes, each of which is the same.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// letters has the high bit of each byte of w that is a letter of those from on. All
// bytes of w are ASCII.
func letters(w uint64, from byte) uint64 {
	return (w + uint64(0x80-from)*ones) &^ (w + uint64(0x80-from-26)*ones) & highs
}

// caseOf reports whether s is ASCII, and if so whether it has letters of those from on.
func caseOf(s []byte, from byte) (ascii, changes bool) {
	var high, found uint64
	for ; len(s) >= 8; s = s[8:] {
		w := binary.LittleEndian.Uint64(s)
		high |= w & highs
		found |= letters(w&^highs, from)
	}
	for _, c := range s {
		high |= uint64(c & 0x80)
		found |= letters(uint64(c&0x7f), from)
	}
	return high == 0, found != 0
}

// turnCase is src in dst with the letters from on in the other case.
func turnCase(dst, src []byte, from byte) {
	for len(src) >= 8 {
		w := binary.LittleEndian.Uint64(src)
		binary.LittleEndian.PutUint64(dst, w^letters(w, from)>>2)
		dst, src = dst[8:], src[8:]
	}
	for k, c := range src {
		if c >= from && c < from+26 {
			c ^= 0x20
		}
		dst[k] = c
	}
}

// mapCase turns the letters of one row.
func (f *Frame) mapCase(i int, from byte, fn func(rune) rune) {
	s := f.Args[0].Str(i)
	start := len(f.Out.Buf)
	f.Out.Buf = append(f.Out.Buf, s...)
	for k, c := range f.Out.Buf[start:] {
		switch {
		case c >= utf8.RuneSelf:
			f.Out.Buf = f.Out.Buf[:start+k]
			for _, r := range string(s[k:]) {
				f.Out.Buf = utf8.AppendRune(f.Out.Buf, fn(r))
			}
			f.endText()
			return
		case c >= from && c < from+26:
			f.Out.Buf[start+k] = c ^ 0x20
		}
	}
	f.endText()
}
