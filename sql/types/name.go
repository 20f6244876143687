package types

import (
	"strconv"
	"strings"
)

// Lengths in bytes that tell the TEXT and BLOB kinds apart.
const (
	TinyTextLen   = 1<<8 - 1
	TextLen       = 1<<16 - 1
	MediumTextLen = 1<<24 - 1
	LongTextLen   = 1<<32 - 1
)

var kindNames = map[Kind]string{
	Null: "null", TinyInt: "tinyint", SmallInt: "smallint", MediumInt: "mediumint", Int: "int", BigInt: "bigint",
	Year: "year", Float: "float", Double: "double", Decimal: "decimal", Char: "char", VarChar: "varchar", Text: "text",
	Binary: "binary", VarBinary: "varbinary", Blob: "blob", JSON: "json", Enum: "enum", Date: "date",
	DateTime: "datetime", Timestamp: "timestamp", Time: "time",
}

// String is t in SQL as SHOW COLUMNS prints it, without NOT NULL and collation:
// "bigint unsigned", "decimal(12,2)", "enum('a','b')".
func (t Type) String() string {
	name := kindNames[t.Kind]
	switch t.Kind {
	case TinyInt:
		if t.Bool {
			return "tinyint(1)"
		}
	case Float, Double:
		if t.Scale < NotFixed && t.Prec > 0 {
			name += "(" + strconv.Itoa(t.Prec) + "," + strconv.Itoa(t.Scale) + ")"
		}
	case Decimal:
		name += "(" + strconv.Itoa(t.Prec) + "," + strconv.Itoa(t.Scale) + ")"
	case Char, VarChar, Binary, VarBinary:
		name += "(" + strconv.Itoa(t.Len) + ")"
	case Text, Blob:
		name = sizePrefix(t.Len) + name
	case DateTime, Timestamp, Time:
		if t.Scale > 0 {
			name += "(" + strconv.Itoa(t.Scale) + ")"
		}
	case Enum:
		name += "(" + quoteElements(t.Enum) + ")"
	}
	if t.Unsigned && t.Kind != Year {
		name += " unsigned"
	}
	return name
}

// sizePrefix is what stands before "text" and "blob" for a length in bytes.
func sizePrefix(n int) string {
	switch {
	case n == 0:
		return ""
	case n <= TinyTextLen:
		return "tiny"
	case n <= TextLen:
		return ""
	case n <= MediumTextLen:
		return "medium"
	default:
		return "long"
	}
}

func quoteElements(joined string) string {
	elements := strings.Split(joined, "\x00")
	for i, e := range elements {
		elements[i] = "'" + strings.ReplaceAll(e, "'", "''") + "'"
	}
	return strings.Join(elements, ",")
}
