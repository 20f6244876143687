package ingest

import (
	"math"
	"strconv"
	"strings"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Kind is the kind of a Value.
type Kind uint8

// The kinds. Numbers are told apart as MySQL does: Int has digits only (perhaps
// more than fit 64 bits), Decimal a point, Float an exponent.
const (
	Null Kind = iota
	True
	False
	Int
	Decimal
	Float
	Text
	Document // a JSON object or array that is known to be well formed
	Moment   // a date and time of day
)

// Value is a value as it was sent.
type Value struct {
	Kind Kind
	// Small says that Num is the value of an Int. Of a Moment it is the microseconds
	// since 1970, as the clock shows them.
	Small bool
	Num   int64
	// Bytes are a number with its sign, a text without quotes and escapes, or a JSON
	// document. They are good until the next value is read.
	Bytes []byte
}

// maxSmallDigits is how many digits an int64 always holds.
const maxSmallDigits = 18

// constant is the value as the literal of an INSERT.
func (v *Value) constant() (*expr.Expr, error) {
	switch v.Kind {
	case Null:
		return expr.NewNull(), nil
	case True, False:
		n := int64(0)
		if v.Kind == True {
			n = 1
		}
		return expr.NewConst(expr.Value{I: n}, types.MakeBool()), nil
	case Int:
		if n, err := strconv.ParseInt(string(v.Bytes), 10, 64); err == nil {
			return expr.NewConst(expr.Value{I: n}, types.MakeBigInt()), nil
		}
		if n, err := strconv.ParseUint(string(v.Bytes), 10, 64); err == nil {
			return expr.NewConst(expr.Value{I: int64(n)}, types.Type{Kind: types.BigInt, Unsigned: true}), nil
		}
		return decimalConstant(string(v.Bytes))
	case Decimal:
		return decimalConstant(string(v.Bytes))
	case Float:
		f, err := strconv.ParseFloat(string(v.Bytes), 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, illegalNumber("double", v.Bytes)
		}
		return expr.NewConst(expr.Value{F: f}, types.MakeDouble()), nil
	}
	if v.Kind == Moment {
		return expr.NewConst(expr.Value{I: v.Num}, types.MakeDateTime(6)), nil
	}
	t := types.Type{Kind: types.VarChar}
	if v.Kind == Document {
		t.Kind = types.JSON
	}
	return expr.NewConst(expr.Value{S: v.Bytes}, t), nil
}

func decimalConstant(text string) (*expr.Expr, error) {
	whole, frac, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	whole = strings.TrimLeft(whole, "0")
	scale := min(len(frac), 30)
	num := decimal.Parse([]byte(text), scale)
	if len(whole)+scale > 65 || num.N == 0 || num.Over {
		return nil, illegalNumber("decimal", []byte(text))
	}
	value := expr.Value{Wide: &num.Value}
	if n, ok := num.Value.Int64(); ok {
		value = expr.Value{I: n}
	}
	return expr.NewConst(value, types.MakeDecimal(max(len(whole)+scale, 1), scale)), nil
}

func illegalNumber(kind string, text []byte) error {
	return sqlerr.New(sqlerr.IllegalValueForType, "Illegal %s '%.64s' value found during parsing", kind, text)
}
