// Package types holds the SQL types of the dialect and says how a value of
// each lies in memory. It is a leaf: it imports nothing of the project.
package types

import (
	"slices"
	"strings"
)

// Kind is a SQL type without its attributes.
type Kind uint8

// The kinds. The order is part of every stored format: append, never insert.
const (
	Null Kind = iota // the type of a bare NULL
	TinyInt
	SmallInt
	MediumInt
	Int
	BigInt
	Year
	Float
	Double
	Decimal
	Char
	VarChar
	Text // TINYTEXT … LONGTEXT, told apart by Len
	Binary
	VarBinary
	Blob // TINYBLOB … LONGBLOB, told apart by Len
	JSON
	Enum
	Date
	DateTime
	Timestamp
	Time
)

// Collation orders and compares text.
type Collation uint8

// The collations. UTF8MB4Bin is the default of every text column.
const (
	UTF8MB4Bin Collation = iota
	BinaryCollation
	UTF8MB4GeneralCI
	UTF8MB40900AICI
)

// collationNames are the collations' names.
var collationNames = [...]string{"utf8mb4_bin", "binary", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci"}

func (c Collation) String() string { return collationNames[c] }

// ParseCollation finds a collation by its name, in lower case; utf8_… and
// utf8mb3_… are those of utf8mb4, in which all text is.
func ParseCollation(name string) (Collation, bool) {
	for _, short := range []string{"utf8_", "utf8mb3_"} {
		if rest, ok := strings.CutPrefix(name, short); ok {
			name = "utf8mb4_" + rest
		}
	}
	i := slices.Index(collationNames[:], name)
	return Collation(max(i, 0)), i >= 0
}

// Class is how values of a type lie in a vector.
type Class uint8

// The classes.
//
//   - ClassInt: an int64. Integers by value (BIGINT UNSIGNED by bit pattern),
//     BOOL as 0/1, YEAR as the year, ENUM as the 1-based ordinal, DATE,
//     DATETIME and TIMESTAMP as microseconds since 1970-01-01 00:00:00 (DATE at
//     midnight; TIMESTAMP on the UTC clock, the others on their own clock),
//     TIME as signed microseconds.
//   - ClassFloat: a float64 (FLOAT rounded to 32 bits).
//   - ClassDecimal: an integer scaled by 10^Scale: an int64 while the whole
//     vector is narrow, else 256 bits (package decimal).
//   - ClassBytes: bytes. Text is valid UTF-8; JSON is normalised JSON text.
const (
	ClassInt Class = iota
	ClassFloat
	ClassDecimal
	ClassBytes
)

// NotFixed as the Scale of FLOAT and DOUBLE: as many digits as it takes.
const NotFixed = 31

// Type is a SQL type with its attributes. It is comparable and small: pass it
// by value.
type Type struct {
	Kind      Kind      `json:"kind"`
	Unsigned  bool      `json:"unsigned,omitempty"`
	NotNull   bool      `json:"not_null,omitempty"`  // no value is NULL: a fact of a column, or proved of an expression
	Bool      bool      `json:"bool,omitempty"`      // TINYINT that came of BOOL or of a predicate (printed as tinyint(1))
	Prec      int       `json:"prec,omitempty"`      // DECIMAL: digits, 1–65
	Scale     int       `json:"scale,omitempty"`     // DECIMAL: digits after the point, 0–30; temporal: digits of a second, 0–6; FLOAT, DOUBLE: NotFixed or digits shown
	Len       int       `json:"len,omitempty"`       // text: characters; binary text: bytes; integers: display width or 0
	Collation Collation `json:"collation,omitempty"` // text
	Enum      string    `json:"enum,omitempty"`      // ENUM: its elements joined by \x00
}

// Class says how values of t lie in a vector.
func (t Type) Class() Class {
	switch t.Kind {
	case Float, Double:
		return ClassFloat
	case Decimal:
		return ClassDecimal
	case Char, VarChar, Text, Binary, VarBinary, Blob, JSON:
		return ClassBytes
	default: // NULL too: a vector of NULLs is an int vector without a valid row
		return ClassInt
	}
}

// IsInteger reports the integer kinds, YEAR included.
func (t Type) IsInteger() bool { return t.Kind >= TinyInt && t.Kind <= Year }

// IsNumeric reports integers, floats and DECIMAL.
func (t Type) IsNumeric() bool { return t.Kind >= TinyInt && t.Kind <= Decimal }

// IsText reports the kinds that hold characters.
func (t Type) IsText() bool { return t.Kind == Char || t.Kind == VarChar || t.Kind == Text }

// Folds reports types of which SQL may hold values equal that are more apart than by
// spaces at their end: JSON (1 and 1.0), and text of a collation that takes letters
// of either case for one.
func (t Type) Folds() bool {
	return t.Kind == JSON || t.IsText() && (t.Collation == UTF8MB4GeneralCI || t.Collation == UTF8MB40900AICI)
}

// IsBinary reports the kinds that hold bytes without a character set.
func (t Type) IsBinary() bool { return t.Kind == Binary || t.Kind == VarBinary || t.Kind == Blob }

// IsTemporal reports DATE, DATETIME, TIMESTAMP and TIME.
func (t Type) IsTemporal() bool { return t.Kind >= Date && t.Kind <= Time }

// HasDate reports the temporal kinds that hold a date.
func (t Type) HasDate() bool { return t.Kind == Date || t.Kind == DateTime || t.Kind == Timestamp }

// Nullable returns t without the promise that no value is NULL.
func (t Type) Nullable() Type { t.NotNull = false; return t }

// Constructors for the types that the code itself makes.

// MakeBigInt is BIGINT.
func MakeBigInt() Type { return Type{Kind: BigInt} }

// MakeBool is the type of a predicate.
func MakeBool() Type { return Type{Kind: TinyInt, Bool: true, Len: 1} }

// MakeDouble is DOUBLE.
func MakeDouble() Type { return Type{Kind: Double, Scale: NotFixed} }

// MakeDecimal is DECIMAL(prec, scale), both cut to what MySQL allows.
func MakeDecimal(prec, scale int) Type {
	scale = min(scale, 30)
	return Type{Kind: Decimal, Prec: max(1, min(max(prec, scale), 65)), Scale: scale}
}

// MakeVarChar is VARCHAR(n) in the default collation.
func MakeVarChar(n int) Type { return Type{Kind: VarChar, Len: n} }

// MakeDateTime is DATETIME(fsp).
func MakeDateTime(fsp int) Type { return Type{Kind: DateTime, Scale: fsp} }
