package builtin

import (
	"crypto/rand"
	"encoding/hex"

	"streamsql/sql/types"
)

func init() {
	define("uuid", "", nonNull|volatile, returns(types.MakeVarChar(36)), each(func(f *Frame, _ int) { f.appendUUID() }))
}

// appendUUID appends a random UUID (version 4).
func (f *Frame) appendUUID() {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	for k, n := range []int{4, 2, 2, 2, 6} {
		if k > 0 {
			f.Out.Buf = append(f.Out.Buf, '-')
		}
		start := []int{0, 4, 6, 8, 10}[k]
		f.Out.Buf = hex.AppendEncode(f.Out.Buf, b[start:start+n])
	}
	f.endText()
}
