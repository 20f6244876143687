package builtin

import (
	"bytes"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// comparable coerces values so that they can be compared with each other, by
// MySQL's rules for comparison: text with text by collation, numbers as numbers,
// text and numbers with a JSON document as what they are in JSON,
// a date with text as a point of time, anything else as DOUBLE.
func (env *Env) comparable(operation string, args ...*expr.Expr) ([]*expr.Expr, error) {
	var text, json, number, temporal, clock, nonNulls int
	for _, a := range args {
		switch {
		case a.Type.Kind == types.Null:
			continue
		case a.Type.Kind == types.Time:
			clock++
		case a.Type.IsTemporal():
			temporal++
		case a.Type.IsNumeric():
			number++
		case a.Type.Kind == types.JSON:
			json++
			text++
		default:
			text++
		}
		nonNulls++
	}
	switch {
	case nonNulls == 0:
		return args, nil
	case json > 0 && text+number == nonNulls:
		return env.mapArgs(args, func(a *expr.Expr) *expr.Expr {
			if a.Type.Kind != types.JSON { // a text equals the JSON string of it
				a = expr.NewCall("json_of_value", types.Type{Kind: types.JSON, NotNull: a.Type.NotNull}, a)
			}
			return a
		})
	case text == nonNulls:
		texts, err := env.mapArgs(args, env.toText)
		if err != nil {
			return nil, err
		}
		return together(texts, operation)
	case number == nonNulls:
		return commonNumbers(args), nil
	case clock == nonNulls || clock > 0 && clock+text == nonNulls:
		return env.mapArgs(args, orNil(toTime))
	case clock+temporal+text == nonNulls:
		if text > 0 || clock > 0 || mixesZones(args) {
			return env.mapArgs(args, orNil(toDateTime))
		}
		return args, nil
	case temporal > 0 && text == 0 && numbersAreConstant(args):
		return env.mapArgs(args, orNil(toDateTime))
	case text == 0:
		for i, a := range args {
			if a.Type.IsTemporal() {
				args[i] = toNumber(a)
			}
		}
		return commonNumbers(args), nil
	}
	if exact := integerText(args); exact != nil {
		return exact, nil
	}
	return env.mapArgs(args, toDouble)
}

// mapArgs coerces every argument but bare NULLs; error 1525 if f gives nil.
func (env *Env) mapArgs(args []*expr.Expr, f func(*expr.Expr) *expr.Expr) (out []*expr.Expr, err error) {
	out = make([]*expr.Expr, len(args))
	for i, a := range args {
		if out[i] = a; a.Type.Kind == types.Null {
			continue
		}
		if out[i] = f(a); out[i] == nil {
			return nil, sqlerr.New(1525, "Incorrect %s value: '%s'", dateName(args), constantText(a))
		}
	}
	return out, nil
}

// orNil is the coercion to; nil for a constant text that is no such value.
func orNil(to func(*expr.Expr) *expr.Expr) func(*expr.Expr) *expr.Expr {
	return func(e *expr.Expr) *expr.Expr {
		if e.Op == expr.OpConst && e.Type.Class() == types.ClassBytes && !e.Value.Null {
			p := types.ParseDateTime(e.Value.S)
			if t := to(e); t.Type.Kind == types.Time {
				p = types.ParseTime(e.Value.S)
			}
			if !p.OK {
				return nil
			}
		}
		return to(e)
	}
}

// dateName is the type that a wrong constant is said not to be of.
func dateName(args []*expr.Expr) string {
	for _, a := range args {
		switch a.Type.Kind {
		case types.Date:
			return "DATE"
		case types.DateTime:
			return "DATETIME"
		case types.Timestamp:
			return "TIMESTAMP"
		case types.Time:
			return "TIME"
		}
	}
	return "DATETIME"
}

func constantText(e *expr.Expr) string {
	return string(e.Value.Vector(e.Type).AppendText(nil, 0, nil))
}

// mixesZones reports a TIMESTAMP, which runs on the UTC clock, beside others.
func mixesZones(args []*expr.Expr) bool {
	stamps, others := 0, 0
	for _, a := range args {
		switch {
		case a.Type.Kind == types.Timestamp:
			stamps++
		case a.Type.Kind != types.Null:
			others++
		}
	}
	return stamps > 0 && others > 0
}

func numbersAreConstant(args []*expr.Expr) bool {
	for _, a := range args {
		if a.Type.IsNumeric() && (a.Op != expr.OpConst || !types.DateTimeFromNumber(a.Value.I).OK || !a.Type.IsInteger()) {
			return false
		}
	}
	return true
}

// integerText turns constant text into the integer that it spells when all else
// is integers: an exact comparison instead of one by DOUBLE.
func integerText(args []*expr.Expr) []*expr.Expr {
	out := make([]*expr.Expr, len(args))
	for i, a := range args {
		out[i] = a
		if a.Type.IsInteger() || a.Type.Kind == types.Null {
			continue
		}
		if a.Op != expr.OpConst || !a.Type.IsText() {
			return nil
		}
		n := decimal.Parse(a.Value.S, 0)
		v, ok := n.Value.Int64()
		text := decimal.AppendNarrow(nil, v, 0)
		if !ok || !bytes.Equal(text, a.Value.S) {
			return nil
		}
		out[i] = expr.NewInt(v)
	}
	return commonNumbers(out)
}

// commonNumbers brings numbers into one class.
func commonNumbers(args []*expr.Expr) []*expr.Expr {
	class := types.ClassInt
	for _, a := range args {
		switch a.Type.Class() {
		case types.ClassFloat:
			class = types.ClassFloat
		case types.ClassDecimal:
			if class == types.ClassInt {
				class = types.ClassDecimal
			}
		}
	}
	out := make([]*expr.Expr, len(args))
	for i, a := range args {
		out[i] = a
		if a.Type.Kind == types.Null {
			continue
		}
		switch class {
		case types.ClassFloat:
			out[i] = toDouble(a)
		case types.ClassDecimal:
			out[i] = Exact(toDecimal(a))
		}
	}
	return out
}
