package agg

import (
	"strings"
	"unicode/utf8"

	"streamsql/sql/expr"
	"streamsql/sql/routine"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// DefaultDivPrecision is MySQL's default of div_precision_increment: how many
// digits AVG adds to the scale of its argument.
const DefaultDivPrecision = 4

// sumDigits is how many digits SUM adds to the precision of its argument.
const sumDigits = 22

// known are the aggregate functions, by their names and synonyms: the name that
// a Call has.
var known = map[string]string{
	"count": "count", "approx_count_distinct": "count", "sum": "sum", "avg": "avg", "min": "min", "max": "max",
	"bit_and": "bit_and", "bit_or": "bit_or", "bit_xor": "bit_xor",
	"std": "stddev_pop", "stddev": "stddev_pop", "stddev_pop": "stddev_pop", "stddev_samp": "stddev_samp",
	"variance": "var_pop", "var_pop": "var_pop", "var_samp": "var_samp",
	"group_concat": "group_concat", "json_arrayagg": "json_arrayagg", "json_objectagg": "json_objectagg",
	"any_value": "any_value", "first_value": "first_value", "last_value": "last_value", "median": "median",
	"percentile_cont": "percentile_cont", "percentile_disc": "percentile_disc", "approx_percentile": "approx_percentile",
}

// IsAggregate reports whether fn, in lower case, is an aggregate function.
func IsAggregate(fn string) bool { return known[fn] != "" }

// Request is an aggregate as it was written, its arguments bound.
type Request struct {
	Fn       string // lower case
	Args     []*expr.Expr
	Distinct bool
	Order    []*expr.Expr
	Desc     []bool // one for each of Order
	Apart    int    // how many of the last of Order are what GROUP_CONCAT puts together
	// Filter is the condition of FILTER, 1 where a row counts; nil: every row does.
	Filter       *expr.Expr
	Separator    string
	MaxLen       int64
	Fraction     float64
	Reverse      bool
	DivPrecision int
	Routine      *routine.Definition // a function of the user's own, which Fn names
}

// Resolve types an aggregate with the default div_precision_increment.
func Resolve(fn string, args []*expr.Expr, distinct bool) (Call, error) {
	return Request{Fn: fn, Args: args, Distinct: distinct, DivPrecision: DefaultDivPrecision}.Resolve()
}

// Resolve finds the result type of an aggregate, as MySQL 8 does, and puts the
// casts to DOUBLE of its arguments in; casts to text, JSON and BIGINT UNSIGNED are
// for the caller to have made. COUNT(*) has no arguments, nor has COUNT of a
// constant once resolved.
func (r Request) Resolve() (Call, error) {
	c, err := r.call()
	if err != nil {
		return Call{}, err
	}
	c.Desc = r.Desc
	if len(r.Order) == 0 {
		c.Desc = nil
	} else {
		c.Args = append(append([]*expr.Expr(nil), c.Args...), r.Order...)
	}
	if r.Filter != nil {
		c.Args = append(append([]*expr.Expr(nil), c.Args...), r.Filter)
		c.Filtered = true
	}
	return c, nil
}

// call is the call without order and filter.
func (r Request) call() (Call, error) {
	if r.Routine != nil { // the arguments have their parameters' carriers
		return Call{Fn: Routine, Args: r.Args, Distinct: r.Distinct, Type: routine.Carrier(r.Routine.Returns), Routine: r.Routine}, nil
	}
	fn, ok := known[r.Fn]
	if !ok {
		return Call{}, sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s does not exist", r.Fn)
	}
	if fn == "count" {
		return resolveCount(r.Args, r.Distinct || r.Fn == "approx_count_distinct"), nil
	}
	want := 1
	if fn == "json_objectagg" {
		want = 2
	}
	if len(r.Args) != want && (fn != "group_concat" || len(r.Args) == 0) {
		return Call{}, sqlerr.New(sqlerr.WrongParamCountNative, "Incorrect parameter count in the call to native function '%s'", strings.ToUpper(r.Fn))
	}
	c := Call{Fn: fn, Args: r.Args, Distinct: r.Distinct, Apart: r.Apart, Separator: r.Separator, MaxLen: r.MaxLen, Fraction: r.Fraction, Reverse: r.Reverse}
	switch arg := r.Args[0]; fn {
	case "sum", "avg":
		return r.resolveSum(c)
	case "min", "max":
		c.Distinct = false // the smallest of distinct values is the smallest of all
		if arg.Type.Kind == types.Enum {
			arg = expr.NewCall("cast", enumText(arg.Type), arg) // by its text, not by its place
			c.Args = []*expr.Expr{arg}
		}
		c.Type = arg.Type.Nullable()
	case "any_value", "first_value", "last_value", "percentile_disc", "approx_percentile":
		c.Type = arg.Type.Nullable()
	case "bit_and", "bit_or", "bit_xor":
		c.Type = types.Type{Kind: types.BigInt, Unsigned: true, NotNull: true}
	case "median", "percentile_cont":
		if arg.Type.IsTemporal() {
			return Call{}, sqlerr.Unsupported(strings.ToUpper(r.Fn) + " of a temporal value (use PERCENTILE_DISC)")
		}
		c.Args, c.Type = []*expr.Expr{asDouble(arg)}, types.MakeDouble()
	case "group_concat":
		c.Type = types.Type{Kind: types.Text, Len: types.LongTextLen, Collation: arg.Type.Collation}
		if arg.Type.IsBinary() {
			c.Type.Kind = types.Blob
		}
	case "json_arrayagg", "json_objectagg":
		c.Type = types.Type{Kind: types.JSON}
	default: // variances
		if t := arg.Type; !t.IsInteger() && (t.Kind != types.Decimal || t.Prec > 18) {
			c.Args = []*expr.Expr{asDouble(arg)}
		}
		c.Type = types.MakeDouble()
	}
	return c, nil
}

func (r Request) resolveSum(c Call) (Call, error) {
	switch t := c.Args[0].Type; {
	case t.IsInteger() || t.Kind == types.Decimal:
		prec, scale := digits(t), 0
		if t.Kind == types.Decimal {
			scale = t.Scale
		}
		c.Type = types.MakeDecimal(prec+sumDigits, scale)
		if c.Fn == "avg" {
			c.Type = types.MakeDecimal(prec+r.DivPrecision, scale+r.DivPrecision)
		}
	case t.IsTemporal():
		return Call{}, sqlerr.Unsupported(strings.ToUpper(c.Fn) + " of a temporal value")
	default: // text, and what MySQL treats like it: by its number, as DOUBLE
		c.Args, c.Type = []*expr.Expr{asDouble(c.Args[0])}, types.MakeDouble()
	}
	return c, nil
}

func asDouble(e *expr.Expr) *expr.Expr {
	if e.Type.Class() == types.ClassFloat {
		return e
	}
	return expr.NewCall("cast", types.MakeDouble(), e)
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
	switch c.Keeping() {
	case Total:
		return !c.Distinct
	case End: // the smallest of the smallest, as long as none is taken back
		return appendOnly && len(c.Desc) == 0 && !c.SeesNulls()
	}
	return false
}

// KeepsValues reports that each value of a group must be remembered.
func KeepsValues(c Call, appendOnly bool) bool {
	switch c.Keeping() {
	case Total:
		return c.Distinct
	case End:
		return !appendOnly
	}
	return true
}

// Partial returns the types of the columns that a Reduce gives for the call:
//
//	COUNT     how many
//	SUM, AVG  the total; how many values are in it. The total of DOUBLE is an
//	          exact sum in its own form (binary)
//	MIN, MAX, ANY_VALUE  the value (append-only input)
//	of the user's own    what is known of the rows (binary)
//	others    the state as it lies in a row (binary)
//
// It is for calls that Splits.
func Partial(c Call) []types.Type {
	count := types.MakeBigInt()
	count.NotNull = true
	switch c.Fn {
	case "count":
		return []types.Type{count}
	case Routine:
		return []types.Type{{Kind: types.VarBinary, NotNull: true, Len: routine.MaxState}}
	case "min", "max", "any_value":
		return []types.Type{c.Type}
	case "sum", "avg":
		if c.Type.Kind == types.Double {
			return []types.Type{{Kind: types.VarBinary, NotNull: true, Len: exactSize}, count}
		}
		total := types.MakeDecimal(65, argScale(c))
		total.NotNull = true
		return []types.Type{total, count}
	}
	return []types.Type{{Kind: types.VarBinary, NotNull: true, Len: totalSize(c)}}
}

// totalSize is the size of a state that is its own partial.
func totalSize(c Call) int {
	switch {
	case c.Fn == "bit_xor":
		return 8
	case c.Fn == "bit_and" || c.Fn == "bit_or":
		return bitsSize
	case c.Args[0].Type.Class() == types.ClassFloat:
		return exactMomentsSize
	}
	return momentsSize
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
