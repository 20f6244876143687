package agg

import (
	"strings"
	"unicode/utf8"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// DefaultDivPrecision is MySQL's default of div_precision_increment: how many
// digits AVG adds to the scale of its argument.
const DefaultDivPrecision = 4

// sumDigits is how many digits SUM adds to the precision of its argument.
const sumDigits = 22

// known are MySQL's aggregate functions; true: there already.
var known = map[string]bool{
	"count": true, "sum": true, "avg": true, "min": true, "max": true,
	"bit_and": false, "bit_or": false, "bit_xor": false, "group_concat": false, "any_value": false,
	"json_arrayagg": false, "json_objectagg": false, "std": false, "stddev": false, "stddev_pop": false,
	"stddev_samp": false, "var_pop": false, "var_samp": false, "variance": false,
	"approx_count_distinct": false, "approx_percentile": false, "median": false, "percentile_cont": false,
}

// IsAggregate reports whether fn, in lower case, is an aggregate function, of
// those too that are not there yet.
func IsAggregate(fn string) bool {
	_, ok := known[fn]
	return ok
}

// Resolve types an aggregate with the default div_precision_increment.
func Resolve(fn string, args []*expr.Expr, distinct bool) (Call, error) {
	return ResolveWith(fn, args, distinct, DefaultDivPrecision)
}

// ResolveWith finds the result type of an aggregate, as MySQL 8 does, and puts
// the casts of its arguments in. COUNT(*) has no arguments, nor has COUNT of a
// constant once resolved. fn is lower case.
func ResolveWith(fn string, args []*expr.Expr, distinct bool, divPrecision int) (Call, error) {
	there, ok := known[fn]
	if !ok {
		return Call{}, sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s does not exist", fn)
	}
	if !there {
		return Call{}, sqlerr.Unsupported(strings.ToUpper(fn))
	}
	if fn == "count" {
		return resolveCount(args, distinct), nil
	}
	if len(args) != 1 {
		return Call{}, sqlerr.New(sqlerr.WrongParamCountNative, "Incorrect parameter count in the call to native function '%s'", strings.ToUpper(fn))
	}
	arg := args[0]
	if fn == "min" || fn == "max" {
		if arg.Type.Kind == types.Enum { // by its text, not by its place
			arg = expr.NewCall("cast", enumText(arg.Type), arg)
			return Call{Fn: fn, Args: []*expr.Expr{arg}, Type: arg.Type.Nullable()}, nil
		}
		// The smallest of distinct values is the smallest of all.
		return Call{Fn: fn, Args: args, Type: arg.Type.Nullable()}, nil
	}
	switch t := arg.Type; {
	case t.Kind == types.Float || t.Kind == types.Double:
		return Call{Fn: fn, Args: args, Distinct: distinct, Type: types.MakeDouble()}, nil
	case t.IsInteger() || t.Kind == types.Decimal:
		prec, scale := digits(t), 0
		if t.Kind == types.Decimal {
			scale = t.Scale
		}
		rt := types.MakeDecimal(prec+sumDigits, scale)
		if fn == "avg" {
			rt = types.MakeDecimal(prec+divPrecision, scale+divPrecision)
		}
		return Call{Fn: fn, Args: args, Distinct: distinct, Type: rt}, nil
	case t.IsTemporal():
		return Call{}, sqlerr.Unsupported(strings.ToUpper(fn) + " of a temporal value")
	default: // text, and what MySQL treats like it: by its number, as DOUBLE
		cast := expr.NewCall("cast", types.MakeDouble(), arg)
		return Call{Fn: fn, Args: []*expr.Expr{cast}, Distinct: distinct, Type: types.MakeDouble()}, nil
	}
}

func resolveCount(args []*expr.Expr, distinct bool) Call {
	t := types.MakeBigInt()
	t.NotNull = true
	if !distinct && len(args) == 1 && args[0].Op == expr.OpConst && !args[0].IsNull() {
		args = nil
	}
	return Call{Fn: "count", Args: args, Distinct: distinct, Type: t}
}

// digits is the precision of a number as MySQL counts it for SUM and AVG: by
// the display width of its type.
func digits(t types.Type) int {
	switch t.Kind {
	case types.Decimal:
		return t.Prec
	case types.TinyInt:
		if t.Bool {
			return 1
		}
		return 3
	case types.SmallInt:
		return 5
	case types.MediumInt:
		return 8
	case types.Int:
		return 10
	case types.Year:
		return 4
	default:
		if t.Unsigned {
			return 20
		}
		return 19
	}
}

// Splits reports whether a Reduce can work the aggregate off ahead of the Merge
// (Partial says with what between them): not what needs to see each value.
func Splits(c Call, appendOnly bool) bool {
	return !c.Distinct && (appendOnly || c.Fn != "min" && c.Fn != "max")
}

// Partial returns the types of the columns that a Reduce gives for the call:
//
//	COUNT     how many
//	SUM, AVG  the total; how many values are in it. The total of DOUBLE is an
//	          exact sum in its own form (binary)
//	MIN, MAX  the value (append-only input)
//
// It is for calls that Splits.
func Partial(c Call) []types.Type {
	count := types.MakeBigInt()
	count.NotNull = true
	switch c.Fn {
	case "count":
		return []types.Type{count}
	case "min", "max":
		return []types.Type{c.Type}
	}
	if c.Type.Kind == types.Double {
		return []types.Type{{Kind: types.VarBinary, NotNull: true, Len: exactSize}, count}
	}
	total := types.MakeDecimal(65, argScale(c))
	total.NotNull = true
	return []types.Type{total, count}
}

func argScale(c Call) int {
	if t := c.Args[0].Type; t.Kind == types.Decimal {
		return t.Scale
	}
	return 0
}

// enumText is the type of an ENUM's values as text.
func enumText(t types.Type) types.Type {
	text := types.MakeVarChar(0)
	text.Collation, text.NotNull = t.Collation, t.NotNull
	for _, e := range t.Elements() {
		text.Len = max(text.Len, utf8.RuneCountInString(e))
	}
	return text
}
