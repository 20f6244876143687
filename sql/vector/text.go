package vector

import (
	"strconv"
	"time"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
)

// AppendText appends value i as MySQL prints it. A NULL appends nothing: ask
// IsNull first. A TIMESTAMP is shown on the clock of loc (nil: UTC).
func (v *Vector) AppendText(dst []byte, i int, loc *time.Location) []byte {
	if v.IsNull(i) {
		return dst
	}
	switch v.Type.Kind {
	case types.Null:
		return dst
	case types.Float:
		return types.AppendFloat(dst, v.F[i], v.Type.Scale)
	case types.Double:
		return types.AppendDouble(dst, v.F[i], v.Type.Scale)
	case types.Decimal:
		if v.W != nil {
			return decimal.AppendText(dst, v.W[i], v.Type.Scale)
		}
		return decimal.AppendNarrow(dst, v.I[i], v.Type.Scale)
	case types.Year:
		return types.AppendYear(dst, v.I[i])
	case types.Enum:
		return append(dst, v.Type.Element(v.I[i])...)
	case types.Date:
		return types.AppendDate(dst, v.I[i])
	case types.DateTime:
		return types.AppendDateTime(dst, v.I[i], v.Type.Scale)
	case types.Timestamp:
		return types.AppendDateTime(dst, types.ToClock(v.I[i], loc), v.Type.Scale)
	case types.Time:
		return types.AppendTime(dst, v.I[i], v.Type.Scale)
	}
	if v.Type.Class() == types.ClassBytes {
		return append(dst, v.Bytes(i)...)
	}
	if v.Type.Unsigned {
		return strconv.AppendUint(dst, uint64(v.I[i]), 10)
	}
	return strconv.AppendInt(dst, v.I[i], 10)
}
