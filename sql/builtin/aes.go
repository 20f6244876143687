package builtin

import (
	"crypto/aes"
	"crypto/cipher"
	"strconv"
	"strings"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// AES in the modes of block_encryption_mode. The call ends with the mode that the
// session had when it was resolved.

func init() {
	for _, name := range []string{"aes_encrypt", "aes_decrypt"} {
		register(function{min: 2, max: 3, resolve: resolveAES, kernel: aesKernel}, name)
	}
}

// DefaultBlockMode is the default of block_encryption_mode.
const DefaultBlockMode = "aes-128-ecb"

// blockMode is a value of block_encryption_mode.
type blockMode struct {
	keyLen int
	chain  string
	shift  int // cfb: bits a step
}

// IsBlockMode reports a value that block_encryption_mode may have.
func IsBlockMode(s string) bool {
	_, ok := parseBlockMode(s)
	return ok
}

func parseBlockMode(s string) (blockMode, bool) {
	parts := strings.Split(strings.ToLower(s), "-")
	if len(parts) != 3 || parts[0] != "aes" {
		return blockMode{}, false
	}
	n, _ := strconv.Atoi(parts[1])
	if n != 128 && n != 192 && n != 256 {
		return blockMode{}, false
	}
	m := blockMode{keyLen: n / 8, chain: parts[2]}
	switch m.chain {
	case "ecb", "cbc", "ofb":
	case "cfb1", "cfb8", "cfb128":
		m.shift, _ = strconv.Atoi(m.chain[3:])
		m.chain = "cfb"
	default:
		return blockMode{}, false
	}
	return m, true
}

// resolveAES adds the mode as the last argument; modes but ECB need a start vector.
func resolveAES(c *call) (*expr.Expr, error) {
	text := c.env.BlockMode
	if text == "" {
		text = DefaultBlockMode
	}
	if m, ok := parseBlockMode(text); !ok || m.chain != "ecb" && len(c.args) < 3 {
		return nil, sqlerr.New(sqlerr.WrongParamCountNative, "Incorrect parameter count in the call to native function '%s'", c.fn)
	}
	args := make([]*expr.Expr, 0, 4)
	for _, a := range c.args {
		args = append(args, c.env.toText(a))
	}
	c.args = append(args, expr.NewConst(expr.Value{S: []byte(text)}, types.MakeVarChar(len(text))))
	n := firstLen(c)
	if args[0].Type.IsText() {
		n *= 4
	}
	return c.result(types.Type{Kind: types.VarBinary, Len: n + aes.BlockSize, Collation: types.BinaryCollation}), nil
}

func aesKernel(e *expr.Expr) Kernel {
	last := len(e.Args) - 1
	mode, _ := parseBlockMode(string(e.Args[last].Value.S))
	encrypt := e.Fn == "aes_encrypt"
	var fixed cipher.Block // of a constant key
	if k := e.Args[1]; k.Op == expr.OpConst && !k.Value.Null {
		fixed, _ = aes.NewCipher(foldKey(k.Value.S, mode.keyLen))
	}
	return strict(func(f *Frame, i int) {
		var start []byte
		if mode.chain == "ecb" {
			if last == 3 && i == 0 {
				f.warnIgnored("iv")
			}
		} else if start = f.Args[2].Str(i); len(start) < aes.BlockSize {
			f.Fail(i, sqlerr.New(sqlerr.AESInvalidIV, "The initialization vector supplied to %s is too short. Must be at least 16 bytes long", f.Call.Fn))
			return
		} else {
			start = start[:aes.BlockSize]
		}
		block := fixed
		if block == nil {
			block, _ = aes.NewCipher(foldKey(f.Args[1].Str(i), mode.keyLen)) // of a length that it has
		}
		from := len(f.Out.Buf)
		f.Out.Buf = append(f.Out.Buf, f.Args[0].Str(i)...)
		var ok bool
		if encrypt {
			f.Out.Buf, ok = mode.encrypt(block, start, f.Out.Buf, from), true
		} else if f.Out.Buf, ok = mode.decrypt(block, start, f.Out.Buf, from); !ok {
			f.Out.Buf = f.Out.Buf[:from]
			f.Out.AppendNull()
			return
		}
		f.endText()
	})
}

// warnIgnored is warning 1618: the mode needs no start vector.
func (f *Frame) warnIgnored(option string) {
	if f.Context.Warn != nil {
		f.Context.Warn(sqlerr.WarnOptionIgnored, "<"+strings.ToUpper(option)+"> option ignored")
	}
}

// foldKey makes a key of any length one of n bytes, by XOR.
func foldKey(key []byte, n int) []byte {
	out := make([]byte, n)
	for k, c := range key {
		out[k%n] ^= c
	}
	return out
}

// encrypt does it in place, from a place of buf on; the padding of PKCS 7 is added
// where whole blocks are needed.
func (m blockMode) encrypt(block cipher.Block, start, buf []byte, from int) []byte {
	if m.chain == "ecb" || m.chain == "cbc" {
		pad := aes.BlockSize - (len(buf)-from)%aes.BlockSize
		for range pad {
			buf = append(buf, byte(pad))
		}
	}
	data := buf[from:]
	switch m.chain {
	case "cbc":
		cipher.NewCBCEncrypter(block, start).CryptBlocks(data, data)
	case "ecb":
		for ; len(data) > 0; data = data[aes.BlockSize:] {
			block.Encrypt(data, data)
		}
	case "ofb":
		outputFeedback(block, start, data)
	default:
		m.feedback(block, start, data, true)
	}
	return buf
}

func (m blockMode) decrypt(block cipher.Block, start, buf []byte, from int) ([]byte, bool) {
	data := buf[from:]
	switch m.chain {
	case "ofb":
		outputFeedback(block, start, data)
		return buf, true
	case "cfb":
		m.feedback(block, start, data, false)
		return buf, true
	}
	if len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return buf, false
	}
	if m.chain == "cbc" {
		cipher.NewCBCDecrypter(block, start).CryptBlocks(data, data)
	} else {
		for rest := data; len(rest) > 0; rest = rest[aes.BlockSize:] {
			block.Decrypt(rest, rest)
		}
	}
	pad := int(data[len(data)-1])
	if pad == 0 || pad > aes.BlockSize {
		return buf, false
	}
	for _, c := range data[len(data)-pad:] {
		if int(c) != pad {
			return buf, false
		}
	}
	return buf[:len(buf)-pad], true
}

// outputFeedback is NIST SP 800-38A, 6.4.
func outputFeedback(block cipher.Block, start, data []byte) {
	state := append([]byte(nil), start...)
	for k := range data {
		if k%aes.BlockSize == 0 {
			block.Encrypt(state, state)
		}
		data[k] ^= state[k%aes.BlockSize]
	}
}

// feedback is cipher feedback (NIST SP 800-38A, 6.3) of 1, 8 or 128 bits a step.
func (m blockMode) feedback(block cipher.Block, start, data []byte, encrypt bool) {
	state, out := append([]byte(nil), start...), make([]byte, aes.BlockSize)
	switch m.shift {
	case 128:
		for k := range data {
			if k%aes.BlockSize == 0 {
				block.Encrypt(out, state)
			}
			in := data[k]
			data[k] ^= out[k%aes.BlockSize]
			if state[k%aes.BlockSize] = in; encrypt {
				state[k%aes.BlockSize] = data[k]
			}
		}
	case 8:
		for k := range data {
			block.Encrypt(out, state)
			in := data[k]
			data[k] ^= out[0]
			copy(state, state[1:])
			if state[aes.BlockSize-1] = in; encrypt {
				state[aes.BlockSize-1] = data[k]
			}
		}
	default:
		for k := range 8 * len(data) {
			at := 7 - uint(k)%8
			block.Encrypt(out, state)
			in := data[k/8] >> at & 1
			data[k/8] ^= out[0] >> 7 << at
			next := in
			if encrypt {
				next = data[k/8] >> at & 1
			}
			shiftLeft(state, next)
		}
	}
}

// shiftLeft moves all bits up by one and puts a bit in at the end.
func shiftLeft(b []byte, low byte) {
	for k := len(b) - 1; k >= 0; k-- {
		b[k], low = b[k]<<1|low, b[k]>>7
	}
}
