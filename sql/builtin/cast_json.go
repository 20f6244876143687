package builtin

import (
	"bytes"
	"encoding/json"
	"strconv"

	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// castJSON is the cast of a document to a number or a point of time: a string counts
// by its text, true and false as 1 and 0, and a number as what it is. Other documents,
// and texts that are no such value, are 0 or NULL, with warning 3156.
func castJSON(to types.Type, fromText Kernel) Kernel {
	text := types.Type{Kind: types.Text, Len: types.LongTextLen, Collation: types.UTF8MB4Bin}
	return func(f *Frame) {
		a := f.Args[0]
		plain := vector.New(text, a.N)
		for i := range a.N {
			if a.IsNull(i) {
				plain.AppendNull()
				continue
			}
			scalar := jsonScalar(a.Bytes(i), to.IsInteger())
			plain.AppendBytes(scalar)
		}
		ctx := *f.Context
		ctx.Warn = func(uint16, string) {
			if f.Context.Warn != nil {
				f.Context.Warn(sqlerr.InvalidJSONForCast, invalidJSON(to))
			}
		}
		inner := *f
		inner.Context = &ctx
		inner.Args = []Operand{{Vector: plain, mask: a.mask}}
		fromText(&inner)
		f.Pass = inner.Pass
	}
}

func invalidJSON(to types.Type) string {
	kind := "DOUBLE"
	switch {
	case to.IsInteger():
		kind = "INTEGER"
	case to.Kind == types.Decimal:
		kind = "DECIMAL"
	case to.IsTemporal():
		kind = "DATE/TIME"
	}
	return "Invalid JSON value for CAST to " + kind + "."
}

// jsonScalar is the text of a scalar, and a text that is no value of a document that
// is no scalar, or null. With integer a number is rounded.
func jsonScalar(doc []byte, integer bool) []byte {
	doc = bytes.TrimSpace(doc)
	switch {
	case len(doc) == 0:
		return []byte("?")
	case doc[0] == '"':
		var s string
		if json.Unmarshal(doc, &s) != nil {
			return []byte("?")
		}
		return []byte(s)
	case string(doc) == "true":
		return []byte("1")
	case string(doc) == "false":
		return []byte("0")
	case doc[0] != '-' && !isDigit(doc[0]):
		return []byte("?")
	case integer && bytes.ContainsAny(doc, ".eE"):
		if x, err := strconv.ParseFloat(string(doc), 64); err == nil {
			n, _ := floatToInt(x, false) // the nearest end for what is out of range
			return strconv.AppendInt(nil, n, 10)
		}
	}
	return doc
}
