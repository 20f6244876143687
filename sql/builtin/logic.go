package builtin

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	for _, name := range []string{"and", "or"} {
		register(function{min: 2, max: -1, flags: total | lazy, resolve: resolveLogic}, name)
	}
	register(function{min: 2, max: 2, flags: total, resolve: resolveLogic, kernel: func(*expr.Expr) Kernel { return xorKernel }}, "xor")
	register(function{min: 1, max: 1, flags: total, resolve: resolveLogic, kernel: func(*expr.Expr) Kernel { return notKernel }}, "not")
	for name, test := range map[string]func(t Truth) bool{
		"is true": func(t Truth) bool { return t == True }, "is not true": func(t Truth) bool { return t != True },
		"is false": func(t Truth) bool { return t == False }, "is not false": func(t Truth) bool { return t != False },
	} {
		register(function{min: 1, max: 1, flags: nonNull, resolve: resolveLogic, kernel: truthKernel(test)}, name)
	}
	register(function{min: 1, max: 1, flags: nonNull, resolve: resolveIsNull, kernel: isNullKernel(1)}, "is null", "isnull")
	register(function{min: 1, max: 1, flags: nonNull, resolve: resolveIsNull, kernel: isNullKernel(0)}, "is not null")
	register(function{min: 1, max: 1, flags: nonNull, resolve: resolveIsNull, kernel: isNullKernel(1)}, "is unknown")
	register(function{min: 1, max: 1, flags: nonNull, resolve: resolveIsNull, kernel: isNullKernel(0)}, "is not unknown")
}

// Truth is a value of three-valued logic.
type Truth int8

// The truth values.
const (
	False Truth = iota
	True
	Unknown
)

// Truth is the truth value of row i: what is not zero is true.
func (o Operand) Truth(i int) Truth {
	if o.NullAt(i) {
		return Unknown
	}
	i &= o.mask
	switch {
	case o.F != nil:
		return truth(o.F[i] != 0)
	case o.W != nil:
		return truth(o.W[i].Sign() != 0)
	}
	return truth(o.I[i] != 0)
}

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// toTruth coerces e to a type that has truth values: a number.
func toTruth(e *expr.Expr) *expr.Expr {
	if e.Type.Kind == types.Null {
		return expr.NewConst(expr.Value{Null: true}, types.MakeBool())
	}
	return Exact(toNumber(e))
}

// Condition is e as a condition of its own, which WHERE, ON and HAVING have: a number,
// as in logic.
func Condition(e *expr.Expr) *expr.Expr { return toTruth(e) }

func resolveLogic(c *call) (*expr.Expr, error) {
	args := make([]*expr.Expr, 0, len(c.args))
	for _, a := range c.args {
		args = append(args, toTruth(a))
	}
	c.args = args
	return c.result(types.MakeBool()), nil
}

func resolveIsNull(c *call) (*expr.Expr, error) {
	switch c.fn {
	case "isnull", "is unknown":
		c.fn = "is null"
	case "is not unknown":
		c.fn = "is not null"
	}
	return c.result(types.MakeBool()), nil
}

func xorKernel(f *Frame) {
	if !f.MergeValid() {
		return
	}
	out := f.Ints()
	for i := range out {
		out[i] = bit(f.Args[0].Truth(i) != f.Args[1].Truth(i))
	}
}

func notKernel(f *Frame) {
	if !f.MergeValid() {
		return
	}
	a := f.Args[0]
	out := f.Ints()
	if a.I != nil && !a.IsConst() && a.Type.Class() == types.ClassInt {
		for i, x := range a.I[:len(out)] {
			out[i] = bit(x == 0)
		}
		return
	}
	for i := range out {
		out[i] = bit(a.Truth(i) == False)
	}
}

func truthKernel(test func(Truth) bool) func(*expr.Expr) Kernel {
	return func(*expr.Expr) Kernel {
		return func(f *Frame) {
			a, out := f.Args[0], f.Ints()
			if no, yes := bit(test(False)), bit(test(True)); a.Valid == nil && a.F == nil && a.W == nil && !a.IsConst() {
				for i, x := range a.I[:f.N] {
					out[i] = no
					if x != 0 {
						out[i] = yes
					}
				}
				return
			}
			for i := range out {
				out[i] = bit(test(a.Truth(i)))
			}
		}
	}
}

// isNullKernel gives null for NULL and 1−null for others, a word of validity at a time.
func isNullKernel(null int64) func(*expr.Expr) Kernel {
	return func(*expr.Expr) Kernel {
		return func(f *Frame) {
			a := f.Args[0]
			out := f.Ints()
			if a.Valid == nil {
				for i := range out {
					out[i] = 1 - null
				}
				return
			}
			for i := range out {
				k := i & a.mask
				valid := int64(a.Valid[k>>6] >> (uint(k) & 63) & 1)
				out[i] = valid ^ null
			}
		}
	}
}
