package mysqlwire

import (
	"strconv"
	"time"

	"streamsql/operators/batch"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// nullText marks NULL in a text row.
const nullText = 0xfb

// appendTextRow appends row i of the first n columns of c, as text.
func appendTextRow(dst []byte, c *batch.Chunk, n, i int, loc *time.Location) []byte {
	for _, v := range c.Cols[:n] {
		switch {
		case v.IsNull(i):
			dst = append(dst, nullText)
		case v.Type.Kind >= types.TinyInt && v.Type.Kind <= types.BigInt:
			at := len(dst)
			dst = append(dst, 0)
			if v.Type.Unsigned {
				dst = strconv.AppendUint(dst, uint64(v.I[i]), 10)
			} else {
				dst = strconv.AppendInt(dst, v.I[i], 10)
			}
			dst[at] = byte(len(dst) - at - 1)
		case v.Off != nil:
			dst = appendString(dst, v.Bytes(i))
		default:
			dst = appendText(dst, v, i, loc)
		}
	}
	return dst
}

// appendText appends value i of v as a length-encoded string.
func appendText(dst []byte, v *vector.Vector, i int, loc *time.Location) []byte {
	at := len(dst)
	dst = v.AppendText(append(dst, 0), i, loc)
	n := len(dst) - at - 1
	if n < 251 { // every number and every time
		dst[at] = byte(n)
		return dst
	}
	text := append([]byte(nil), dst[at+1:]...) // a long ENUM element
	return appendString(dst[:at], text)
}
