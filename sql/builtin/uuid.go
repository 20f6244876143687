package builtin

import (
	"encoding/hex"

	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	define("is_uuid", "s", total, returns(types.MakeBigInt()), intOf(func(s []byte) int64 {
		if _, ok := parseUUID(s); ok {
			return 1
		}
		return 0
	}))
	define("uuid_to_bin", "s?i", 0, binaryResult(func(*call) int { return 16 }), each(uuidToBinRow))
	define("bin_to_uuid", "s?i", 0, returns(types.MakeVarChar(36)), each(binToUUIDRow))
}

// uuidGroups are the bytes between the dashes of a UUID's text.
var uuidGroups = [...]int{4, 2, 2, 2, 6}

// appendUUID appends a UUID as text.
func (f *Frame) appendUUID(b [16]byte) {
	rest := b[:]
	for k, n := range uuidGroups {
		if k > 0 {
			f.Out.Buf = append(f.Out.Buf, '-')
		}
		f.Out.Buf = hex.AppendEncode(f.Out.Buf, rest[:n])
		rest = rest[n:]
	}
	f.endText()
}

// parseUUID reads the forms that MySQL takes: 32 digits, with dashes between the
// groups, and those in braces.
func parseUUID(s []byte) (b [16]byte, ok bool) {
	if len(s) == 38 && s[0] == '{' && s[37] == '}' {
		s = s[1:37]
	}
	digits := make([]byte, 0, 36)
	switch len(s) {
	case 32:
		digits = append(digits, s...)
	case 36:
		for k, n := range uuidGroups {
			if k > 0 {
				if s[0] != '-' {
					return b, false
				}
				s = s[1:]
			}
			digits = append(digits, s[:2*n]...)
			s = s[2*n:]
		}
	default:
		return b, false
	}
	_, err := hex.Decode(b[:], digits)
	return b, err == nil
}

// swapped reports that the second argument asks for the time's high part in front.
func (f *Frame) swapped(i int) bool {
	return len(f.Args) > 1 && !f.Args[1].NullAt(i) && f.Args[1].Int(i) != 0
}

// uuidToBinRow is UUID_TO_BIN(text [, swap]).
func uuidToBinRow(f *Frame, i int) {
	if f.Args[0].NullAt(i) {
		f.Out.AppendNull()
		return
	}
	b, ok := parseUUID(f.Args[0].Str(i))
	if !ok {
		f.badUUID(i, "uuid_to_bin")
		return
	}
	if f.swapped(i) {
		f.Out.Buf = append(append(append(f.Out.Buf, b[6:8]...), b[4:6]...), b[0:4]...)
	} else {
		f.Out.Buf = append(f.Out.Buf, b[:8]...)
	}
	f.Out.Buf = append(f.Out.Buf, b[8:]...)
	f.endText()
}

// binToUUIDRow is BIN_TO_UUID(bytes [, swap]).
func binToUUIDRow(f *Frame, i int) {
	if f.Args[0].NullAt(i) {
		f.Out.AppendNull()
		return
	}
	s := f.Args[0].Str(i)
	if len(s) != 16 {
		f.badUUID(i, "bin_to_uuid")
		return
	}
	b := [16]byte(s)
	if f.swapped(i) {
		copy(b[0:4], s[4:8])
		copy(b[4:6], s[2:4])
		copy(b[6:8], s[0:2])
	}
	f.appendUUID(b)
}

// badUUID is error 1411 for what is no UUID.
func (f *Frame) badUUID(i int, fn string) {
	f.Fail(i, sqlerr.New(sqlerr.WrongValueForType, "Incorrect string value: '%s' for function %s", f.argText(i), fn))
}
