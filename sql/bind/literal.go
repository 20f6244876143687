package bind

import (
	"strings"
	"unicode/utf8"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/charset"

	"streamsql/sql/builtin"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// literal makes a constant of what was typed.
func (b *binder) literal(n *parser.Literal) (*expr.Expr, error) {
	switch v := n.GetValue().(type) {
	case nil:
		return expr.NewNull(), nil
	case int64:
		if n.IsBool() {
			return expr.NewConst(expr.Value{I: v}, types.MakeBool()), nil
		}
		return intLiteral(v), nil
	case uint64:
		return unsignedLiteral(v), nil
	case float64:
		return expr.NewConst(expr.Value{F: v}, types.MakeDouble()), nil
	case parser.Decimal:
		return decimalLiteral(string(v))
	case parser.Binary:
		return builtin.HexLiteral([]byte(v)), nil
	case string:
		return textLiteral(v, n.GetType().GetCharset())
	default:
		return nil, sqlerr.Unsupported("this kind of literal")
	}
}

// intLiteral is a BIGINT whose Len is its digits: they decide the precision of
// a decimal that it becomes part of.
func intLiteral(v int64) *expr.Expr {
	t := types.MakeBigInt()
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	t.Len = digits(u)
	return expr.NewConst(expr.Value{I: v}, t)
}

func unsignedLiteral(v uint64) *expr.Expr {
	return expr.NewConst(expr.Value{I: int64(v)}, types.Type{Kind: types.BigInt, Unsigned: true, Len: digits(v)})
}

func digits(u uint64) int {
	n := 1
	for ; u >= 10; u /= 10 {
		n++
	}
	return n
}

// decimalLiteral is exact, with the precision and scale that are written.
func decimalLiteral(text string) (*expr.Expr, error) {
	whole, frac, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	whole = strings.TrimLeft(whole, "0")
	scale := min(len(frac), 30)
	num := decimal.Parse([]byte(text), scale)
	if len(whole)+scale > 65 || num.N == 0 || num.Over {
		return nil, sqlerr.New(sqlerr.IllegalValueForType, "Illegal %s value found during parsing", "decimal")
	}
	return expr.NewConst(decimalValue(num.Value), types.MakeDecimal(max(len(whole)+scale, 1), scale)), nil
}

// decimalValue is w in its narrow form if it has one.
func decimalValue(w decimal.Wide) expr.Value {
	if n, ok := w.Int64(); ok {
		return expr.Value{I: n}
	}
	return expr.Value{Wide: &w}
}

// negatedLiteral folds the sign of a number as typed; nil if node is none.
func negatedLiteral(node ast.ExprNode) (*expr.Expr, error) {
	l, ok := node.(*parser.Literal)
	if !ok || l.IsBool() {
		return nil, nil
	}
	switch v := l.GetValue().(type) {
	case int64:
		return intLiteral(-v), nil
	case uint64:
		if v == 1<<63 {
			return intLiteral(-1 << 63), nil
		}
		return decimalLiteral("-" + unsignedLiteral(v).String())
	case float64:
		return expr.NewConst(expr.Value{F: -v}, types.MakeDouble()), nil
	case parser.Decimal:
		return decimalLiteral("-" + string(v))
	default:
		return nil, nil
	}
}

// textLiteral is text in the session's character set or one that an introducer names.
func textLiteral(s, cs string) (*expr.Expr, error) {
	switch strings.ToLower(cs) {
	case charset.CharsetBin:
		return expr.NewConst(expr.Value{S: []byte(s)}, types.Type{Kind: types.VarBinary, Len: len(s), Collation: types.BinaryCollation}), nil
	case "", charset.CharsetUTF8MB4, charset.CharsetUTF8, "utf8mb3", charset.CharsetASCII:
		if !utf8.ValidString(s) {
			return nil, sqlerr.New(sqlerr.InvalidCharacter, "Invalid utf8mb4 character string: '%x'", firstInvalid(s))
		}
		return expr.NewConst(expr.Value{S: []byte(s)}, types.MakeVarChar(utf8.RuneCountInString(s))), nil
	default:
		return nil, sqlerr.Unsupported("character set " + cs)
	}
}

// firstInvalid is a piece of s from its first byte that is not UTF-8.
func firstInvalid(s string) string {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return s[i:min(len(s), i+6)]
		}
		i += n
	}
	return ""
}

// param binds `?`: to its value if that is known.
func (b *binder) param(n *parser.Param) (*expr.Expr, error) {
	if b.view {
		return nil, sqlerr.New(sqlerr.ViewSelectVariable, "View's SELECT contains a variable or parameter")
	}
	if n.Order < len(b.env.Params) {
		return b.env.Params[n.Order], nil
	}
	for len(b.params) <= n.Order {
		b.params = append(b.params, types.Type{})
	}
	if n.Order < len(b.env.ParamTypes) {
		b.params[n.Order] = b.env.ParamTypes[n.Order]
	}
	return &expr.Expr{Op: expr.OpParam, Col: n.Order, Type: b.params[n.Order]}, nil
}

// settle gives the parameters among args whose type is open the type of the
// others, or VARCHAR if none has one.
func (b *binder) settle(args []*expr.Expr) {
	known := types.MakeVarChar(255)
	for _, a := range args {
		if a.Type.Kind != types.Null {
			known = a.Type.Nullable()
			break
		}
	}
	for i, a := range args {
		if a.Op == expr.OpParam && a.Type.Kind == types.Null {
			args[i] = b.typed(a, known)
		}
	}
}

// typed is an open parameter with its type found.
func (b *binder) typed(p *expr.Expr, t types.Type) *expr.Expr {
	c := *p
	c.Type = t
	b.params[p.Col] = t
	return &c
}

// temporalLiteral is DATE'…', TIME'…' or TIMESTAMP'…'; error 1525 for what is none.
func temporalLiteral(kind types.Kind, text string) (*expr.Expr, error) {
	var p types.Parsed
	if kind == types.Time {
		p = types.ParseTime([]byte(text))
	} else {
		p = types.ParseDateTime([]byte(text))
	}
	t := types.Type{Kind: kind}
	if kind != types.Date {
		t.Scale = p.Fsp
	}
	if !p.OK || p.Cut || kind == types.Date && p.HasTime || kind == types.DateTime && !p.HasTime {
		return nil, sqlerr.New(sqlerr.WrongValue, "Incorrect %s value: '%s'", strings.ToUpper(types.Type{Kind: kind}.String()), text)
	}
	return expr.NewConst(expr.Value{I: p.US}, t), nil
}
