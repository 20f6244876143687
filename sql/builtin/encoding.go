package builtin

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 1, max: 1, flags: total, resolve: resolveHex, kernel: hexKernel}, "hex")
	define("unhex", "s", 0, binaryResult(func(c *call) int { return (firstLen(c) + 1) / 2 }), strict(unhexRow))
	define("bin", "s", 0, returns(types.MakeVarChar(64)), strict(func(f *Frame, i int) { f.convert(f.Args[0].Str(i), 10, 2) }))
	define("oct", "s", 0, returns(types.MakeVarChar(64)), strict(func(f *Frame, i int) { f.convert(f.Args[0].Str(i), 10, 8) }))
	define("conv", "sii", 0, returns(types.MakeVarChar(64)), strict(convRow))
	define("char", "i+", nonNull, binaryResult(func(c *call) int { return 4 * len(c.args) }), each(charRow))
	define("md5", "s", total, returns(types.MakeVarChar(32)), strict(func(f *Frame, i int) {
		sum := md5.Sum(f.Args[0].Str(i))
		f.appendHex(sum[:])
	}))
	define("sha1,sha", "s", total, returns(types.MakeVarChar(40)), strict(func(f *Frame, i int) {
		sum := sha1.Sum(f.Args[0].Str(i))
		f.appendHex(sum[:])
	}))
	define("sha2", "si", 0, returns(types.MakeVarChar(128)), strict(sha2Row))
	define("crc32", "s", total, returns(types.Type{Kind: types.BigInt, Unsigned: true}), intOf(func(s []byte) int64 {
		return int64(crc32.ChecksumIEEE(s))
	}))
	define("to_base64", "s", total, textResult(func(c *call) int { return (firstLen(c)*4+2)/3*4 + 4 }), strict(toBase64Row))
	define("from_base64", "s", 0, binaryResult(func(c *call) int { return firstLen(c)*3/4 + 3 }), strict(fromBase64Row))
	define("quote", "s", nonNull, textResult(func(c *call) int { return 2*firstLen(c) + 2 }), each(quoteRow))
	define("soundex", "s", total, textResult(func(c *call) int { return max(firstLen(c), 4) }), strict(soundexRow))
}

// binaryResult is the type of a function that makes bytes.
func binaryResult(n func(c *call) int) func(c *call) types.Type {
	return func(c *call) types.Type {
		return types.Type{Kind: types.VarBinary, Len: n(c), Collation: types.BinaryCollation}
	}
}

const upperHex = "0123456789ABCDEF"

func (f *Frame) appendHex(b []byte) {
	f.Out.Buf = hex.AppendEncode(f.Out.Buf, b)
	f.endText()
}

// resolveHex: HEX of a number is the number in base 16, of text its bytes.
func resolveHex(c *call) (*expr.Expr, error) {
	a := c.args[0]
	if a.Type.Class() == types.ClassFloat || a.Type.Kind == types.Decimal {
		c.args = []*expr.Expr{toDouble(a)}
		return c.result(types.MakeVarChar(16)), nil
	}
	if a.Type.IsNumeric() {
		c.args = []*expr.Expr{c.env.fit(a, 'i')}
		return c.result(types.MakeVarChar(16)), nil
	}
	c.args = []*expr.Expr{c.env.toText(a)}
	return c.result(types.MakeVarChar(8 * textLen(a.Type))), nil
}

func hexKernel(e *expr.Expr) Kernel {
	if e.Args[0].Type.IsInteger() {
		return strict(func(f *Frame, i int) { f.appendHexNumber(uint64(f.Args[0].Int(i))) })
	}
	if e.Args[0].Type.Class() == types.ClassFloat {
		return strict(func(f *Frame, i int) {
			n, st := wholeOf(math.Round(f.Args[0].Float(i)))
			if st == over {
				n = -1
			}
			f.appendHexNumber(uint64(n))
		})
	}
	return strict(func(f *Frame, i int) {
		for _, c := range f.Args[0].Str(i) {
			f.Out.Buf = append(f.Out.Buf, upperHex[c>>4], upperHex[c&15])
		}
		f.endText()
	})
}

func (f *Frame) appendHexNumber(n uint64) {
	start := len(f.Out.Buf)
	f.Out.Buf = strconv.AppendUint(f.Out.Buf, n, 16)
	for k, c := range f.Out.Buf[start:] {
		if c >= 'a' {
			f.Out.Buf[start+k] = c - 'a' + 'A'
		}
	}
	f.endText()
}

// wholeOf is a whole double as 64 bits, signed or not; over: it has more.
func wholeOf(x float64) (int64, status) { return floatToInt(x, x >= 1<<63) }

func unhexRow(f *Frame, i int) {
	s := f.Args[0].Str(i)
	if len(s)%2 == 1 {
		s = append([]byte{'0'}, s...)
	}
	start := len(f.Out.Buf)
	out, err := hex.AppendDecode(f.Out.Buf, s)
	if err != nil {
		f.Out.Buf = f.Out.Buf[:start]
		f.Out.AppendNull()
		return
	}
	f.Out.Buf = out
	f.endText()
}

// convRow is CONV(n, from, to): a negative base means signed numbers.
func convRow(f *Frame, i int) { f.convert(f.Args[0].Str(i), f.Args[1].Int(i), f.Args[2].Int(i)) }

func (f *Frame) convert(s []byte, from, to int64) {
	valid := func(b int64) bool { return b >= 2 && b <= 36 || b <= -2 && b >= -36 }
	s = bytes.TrimSpace(s)
	if !valid(from) || !valid(to) || len(s) == 0 {
		f.Out.AppendNull()
		return
	}
	u := parseBase(s, from)
	if to < 0 {
		f.Out.Buf = append(f.Out.Buf, strings.ToUpper(strconv.FormatInt(int64(u), int(-to)))...)
	} else {
		f.Out.Buf = append(f.Out.Buf, strings.ToUpper(strconv.FormatUint(u, int(to)))...)
	}
	f.endText()
}

// parseBase reads as many digits of a base as there are; too large is the largest.
func parseBase(s []byte, base int64) uint64 {
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	b := uint64(max(base, -base))
	var n uint64
	for _, c := range s {
		d := uint64(36)
		switch {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			d = uint64(c|0x20-'a') + 10
		}
		if d >= b {
			break
		}
		hi, lo := bits.Mul64(n, b)
		if hi != 0 || lo > ^uint64(0)-d {
			n = ^uint64(0)
			break
		}
		n = lo + d
	}
	if base < 0 && n > 1<<63-1 {
		if neg {
			return 1 << 63
		}
		return 1<<63 - 1
	}
	if neg {
		return -n
	}
	return n
}

// charRow is CHAR(n, …): the bytes of each number, without leading zero bytes.
func charRow(f *Frame, i int) {
	for _, a := range f.Args {
		if a.NullAt(i) {
			continue
		}
		n := uint32(a.Int(i))
		for shift := 24; shift >= 0; shift -= 8 {
			if n>>shift > 0 || shift == 0 {
				f.Out.Buf = append(f.Out.Buf, byte(n>>shift))
			}
		}
	}
	f.endText()
}

func sha2Row(f *Frame, i int) {
	s := f.Args[0].Str(i)
	switch f.Args[1].Int(i) {
	case 224:
		sum := sha256.Sum224(s)
		f.appendHex(sum[:])
	case 0, 256:
		sum := sha256.Sum256(s)
		f.appendHex(sum[:])
	case 384:
		sum := sha512.Sum384(s)
		f.appendHex(sum[:])
	case 512:
		sum := sha512.Sum512(s)
		f.appendHex(sum[:])
	default:
		f.NullOut(i)
		f.Problem(i, sqlerr.WrongParametersNative, "Incorrect parameters in the call to native function 'sha2'")
	}
}

// toBase64Row breaks lines after 76 characters.
func toBase64Row(f *Frame, i int) {
	text := base64.StdEncoding.EncodeToString(f.Args[0].Str(i))
	for len(text) > 76 {
		f.Out.Buf = append(append(f.Out.Buf, text[:76]...), '\n')
		text = text[76:]
	}
	f.Out.AppendString(text)
}

func fromBase64Row(f *Frame, i int) {
	s := bytes.Map(func(r rune) rune {
		if r == ' ' || r >= '\t' && r <= '\r' {
			return -1
		}
		return r
	}, f.Args[0].Str(i))
	out, err := base64.StdEncoding.AppendDecode(f.Out.Buf, s)
	if err != nil {
		f.Out.AppendNull()
		return
	}
	f.Out.Buf = out
	f.endText()
}

// quoteRow makes a literal; of NULL the word NULL.
func quoteRow(f *Frame, i int) {
	if f.Args[0].NullAt(i) {
		f.Out.AppendString("NULL")
		return
	}
	f.Out.Buf = append(f.Out.Buf, '\'')
	for _, c := range f.Args[0].Str(i) {
		switch c {
		case '\'', '\\':
			f.Out.Buf = append(f.Out.Buf, '\\', c)
		case 0:
			f.Out.Buf = append(f.Out.Buf, '\\', '0')
		case 26:
			f.Out.Buf = append(f.Out.Buf, '\\', 'Z')
		default:
			f.Out.Buf = append(f.Out.Buf, c)
		}
	}
	f.Out.Buf = append(f.Out.Buf, '\'')
	f.endText()
}

// soundexRow is MySQL's variant: vowels are dropped before duplicates are, and the
// code is as long as it takes, at least four characters.
func soundexRow(f *Frame, i int) {
	const codes = "01230120022455012623010202"
	n := 0
	var last byte
	for _, r := range string(f.Args[0].Str(i)) {
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		code := byte('0') // of letters beyond ASCII, which are all characters from À on
		switch {
		case r >= 'A' && r <= 'Z':
			code = codes[r-'A']
		case r < 0xC0:
			continue
		}
		if n == 0 {
			f.Out.Buf = utf8.AppendRune(f.Out.Buf, r)
			n, last = 1, code
			continue
		}
		if code != '0' && code != last {
			f.Out.Buf = append(f.Out.Buf, code)
			n++
		}
		if code != '0' {
			last = code
		}
	}
	for ; n > 0 && n < 4; n++ {
		f.Out.Buf = append(f.Out.Buf, '0')
	}
	f.endText()
}
