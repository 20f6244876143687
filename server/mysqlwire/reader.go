package mysqlwire

import (
	"bytes"
	"encoding/binary"
)

// reader takes fields off a payload. A read past the end gives zeros and sets
// bad for good, so that a caller may check once, after the last field.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// lenenc is a length-encoded integer; the marks of NULL and of an error are bad.
func (r *reader) lenenc() uint64 {
	switch n := r.u8(); n {
	case 0xfb, 0xff:
		r.bad = true
		return 0
	case 0xfc:
		return uint64(r.u16())
	case 0xfd:
		b := r.take(3)
		if b == nil {
			return 0
		}
		return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16
	case 0xfe:
		return r.u64()
	default:
		return uint64(n)
	}
}

// lenencBytes is a length-encoded string. It shares the payload's memory.
func (r *reader) lenencBytes() []byte { return r.take(r.lenenc()) }

// nul is a string that ends with a zero byte.
func (r *reader) nul() string {
	i := bytes.IndexByte(r.b, 0)
	if i < 0 || r.bad {
		r.bad = true
		return ""
	}
	s := string(r.b[:i])
	r.b = r.b[i+1:]
	return s
}

// nulOrRest is a string that ends with a zero byte or with the packet.
func (r *reader) nulOrRest() string {
	if bytes.IndexByte(r.b, 0) < 0 && !r.bad {
		return string(r.take(uint64(len(r.b))))
	}
	return r.nul()
}
