package builtin

import (
	"encoding/base64"
	"fmt"
	"time"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	// json_of is not there for users: it makes JSON of any value, null of NULL.
	register(function{min: 1, max: 1, flags: nonNull | contextual,
		resolve: func(c *call) (*expr.Expr, error) { return c.result(types.Type{Kind: types.JSON}), nil },
		kernel: func(e *expr.Expr) Kernel {
			if e.Args[0].Type.Kind == types.JSON && e.Args[0].Type.NotNull {
				return passThrough
			}
			truth := isTruth(e.Args[0])
			return each(func(f *Frame, i int) {
				f.Out.Buf = appendJSONOf(f.Out.Buf, f.Args[0], i, truth, f.Location)
				f.endText()
			})
		}}, "json_of")
	// json_parse and json_of_value are CAST(… AS JSON) of text and of anything else.
	defineJSON("json_parse", "j", jsonType, func(c *jsonCall, i int) {
		text, err := normalJSON(nil, c.Args[0].Str(i))
		if err != nil {
			c.Fail(i, sqlerr.New(sqlerr.InvalidJSONTextInArg, "Invalid JSON text in argument 1 to function cast_as_json: \"%s\" at position 0.", err))
			return
		}
		c.Out.AppendBytes(text)
	})
	register(function{min: 1, max: 1, flags: total | contextual,
		resolve: func(c *call) (*expr.Expr, error) { return c.result(jsonType), nil },
		kernel: func(e *expr.Expr) Kernel {
			truth := isTruth(e.Args[0])
			return strict(func(f *Frame, i int) {
				f.Out.Buf = appendJSONOf(f.Out.Buf, f.Args[0], i, truth, f.Location)
				f.endText()
			})
		}}, "json_of_value")
}

// isTruth reports an expression whose 0 and 1 are false and true in JSON: a
// literal or a predicate, not a column.
func isTruth(e *expr.Expr) bool { return e.Type.Bool && e.Op != expr.OpColumn }

// appendJSONOf appends the value of row i as JSON.
func appendJSONOf(dst []byte, a Operand, i int, truth bool, loc *time.Location) []byte {
	if a.NullAt(i) {
		return append(dst, "null"...)
	}
	switch t := a.Type; {
	case t.Kind == types.JSON:
		return append(dst, a.Str(i)...)
	case truth && a.Int(i) != 0:
		return append(dst, "true"...)
	case truth:
		return append(dst, "false"...)
	case t.Class() == types.ClassFloat:
		return appendJSONDouble(dst, a.Float(i))
	case t.IsNumeric():
		return a.AppendTextAt(dst, i, loc)
	case t.IsBinary():
		code := map[types.Kind]int{types.Binary: 254, types.VarBinary: 15, types.Blob: 252}[t.Kind]
		dst = fmt.Appendf(dst, `"base64:type%d:`, code)
		return append(base64.StdEncoding.AppendEncode(dst, a.Str(i)), '"')
	case t.IsTemporal() && t.Kind != types.Date:
		fine := t
		fine.Scale = 6
		dst = append(dst, '"')
		return append(a.As(fine).AppendTextAt(dst, i, loc), '"')
	default:
		return AppendJSONString(dst, a.AppendTextAt(nil, i, loc))
	}
}
