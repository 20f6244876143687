package mysqlwire

import (
	"strings"
	"unicode/utf8"

	"github.com/go-mysql-org/go-mysql/mysql"

	"streamsql/planner/physical"
	"streamsql/sql/types"
)

// Collation ids of the protocol.
const (
	charsetBinary  = 63
	charsetUTF8MB4 = 255 // utf8mb4_0900_ai_ci: what a client of 8.0 expects as "utf8mb4"
)

// wireType is how the protocol describes a type.
type wireType struct {
	code     byte
	charset  uint16
	length   uint32 // longest value as text, in bytes
	flags    uint16
	decimals byte
}

// describe says how the protocol describes t.
func describe(t types.Type) wireType {
	w := wireType{charset: charsetBinary, flags: mysql.BINARY_FLAG}
	switch {
	case t.IsInteger():
		w.code, w.length = integerType(t)
	case t.IsTemporal():
		w.code, w.length = temporalType(t)
		w.decimals = byte(t.Scale)
		if t.Scale > 0 && t.Kind != types.Date {
			w.length += uint32(t.Scale) + 1
		}
	case t.Class() == types.ClassBytes || t.Kind == types.Enum:
		describeText(t, &w)
	default:
		describeNumber(t, &w)
	}
	if t.NotNull {
		w.flags |= mysql.NOT_NULL_FLAG
	}
	if t.Unsigned || t.Kind == types.Year {
		w.flags |= mysql.UNSIGNED_FLAG
	}
	return w
}

// integerType gives the code and the display width of an integer type.
func integerType(t types.Type) (code byte, length uint32) {
	unsigned := uint32(0)
	if t.Unsigned {
		unsigned = 1
	}
	switch t.Kind {
	case types.TinyInt:
		code, length = mysql.MYSQL_TYPE_TINY, 4-unsigned
	case types.SmallInt:
		code, length = mysql.MYSQL_TYPE_SHORT, 6-unsigned
	case types.MediumInt:
		code, length = mysql.MYSQL_TYPE_INT24, 9-unsigned
	case types.Int:
		code, length = mysql.MYSQL_TYPE_LONG, 11-unsigned
	case types.Year:
		return mysql.MYSQL_TYPE_YEAR, 4
	default:
		code, length = mysql.MYSQL_TYPE_LONGLONG, 20
	}
	if t.Bool {
		length = 1
	}
	return code, length
}

func temporalType(t types.Type) (code byte, length uint32) {
	switch t.Kind {
	case types.Date:
		return mysql.MYSQL_TYPE_DATE, 10
	case types.DateTime:
		return mysql.MYSQL_TYPE_DATETIME, 19
	case types.Timestamp:
		return mysql.MYSQL_TYPE_TIMESTAMP, 19
	default:
		return mysql.MYSQL_TYPE_TIME, 10
	}
}

func describeText(t types.Type, w *wireType) {
	const perChar = 4 // bytes of a character in utf8mb4
	switch t.Kind {
	case types.Char, types.VarChar, types.Text:
		w.charset, w.flags = charsetUTF8MB4, 0
		w.length = uint32(min(int64(t.Len)*perChar, 1<<32-1))
		if t.Collation == types.UTF8MB4Bin {
			w.flags = mysql.BINARY_FLAG
		}
	case types.JSON:
		w.length = 1<<32 - 1
	case types.Enum:
		w.charset, w.flags = charsetUTF8MB4, mysql.ENUM_FLAG
		for e := range strings.SplitSeq(t.Enum, "\x00") {
			w.length = max(w.length, uint32(utf8.RuneCountInString(e))*perChar)
		}
	default:
		w.length = uint32(min(int64(t.Len), 1<<32-1))
	}
	switch t.Kind {
	case types.Char, types.Binary, types.Enum:
		w.code = mysql.MYSQL_TYPE_STRING
	case types.Text, types.Blob:
		w.code = mysql.MYSQL_TYPE_BLOB
		w.flags |= mysql.BLOB_FLAG
	case types.JSON:
		w.code = mysql.MYSQL_TYPE_JSON
		w.flags |= mysql.BLOB_FLAG
	default:
		w.code = mysql.MYSQL_TYPE_VAR_STRING
	}
}

func describeNumber(t types.Type, w *wireType) {
	switch t.Kind {
	case types.Float:
		w.code, w.length, w.decimals = mysql.MYSQL_TYPE_FLOAT, 12, byte(t.Scale)
	case types.Double:
		w.code, w.length, w.decimals = mysql.MYSQL_TYPE_DOUBLE, 23, byte(t.Scale)
	case types.Decimal:
		w.code, w.decimals = mysql.MYSQL_TYPE_NEWDECIMAL, byte(t.Scale)
		w.length = uint32(t.Prec)
		if t.Scale > 0 {
			w.length++ // the point
		}
		if !t.Unsigned {
			w.length++ // the sign
		}
	default:
		w.code = mysql.MYSQL_TYPE_NULL
	}
}

// appendColumn appends a column definition.
func appendColumn(dst []byte, f physical.Field) []byte {
	w := describe(f.Type)
	dst = append(dst, 3, 'd', 'e', 'f', 0, 0, 0) // catalog; database, table and its alias are not known of a result
	dst = appendString(dst, f.Name)
	dst = append(dst, 0, 0x0c) // original name; length of what follows
	return append(dst,
		byte(w.charset), byte(w.charset>>8),
		byte(w.length), byte(w.length>>8), byte(w.length>>16), byte(w.length>>24),
		w.code, byte(w.flags), byte(w.flags>>8), w.decimals, 0, 0)
}
