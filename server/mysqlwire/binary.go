package mysqlwire

import (
	"encoding/binary"
	"math"
	"time"

	"streamsql/operators/batch"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// appendBinaryRow appends row i of the first n columns of c as a prepared
// statement's row: a zero, the bitmap of NULLs with an offset of two bits, then
// the values that are not NULL.
func appendBinaryRow(dst []byte, c *batch.Chunk, n, i int, loc *time.Location) []byte {
	dst = append(dst, 0)
	bitmap := len(dst)
	for range (n + 9) / 8 {
		dst = append(dst, 0)
	}
	for k, v := range c.Cols[:n] {
		if v.IsNull(i) || v.Type.Kind == types.Null {
			dst[bitmap+(k+2)/8] |= 1 << ((k + 2) & 7)
			continue
		}
		dst = appendBinary(dst, v, i, loc)
	}
	return dst
}

func appendBinary(dst []byte, v *vector.Vector, i int, loc *time.Location) []byte {
	switch v.Type.Kind {
	case types.TinyInt:
		return append(dst, byte(v.I[i]))
	case types.SmallInt, types.Year:
		return binary.LittleEndian.AppendUint16(dst, uint16(v.I[i]))
	case types.MediumInt, types.Int:
		return binary.LittleEndian.AppendUint32(dst, uint32(v.I[i]))
	case types.BigInt:
		return binary.LittleEndian.AppendUint64(dst, uint64(v.I[i]))
	case types.Float:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v.F[i])))
	case types.Double:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.F[i]))
	case types.Date, types.DateTime:
		return appendBinaryDateTime(dst, v.I[i])
	case types.Timestamp:
		return appendBinaryDateTime(dst, onClock(v.I[i], loc))
	case types.Time:
		return appendBinaryTime(dst, v.I[i])
	case types.Decimal, types.Enum:
		return appendText(dst, v, i, loc)
	default:
		return appendString(dst, v.Bytes(i))
	}
}

const (
	second = int64(1e6) // microseconds
	day    = 86400 * second
)

// onClock moves microseconds of the UTC clock to the clock of loc.
func onClock(us int64, loc *time.Location) int64 {
	if loc == nil || loc == time.UTC {
		return us
	}
	_, offset := time.UnixMicro(us).In(loc).Zone()
	return us + int64(offset)*second
}

// appendBinaryDateTime appends microseconds since 1970 in the shortest form
// that holds them: 4 bytes for a date, 7 with the time, 11 with microseconds.
func appendBinaryDateTime(dst []byte, us int64) []byte {
	days, rest := types.SplitDay(types.OnCalendar(us))
	year, month, d := types.CivilFromDays(days)
	micro := rest % second
	length := byte(11)
	switch {
	case rest == 0:
		length = 4
	case micro == 0:
		length = 7
	}
	dst = append(dst, length, byte(year), byte(year>>8), byte(month), byte(d))
	if length >= 7 {
		s := rest / second
		dst = append(dst, byte(s/3600), byte(s/60%60), byte(s%60))
	}
	if length == 11 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(micro))
	}
	return dst
}

// appendBinaryTime appends a TIME in the shortest of its forms: 0, 8 or 12 bytes.
func appendBinaryTime(dst []byte, us int64) []byte {
	if us == 0 {
		return append(dst, 0)
	}
	negative := byte(0)
	if us < 0 {
		negative, us = 1, -us
	}
	micro, s := us%second, us/second
	length := byte(12)
	if micro == 0 {
		length = 8
	}
	dst = append(dst, length, negative)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s/86400))
	dst = append(dst, byte(s/3600%24), byte(s/60%60), byte(s%60))
	if length == 12 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(micro))
	}
	return dst
}
