package builtin

import (
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	for _, op := range []string{"+", "*"} {
		register(function{min: 2, max: 2, flags: total, resolve: resolveArith, kernel: arithKernel}, op)
	}
	register(function{min: 1, max: 2, flags: total, resolve: resolveArith, kernel: arithKernel}, "-")
	for _, op := range []string{"/", "div"} {
		register(function{min: 2, max: 2, resolve: resolveArith, kernel: arithKernel}, op)
	}
	register(function{min: 2, max: 2, resolve: resolveArith, kernel: arithKernel}, "%", "mod")
	register(function{min: 1, max: 1, flags: total, resolve: func(c *call) (*expr.Expr, error) { return c.result(c.args[0].Type), nil },
		kernel: toScaleKernel}, "to_scale")
}

// resolveArith finds the types of + − * / DIV % (Item_func_num_op and its kin):
// DOUBLE if an argument is, else DECIMAL if one is or for `/`, else BIGINT.
func resolveArith(c *call) (*expr.Expr, error) {
	if c.fn == "mod" {
		c.fn = "%"
	}
	if len(c.args) == 1 {
		return c.negate()
	}
	c.args = []*expr.Expr{toNumber(c.args[0]), toNumber(c.args[1])}
	a, b := c.args[0].Type, c.args[1].Type
	float := a.Class() == types.ClassFloat || b.Class() == types.ClassFloat
	dec := a.Class() == types.ClassDecimal || b.Class() == types.ClassDecimal
	switch {
	case c.fn == "div" && (float || dec):
		for i, x := range c.args {
			if x.Type.Class() == types.ClassFloat {
				c.args[i] = coerce(x, types.MakeDecimal(65, 30))
			} else {
				c.args[i] = Exact(toDecimal(x))
			}
		}
		return c.result(types.Type{Kind: types.BigInt, Unsigned: a.Unsigned || b.Unsigned}), nil
	case float:
		c.args = []*expr.Expr{toDouble(c.args[0]), toDouble(c.args[1])}
		return c.result(types.MakeDouble()), nil
	case dec || c.fn == "/":
		return c.decimal(), nil
	}
	t := types.MakeBigInt()
	switch c.fn {
	case "%":
		t.Unsigned = a.Unsigned
	case "-":
		t.Unsigned = (a.Unsigned || b.Unsigned) && !c.env.NoUnsignedSubtraction
	default:
		t.Unsigned = a.Unsigned || b.Unsigned
	}
	return c.result(t), nil
}

// decimal resolves a DECIMAL operation. A quotient carries more digits than it
// shows while it is an argument of further arithmetic, as in MySQL (1/3*3 is
// 1.0000): then the operation works on those, and to_scale cuts its result to
// the digits that show.
func (c *call) decimal() *expr.Expr {
	shown := c.decimalType(c.args[0], c.args[1])
	c.args = []*expr.Expr{Exact(toDecimal(c.args[0])), Exact(toDecimal(c.args[1]))}
	t := c.decimalType(c.args[0], c.args[1])
	if c.fn == "/" {
		p1, s1 := digits(c.args[0])
		_, s2 := digits(c.args[1])
		s := decimal.QuotientScale(s1, s2, c.env.DivPrecision)
		t = types.MakeDecimal(p1-s1+s2+s, s)
	}
	if t.Scale == shown.Scale {
		t.Prec = shown.Prec
	}
	return Shown(c.result(t), shown)
}

// decimalType is the type of a DECIMAL operation on a and b.
func (c *call) decimalType(a, b *expr.Expr) types.Type {
	p1, s1 := digits(a)
	p2, s2 := digits(b)
	switch c.fn {
	case "*":
		return types.MakeDecimal(p1+p2, s1+s2)
	case "/":
		return types.MakeDecimal(p1+s2+c.env.DivPrecision, s1+c.env.DivPrecision)
	case "%":
		s := max(s1, s2)
		return types.MakeDecimal(max(p1-s1, p2-s2)+s, s)
	}
	s := max(s1, s2)
	return types.MakeDecimal(max(p1-s1, p2-s2)+1+s, s)
}

// scaleOf is the scale at which e's values lie as decimals.
func scaleOf(e *expr.Expr) int {
	if e.Type.Class() == types.ClassDecimal {
		return e.Type.Scale
	}
	return 0
}

// negate resolves the unary minus. Of a constant beyond BIGINT it is a DECIMAL.
func (c *call) negate() (*expr.Expr, error) {
	a := toNumber(c.args[0])
	c.args = []*expr.Expr{a}
	if a.Op == expr.OpConst && a.Type.Kind != types.Null {
		if e, err := c.negateAs(a); err == nil && e.Fn == "-" {
			return foldConst(e), nil
		}
	}
	return c.negateAs(a)
}

// negateAs finds the type of −a.
func (c *call) negateAs(a *expr.Expr) (*expr.Expr, error) {
	switch a.Type.Class() {
	case types.ClassFloat:
		c.args[0] = toDouble(a)
		return c.result(types.MakeDouble()), nil
	case types.ClassDecimal:
		h := Exact(a)
		c.args[0] = h
		return Shown(c.result(types.MakeDecimal(h.Type.Prec, h.Type.Scale)), a.Type), nil
	}
	if a.Op == expr.OpConst && a.Type.Unsigned && uint64(a.Value.I) > 1<<63 {
		c.args[0] = toDecimal(a)
		return c.result(types.MakeDecimal(20, 0)), nil
	}
	return c.result(types.MakeBigInt()), nil
}

func arithKernel(e *expr.Expr) Kernel {
	if e.Fn == "div" {
		return divKernel(e)
	}
	if len(e.Args) == 1 {
		return negateAny
	}
	switch e.Type.Class() {
	case types.ClassFloat:
		return floatKernels[e.Fn]
	case types.ClassDecimal:
		return decimalKernel(e)
	}
	if e.Fn == "%" {
		return modInts
	}
	if e.Type.Unsigned || e.Args[0].Type.Unsigned || e.Args[1].Type.Unsigned {
		return mixedKernel(e)
	}
	return intKernels[e.Fn]
}
