package builtin

import (
	"strings"

	"streamsql/sql/expr"
)

// message writes e as MySQL quotes expressions in its messages, every operator
// in parentheses: `((a + 1) * b)`.
func message(e *expr.Expr) string {
	var b strings.Builder
	writeMessage(&b, e)
	return b.String()
}

func writeMessage(b *strings.Builder, e *expr.Expr) {
	if e.Op != expr.OpCall {
		b.WriteString(e.String())
		return
	}
	list := func(sep string) {
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString(sep)
			}
			writeMessage(b, a)
		}
	}
	switch {
	case e.Fn == "coerce" || e.Fn == "to_scale" || e.Fn == "assign":
		writeMessage(b, e.Args[0])
	case e.Fn == "cast":
		b.WriteString("cast(")
		writeMessage(b, e.Args[0])
		b.WriteString(" as " + e.Type.String() + ")")
	case isOperator(e.Fn) && len(e.Args) == 1:
		b.WriteString(e.Fn + "(")
		writeMessage(b, e.Args[0])
		b.WriteByte(')')
	case isOperator(e.Fn):
		b.WriteByte('(')
		list(" " + strings.ToUpper(e.Fn) + " ")
		b.WriteByte(')')
	default:
		b.WriteString(e.Fn + "(")
		list(",")
		b.WriteByte(')')
	}
}

func isOperator(fn string) bool {
	return fn == "div" || fn == "and" || fn == "or" || fn == "xor" || fn == "like" || fn[0] < 'a'
}
