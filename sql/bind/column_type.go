package bind

import (
	"strings"
	"unicode/utf8"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/charset"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	tidb "github.com/pingcap/tidb/pkg/parser/types"

	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// MySQL's limits on lengths.
const (
	maxCharLen    = 255
	maxVarCharLen = 16383 // characters of 4 bytes in a row of 64 KiB
	maxVarBinLen  = 65535
	maxFsp        = 6
	maxPrecision  = 65
	maxScale      = 30
)

// columnType is the type of a column as CREATE TABLE gives it, in a table of the
// collation def.
func columnType(name string, f *tidb.FieldType, def types.Collation) (types.Type, error) {
	t, err := scalarType(name, f)
	if err != nil {
		return t, err
	}
	if mysql.HasZerofillFlag(f.GetFlag()) {
		return t, sqlerr.Unsupported("ZEROFILL")
	}
	t.Unsigned = t.IsNumeric() && t.Kind != types.Year && mysql.HasUnsignedFlag(f.GetFlag())
	if t.IsText() || t.Kind == types.Enum {
		if err := checkCharset(f.GetCharset()); err != nil {
			return t, err
		}
		c, ok, err := collationOf(f.GetCollate())
		if err != nil {
			return t, err
		}
		if !ok {
			c = def
		}
		t = inCollation(t, c)
	}
	return t, nil
}

var intKinds = map[byte]types.Kind{
	mysql.TypeTiny: types.TinyInt, mysql.TypeShort: types.SmallInt, mysql.TypeInt24: types.MediumInt,
	mysql.TypeLong: types.Int, mysql.TypeLonglong: types.BigInt, mysql.TypeYear: types.Year,
}

func scalarType(name string, f *tidb.FieldType) (types.Type, error) {
	if kind, ok := intKinds[f.GetType()]; ok {
		isBool := kind == types.TinyInt && f.GetFlen() == 1 && !mysql.HasUnsignedFlag(f.GetFlag())
		t := types.Type{Kind: kind, Bool: isBool}
		if isBool {
			t.Len = 1
		}
		return t, nil
	}
	switch f.GetType() {
	case mysql.TypeFloat, mysql.TypeDouble:
		return floatType(name, f)
	case mysql.TypeNewDecimal:
		return decimalType(name, f)
	case mysql.TypeDate, mysql.TypeNewDate:
		return types.Type{Kind: types.Date}, nil
	case mysql.TypeDatetime:
		return temporalType(types.DateTime, name, f)
	case mysql.TypeTimestamp:
		return temporalType(types.Timestamp, name, f)
	case mysql.TypeDuration:
		return temporalType(types.Time, name, f)
	case mysql.TypeJSON:
		return types.Type{Kind: types.JSON}, nil
	case mysql.TypeEnum:
		return enumType(name, f)
	case mysql.TypeSet:
		return types.Type{}, sqlerr.Unsupported("SET columns")
	case mysql.TypeBit:
		return types.Type{}, sqlerr.Unsupported("BIT columns")
	case mysql.TypeGeometry:
		return types.Type{}, sqlerr.Unsupported("GEOMETRY columns")
	}
	return bytesType(name, f)
}

func floatType(name string, f *tidb.FieldType) (types.Type, error) {
	t := types.Type{Kind: types.Float, Scale: types.NotFixed}
	if f.GetType() == mysql.TypeDouble {
		t.Kind = types.Double
	}
	if d := f.GetDecimal(); d >= 0 {
		switch {
		case d > maxScale:
			return t, sqlerr.New(sqlerr.TooBigScale, "Too big scale %d specified for column '%s'. Maximum is %d.", d, name, maxScale)
		case f.GetFlen() < d:
			return t, sqlerr.New(sqlerr.MBiggerThanD, "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s').", name)
		}
		t.Prec, t.Scale = f.GetFlen(), d
	}
	return t, nil
}

func decimalType(name string, f *tidb.FieldType) (types.Type, error) {
	prec, scale := f.GetFlen(), f.GetDecimal()
	if prec <= 0 { // DECIMAL and DECIMAL(0)
		prec = 10
	}
	scale = max(scale, 0)
	switch {
	case scale > maxScale:
		return types.Type{}, sqlerr.New(sqlerr.TooBigScale, "Too big scale %d specified for column '%s'. Maximum is %d.", scale, name, maxScale)
	case prec > maxPrecision:
		return types.Type{}, sqlerr.New(sqlerr.TooBigPrecision, "Too-big precision %d specified for '%s'. Maximum is %d.", prec, name, maxPrecision)
	case prec < scale:
		return types.Type{}, sqlerr.New(sqlerr.MBiggerThanD, "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s').", name)
	}
	return types.MakeDecimal(prec, scale), nil
}

func temporalType(kind types.Kind, name string, f *tidb.FieldType) (types.Type, error) {
	fsp := max(f.GetDecimal(), 0)
	if fsp > maxFsp {
		return types.Type{}, sqlerr.New(sqlerr.TooBigPrecision, "Too-big precision %d specified for '%s'. Maximum is %d.", fsp, name, maxFsp)
	}
	return types.Type{Kind: kind, Scale: fsp}, nil
}

func enumType(name string, f *tidb.FieldType) (types.Type, error) {
	seen := make(map[string]bool)
	elements := make([]string, len(f.GetElems()))
	for i, e := range f.GetElems() {
		e = strings.TrimRight(e, " ")
		if seen[e] {
			return types.Type{}, sqlerr.New(sqlerr.DuplicatedValueInType, "Column '%s' has duplicated value '%s' in ENUM", name, e)
		}
		if strings.ContainsRune(e, 0) {
			return types.Type{}, sqlerr.Unsupported("a NUL in an ENUM element")
		}
		seen[e], elements[i] = true, e
	}
	return types.Type{Kind: types.Enum, Enum: strings.Join(elements, "\x00")}, nil
}

// bytesType is text and binary text. TiDB tells TEXT from BLOB by the charset.
func bytesType(name string, f *tidb.FieldType) (types.Type, error) {
	binary := f.GetCharset() == charset.CharsetBin
	n := f.GetFlen()
	kind := func(text, bin types.Kind, n int) types.Type {
		if binary {
			return types.Type{Kind: bin, Len: n, Collation: types.BinaryCollation}
		}
		return types.Type{Kind: text, Len: n}
	}
	switch f.GetType() {
	case mysql.TypeString:
		if n < 0 {
			n = 1
		}
		if n > maxCharLen {
			return types.Type{}, tooLong(name, maxCharLen, "BLOB or TEXT")
		}
		return kind(types.Char, types.Binary, n), nil
	case mysql.TypeVarchar, mysql.TypeVarString:
		limit := maxVarCharLen
		if binary {
			limit = maxVarBinLen
		}
		if n > limit {
			return types.Type{}, tooLong(name, limit, "BLOB or TEXT")
		}
		return kind(types.VarChar, types.VarBinary, max(n, 0)), nil
	case mysql.TypeTinyBlob:
		return kind(types.Text, types.Blob, 1<<8-1), nil
	case mysql.TypeBlob:
		return kind(types.Text, types.Blob, sizedBlob(n)), nil
	case mysql.TypeMediumBlob:
		return kind(types.Text, types.Blob, 1<<24-1), nil
	case mysql.TypeLongBlob:
		return kind(types.Text, types.Blob, 1<<32-1), nil
	}
	return types.Type{}, sqlerr.Unsupported("type " + f.String())
}

// sizedBlob is the length of the smallest TEXT or BLOB that holds n.
func sizedBlob(n int) int {
	switch {
	case n < 0:
		return 1<<16 - 1
	case n < 1<<8:
		return 1<<8 - 1
	case n < 1<<16:
		return 1<<16 - 1
	case n < 1<<24:
		return 1<<24 - 1
	}
	return 1<<32 - 1
}

func tooLong(name string, limit int, instead string) error {
	return sqlerr.New(sqlerr.TooBigFieldLength, "Column length too big for column '%s' (max = %d); use %s instead", name, limit, instead)
}

// castType is the target of CAST.
func castType(n *ast.FuncCastExpr) (types.Type, error) {
	f := n.Tp
	switch f.GetType() {
	case mysql.TypeLonglong:
		return types.Type{Kind: types.BigInt, Unsigned: mysql.HasUnsignedFlag(f.GetFlag())}, nil
	case mysql.TypeVarString, mysql.TypeString:
		if f.GetCharset() == charset.CharsetBin {
			t := types.Type{Kind: types.VarBinary, Len: castLen(f), Collation: types.BinaryCollation}
			if t.Len > 0 {
				t.Kind = types.Binary // filled up to that
			}
			return t, nil
		}
		if n.ExplicitCharSet {
			if err := checkCharset(f.GetCharset()); err != nil {
				return types.Type{}, err
			}
		}
		return types.MakeVarChar(castLen(f)), nil
	}
	return scalarType("cast", f)
}

// castLen is the length of CAST AS CHAR(n); 0 without n: as long as it takes.
func castLen(f *tidb.FieldType) int { return max(f.GetFlen(), 0) }

// checkCharset refuses what is not stored: all text is utf8mb4.
func checkCharset(name string) error {
	switch strings.ToLower(name) {
	case "", charset.CharsetUTF8MB4, charset.CharsetUTF8, "utf8mb3", charset.CharsetBin:
		return nil
	}
	return sqlerr.Unsupported("character set " + name)
}

// collationOf is the collation of a name; false for the empty one.
func collationOf(name string) (c types.Collation, ok bool, err error) {
	if name == "" {
		return c, false, nil
	}
	if c, ok = types.ParseCollation(strings.ToLower(name)); !ok {
		return c, false, sqlerr.Unsupported("collation " + name)
	}
	return c, true, nil
}

// inCollation gives text the collation c. In the binary one text is bytes.
func inCollation(t types.Type, c types.Collation) types.Type {
	switch {
	case !t.IsText() && t.Kind != types.Enum:
		return t
	case c == types.BinaryCollation && t.IsText():
		t.Kind = map[types.Kind]types.Kind{types.Char: types.Binary, types.VarChar: types.VarBinary, types.Text: types.Blob}[t.Kind]
	}
	t.Collation = c
	return t
}

// maxIdentifier is the most characters of a name.
const maxIdentifier = 64

// checkIdentifier checks the name of something new: errors 1059 and the given
// one for a name that MySQL does not take.
func checkIdentifier(name string, wrong uint16, what string) error {
	switch {
	case utf8.RuneCountInString(name) > maxIdentifier:
		return sqlerr.New(sqlerr.TooLongIdent, "Identifier name '%s' is too long", name)
	case name == "", strings.HasSuffix(name, " "), strings.ContainsRune(name, 0):
		return sqlerr.New(wrong, "Incorrect %s name '%s'", what, name)
	}
	return nil
}
