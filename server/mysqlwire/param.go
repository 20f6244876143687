package mysqlwire

import (
	"math"
	"unicode/utf8"

	"github.com/go-mysql-org/go-mysql/mysql"

	"streamsql/server/session"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func nullParam() session.Param { return expr.NewNull() }

// readParam reads a parameter that is not NULL. Of a decimal the client sends
// the text.
func readParam(r *reader, code byte, unsigned bool) (session.Param, error) {
	switch code {
	case mysql.MYSQL_TYPE_TINY:
		return integerParam(int64(int8(r.u8())), 8, unsigned), nil
	case mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_YEAR:
		return integerParam(int64(int16(r.u16())), 16, unsigned), nil
	case mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_INT24:
		return integerParam(int64(int32(r.u32())), 32, unsigned), nil
	case mysql.MYSQL_TYPE_LONGLONG:
		return integerParam(int64(r.u64()), 64, unsigned), nil
	case mysql.MYSQL_TYPE_FLOAT:
		return floatParam(float64(math.Float32frombits(r.u32()))), nil
	case mysql.MYSQL_TYPE_DOUBLE:
		return floatParam(math.Float64frombits(r.u64())), nil
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_TIMESTAMP, mysql.MYSQL_TYPE_NEWDATE:
		return dateTimeParam(r, code)
	case mysql.MYSQL_TYPE_TIME:
		return timeParam(r), nil
	case mysql.MYSQL_TYPE_DECIMAL, mysql.MYSQL_TYPE_NEWDECIMAL:
		return decimalParam(r.lenencBytes())
	case mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_ENUM,
		mysql.MYSQL_TYPE_SET, mysql.MYSQL_TYPE_JSON, mysql.MYSQL_TYPE_BIT:
		return textParam(r.lenencBytes()), nil
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB, mysql.MYSQL_TYPE_BLOB,
		mysql.MYSQL_TYPE_GEOMETRY:
		return bytesParam(r.lenencBytes()), nil
	}
	return nil, errMalformed
}

// longParam is a parameter that came by COM_STMT_SEND_LONG_DATA.
func longParam(code byte, b []byte) session.Param {
	if code >= mysql.MYSQL_TYPE_TINY_BLOB && code <= mysql.MYSQL_TYPE_BLOB {
		return bytesParam(b)
	}
	return textParam(b)
}

func integerParam(v int64, bits int, unsigned bool) session.Param {
	t := types.MakeBigInt()
	if unsigned {
		v &= int64(^uint64(0) >> (64 - bits))
		t.Unsigned = bits == 64
	}
	return expr.NewConst(expr.Value{I: v}, t)
}

// floatParam keeps an integral number that a client without integers (such as
// one in JavaScript) sends as a double an integer: LIMIT ? wants one.
func floatParam(v float64) session.Param {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return expr.NewInt(int64(v))
	}
	return expr.NewConst(expr.Value{F: v}, types.MakeDouble())
}

// textParam is text, or bytes when it is not UTF-8.
func textParam(b []byte) session.Param {
	if !utf8.Valid(b) {
		return bytesParam(b)
	}
	return expr.NewConst(expr.Value{S: clone(b)}, types.MakeVarChar(utf8.RuneCount(b)))
}

// decimalParam reads the digits of a decimal.
func decimalParam(b []byte) (session.Param, error) {
	n := decimal.Parse(b, 30)
	if n.N == 0 || n.N != len(b) || n.Over {
		return nil, sqlerr.New(sqlerr.TruncatedWrongValue, "Incorrect DECIMAL value: '%s'", b)
	}
	t := types.MakeDecimal(65, n.Scale)
	if v, ok := n.Value.Int64(); ok {
		return expr.NewConst(expr.Value{I: v}, t), nil
	}
	return expr.NewConst(expr.Value{Wide: &n.Value}, t), nil
}

func bytesParam(b []byte) session.Param {
	return expr.NewConst(expr.Value{S: clone(b)}, types.Type{Kind: types.VarBinary, Len: len(b), Collation: types.BinaryCollation})
}

// dateTimeParam reads a date with as much of the time as was sent: 0, 4, 7 or 11 bytes.
func dateTimeParam(r *reader, code byte) (session.Param, error) {
	n := r.u8()
	f := reader{b: r.take(uint64(n))}
	if n != 0 && n != 4 && n != 7 && n != 11 {
		return nil, errMalformed
	}
	if n == 0 {
		return nil, sqlerr.New(sqlerr.TruncatedWrongValue, "Incorrect datetime value: '0000-00-00 00:00:00'")
	}
	year, month, d := int(f.u16()), int(f.u8()), int(f.u8())
	var us int64
	if n >= 7 {
		us = (int64(f.u8())*3600 + int64(f.u8())*60 + int64(f.u8())) * second
	}
	scale := 0
	if n == 11 {
		us, scale = us+int64(f.u32()), 6
	}
	if month < 1 || month > 12 || d < 1 || d > types.DaysInMonth(year, month) || us >= day {
		return nil, sqlerr.New(sqlerr.TruncatedWrongValue, "Incorrect datetime value: '%04d-%02d-%02d'", year, month, d)
	}
	t := types.MakeDateTime(scale)
	if code == mysql.MYSQL_TYPE_DATE {
		t, us = types.Type{Kind: types.Date}, 0
	}
	return expr.NewConst(expr.Value{I: types.DaysFromCivil(year, month, d)*day + us}, t), nil
}

// timeParam reads a TIME: 0, 8 or 12 bytes.
func timeParam(r *reader) session.Param {
	n := r.u8()
	f := reader{b: r.take(uint64(n))}
	if n != 0 && n != 8 && n != 12 {
		r.bad = true
		return nil
	}
	t := types.Type{Kind: types.Time}
	var us int64
	if n > 0 {
		negative := f.u8() == 1
		us = int64(f.u32()%(1<<16)) * day // bounded as TIME is, far above 838 hours
		us += (int64(f.u8())*3600 + int64(f.u8())*60 + int64(f.u8())) * second
		if n == 12 {
			us, t.Scale = us+int64(f.u32()), 6
		}
		if negative {
			us = -us
		}
	}
	return expr.NewConst(expr.Value{I: us}, t)
}
