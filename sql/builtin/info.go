package builtin

import (
	"crypto/rand"

	"streamsql/sql/types"
)

func init() {
	define("uuid", "", nonNull|volatile, returns(types.MakeVarChar(36)), each(uuidRow))
}

// uuidRow is UUID(): a random one, of version 4.
func uuidRow(f *Frame, _ int) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	f.appendUUID(b)
}
