package builtin

import (
	"bytes"
	"math/bits"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// coerce is an implicit cast of e to t. A constant is cast at once, unless that
// would lose something that a row should hear of.
func coerce(e *expr.Expr, t types.Type) *expr.Expr {
	t.NotNull = e.Type.NotNull && !mayFail(e.Type, t)
	if e.Op == expr.OpConst && e.Value.Null {
		return expr.NewConst(*e.Value, t)
	}
	if same(e.Type, t) {
		return e
	}
	if t.IsNumeric() { // text shows what is to be seen, a number is made of all digits
		e = Exact(e)
	}
	return foldConst(expr.NewCall("coerce", t, e))
}

// mayFail reports a cast that gives NULL for some values.
func mayFail(from, to types.Type) bool {
	return to.IsTemporal() && !from.IsTemporal() || to.Kind == types.JSON || from.IsBinary() && to.IsText()
}

// same reports types whose values lie and mean the same.
func same(a, b types.Type) bool {
	a.NotNull, b.NotNull = false, false
	a.Bool, b.Bool = false, false
	if a.IsInteger() && b.IsInteger() && a.Kind != types.Year && b.Kind != types.Year {
		return a.Unsigned == b.Unsigned && a.Kind <= b.Kind
	}
	return a == b
}

// foldConst computes a call of constants, if nothing of the Context matters and
// nothing goes wrong.
func foldConst(e *expr.Expr) *expr.Expr {
	if !Foldable(e) {
		return e
	}
	k := KernelOf(e)
	if k == nil {
		return e
	}
	args := make([]Operand, len(e.Args))
	for i, a := range e.Args {
		if a.Op != expr.OpConst {
			return e
		}
		args[i] = Constant(a.Value.Vector(a.Type))
	}
	clean := true
	ctx := &Context{Fail: func(int, error) { clean = false }, Warn: func(uint16, string) { clean = false },
		Note: func(uint16, string) { clean = false }}
	out, ok := Run(ctx, k, e, args)
	if !clean || !ok {
		return e
	}
	return expr.NewConst(expr.ValueOf(out, 0), e.Type)
}

// foldTree is foldConst of everything below e, then of e.
func foldTree(e *expr.Expr) *expr.Expr {
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op != expr.OpCall {
			return x
		}
		return foldConst(x)
	})
}

// toText coerces e to text; bytes stay as they are.
func (env *Env) toText(e *expr.Expr) *expr.Expr {
	if e.Type.Class() == types.ClassBytes && e.Type.Kind != types.JSON {
		return e
	}
	t := types.MakeVarChar(textLen(e.Type))
	t.Collation = env.Collation
	if e.Type.Kind == types.Enum {
		t.Collation = e.Type.Collation
	}
	return coerce(e, t)
}

// toDouble coerces e to DOUBLE.
func toDouble(e *expr.Expr) *expr.Expr {
	if e.Type.Class() == types.ClassFloat {
		return e
	}
	if isHex(e) {
		return coerce(hexNumber(e), types.MakeDouble())
	}
	return coerce(e, types.MakeDouble())
}

// toNumber coerces e to the type that it has in arithmetic: text is DOUBLE,
// dates and times are the number that their digits make.
func toNumber(e *expr.Expr) *expr.Expr {
	switch t := e.Type; {
	case t.Kind == types.Null:
		return expr.NewConst(expr.Value{Null: true}, types.MakeBigInt())
	case t.Kind == types.Enum:
		return coerce(e, types.MakeBigInt())
	case t.IsNumeric():
		return e
	case t.IsTemporal() && t.Scale > 0:
		return coerce(e, types.MakeDecimal(temporalDigits(t)+t.Scale, t.Scale))
	case t.IsTemporal():
		return coerce(e, types.MakeBigInt())
	case isHex(e):
		return hexNumber(e)
	}
	return toDouble(e)
}

// temporalDigits is how many digits a temporal value has as a whole number.
func temporalDigits(t types.Type) int {
	switch t.Kind {
	case types.Date:
		return 8
	case types.Time:
		return 7
	}
	return 14
}

// toDecimal coerces an integer or DECIMAL so that it lies as a scaled integer:
// signed integers do already.
func toDecimal(e *expr.Expr) *expr.Expr {
	if e.Type.Class() == types.ClassDecimal || e.Type.IsInteger() && (!e.Type.Unsigned || e.Type.Kind != types.BigInt) {
		return e
	}
	p, s := digits(e)
	return coerce(e, types.MakeDecimal(p, s))
}

// toDateTime coerces e to a point of time on the session's clock.
func toDateTime(e *expr.Expr) *expr.Expr {
	if e.Type.Kind == types.DateTime || e.Type.Kind == types.Date {
		return e
	}
	return coerce(e, types.MakeDateTime(fractionDigits(e)))
}

// toTime coerces e to a TIME.
func toTime(e *expr.Expr) *expr.Expr {
	if e.Type.Kind == types.Time {
		return e
	}
	return coerce(e, types.Type{Kind: types.Time, Scale: fractionDigits(e)})
}

// fractionDigits is how many digits of a second e has as a temporal value: those
// written for a constant text, at most six for others.
func fractionDigits(e *expr.Expr) int {
	switch t := e.Type; {
	case t.IsTemporal() || t.Kind == types.Decimal:
		return min(t.Scale, 6)
	case t.IsInteger() || t.Kind == types.Null:
		return 0
	}
	if e.Op == expr.OpConst && e.Type.Class() == types.ClassBytes && !e.Value.Null {
		if i := bytes.LastIndexByte(e.Value.S, '.'); i >= 0 {
			if p := types.ParseTime(e.Value.S); p.OK {
				return p.Fsp
			}
			return types.ParseDateTime(e.Value.S).Fsp
		}
		return 0
	}
	return 6
}

// HexLiteral is a hexadecimal or bit literal: a binary string that is a number
// in arithmetic.
func HexLiteral(b []byte) *expr.Expr {
	e := expr.NewConst(expr.Value{S: b}, types.Type{Kind: types.VarBinary, Len: len(b), Collation: types.BinaryCollation})
	e.Name = "0x"
	return e
}

func isHex(e *expr.Expr) bool { return e.Op == expr.OpConst && e.Name == "0x" && !e.Value.Null }

// hexNumber is the number of a hexadecimal literal: its last 8 bytes.
func hexNumber(e *expr.Expr) *expr.Expr {
	var n uint64
	for _, c := range e.Value.S {
		n = n<<8 | uint64(c)
	}
	return expr.NewConst(expr.Value{I: int64(n)}, types.Type{Kind: types.BigInt, Unsigned: true})
}

// digits is the precision and scale that a number has as a DECIMAL.
func digits(e *expr.Expr) (prec, scale int) {
	t := e.Type
	if e.Op == expr.OpConst && t.IsInteger() && !e.Value.Null {
		return intDigits(e.Value.I, t.Unsigned), 0
	}
	switch t.Kind {
	case types.Decimal:
		return t.Prec, t.Scale
	case types.TinyInt:
		if t.Bool {
			return 1, 0
		}
		return 3, 0
	case types.SmallInt:
		return 5, 0
	case types.MediumInt:
		return 8, 0
	case types.Int:
		return 10, 0
	case types.Year:
		return 4, 0
	case types.BigInt:
		if t.Unsigned {
			return 20, 0
		}
		return 19, 0
	case types.Null:
		return 1, 0
	}
	if t.IsTemporal() {
		return temporalDigits(t) + t.Scale, t.Scale
	}
	return 65, 30
}

// intDigits is how many digits v has, at least 1.
func intDigits(v int64, unsigned bool) int {
	u := uint64(v)
	if v < 0 && !unsigned {
		u = -u
	}
	n := max(bits.Len64(u)*1233>>12, 0)
	w := decimal.FromUint64(u)
	if w.Cmp(decimal.Pow10(n)) >= 0 {
		n++
	}
	return max(n, 1)
}

// textLen is how many characters the values of t have at most as text.
func textLen(t types.Type) int {
	switch t.Kind {
	case types.Null:
		return 0
	case types.TinyInt:
		return 4
	case types.SmallInt:
		return 6
	case types.MediumInt:
		return 9
	case types.Int:
		return 11
	case types.BigInt:
		return 20
	case types.Year:
		return 4
	case types.Float:
		return 12
	case types.Double:
		return 22
	case types.Decimal:
		return t.Prec + 1 + min(t.Scale, 1)
	case types.Date:
		return 10
	case types.DateTime, types.Timestamp:
		return 19 + min(t.Scale, 1) + t.Scale
	case types.Time:
		return 10 + min(t.Scale, 1) + t.Scale
	case types.Enum:
		n := 0
		for _, e := range t.Elements() {
			n = max(n, len([]rune(e)))
		}
		return n
	}
	return t.Len
}
