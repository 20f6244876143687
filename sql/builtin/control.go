package builtin

import (
	"streamsql/sql/collate"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 2, max: -1, flags: lazy, resolve: resolveCase}, "case")
	register(function{min: 3, max: 3, flags: lazy, resolve: resolveIf}, "if")
	register(function{min: 1, max: -1, flags: lazy, resolve: resolveCoalesce}, "coalesce")
	register(function{min: 2, max: 2, flags: lazy, resolve: resolveCoalesce}, "ifnull")
	register(function{min: 2, max: 2, resolve: resolveNullIf}, "nullif")
	register(function{min: 2, max: -1, flags: total, resolve: resolveExtreme, kernel: extremeKernel}, "greatest", "least")
	register(function{min: 2, max: -1, resolve: resolveInterval, kernel: intervalKernel}, "interval")
}

// resolveCase takes pairs of condition and result, then the ELSE if their number
// is odd.
func resolveCase(c *call) (*expr.Expr, error) {
	args := append([]*expr.Expr(nil), c.args...)
	var results []int
	for i := range args {
		if i%2 == 1 || i == len(args)-1 && len(args)%2 == 1 {
			results = append(results, i)
		} else {
			args[i] = toTruth(args[i])
		}
	}
	exact, shown := branches(args, results)
	exact.NotNull = exact.NotNull && len(args)%2 == 1
	return Shown(expr.NewCall("case", exact, args...), shown), nil
}

// branches coerces the arguments at the positions which to their common type, with
// the digits that one of them has beyond those shown. It returns that type, NOT
// NULL if they all are, and what is shown.
func branches(args []*expr.Expr, which []int) (exact, shown types.Type) {
	ts := make([]types.Type, len(which))
	notNull := true
	for k, i := range which {
		ts[k] = typeForCommon(args[i])
		notNull = notNull && args[i].Type.NotNull
	}
	t := EnumText(Common(ts...))
	if t.IsText() {
		derived := make([]Derivation, len(which))
		for k, i := range which {
			derived[k] = DerivationOf(args[i])
		}
		t.Collation, _ = CommonCollation(ts, derived)
	}
	t.NotNull = notNull
	exact = t
	for _, i := range which {
		if s := scaleOf(Exact(args[i])); t.Kind == types.Decimal && s > exact.Scale {
			exact.Prec, exact.Scale = min(t.Prec-t.Scale+s, decimal.MaxPrec), s
		}
	}
	for _, i := range which {
		args[i] = coerce(args[i], exact)
	}
	return exact, t
}

// EnumText is t, of an ENUM that of its elements as text: MySQL knows an ENUM by its
// place only in a column.
func EnumText(t types.Type) types.Type {
	if t.Kind != types.Enum {
		return t
	}
	text := types.MakeVarChar(textLen(t))
	text.Collation, text.NotNull = t.Collation, t.NotNull
	return text
}

// typeForCommon is e's type; that of an integer constant is as wide as its digits.
func typeForCommon(e *expr.Expr) types.Type {
	t := e.Type
	if e.Op == expr.OpConst && t.IsInteger() && !e.Value.Null && !t.Bool {
		t.Len = -intDigits(e.Value.I, t.Unsigned) // negative: a constant's digits, see integerDigits
	}
	return t
}

func resolveIf(c *call) (*expr.Expr, error) {
	args := []*expr.Expr{toTruth(c.args[0]), c.args[1], c.args[2]}
	exact, shown := branches(args, []int{1, 2})
	return Shown(expr.NewCall("if", exact, args...), shown), nil
}

func resolveCoalesce(c *call) (*expr.Expr, error) {
	args := append([]*expr.Expr(nil), c.args...)
	which := make([]int, len(args))
	notNull := false
	for i := range args {
		which[i] = i
		notNull = notNull || args[i].Type.NotNull
	}
	exact, shown := branches(args, which)
	exact.NotNull = notNull
	return Shown(expr.NewCall(c.fn, exact, args...), shown), nil
}

// resolveNullIf writes NULLIF(a, b) as IF(a = b, NULL, a).
func resolveNullIf(c *call) (*expr.Expr, error) {
	equal, err := Call(c.env, "=", c.args[0], c.args[1])
	if err != nil {
		return nil, err
	}
	return Call(c.env, "if", equal, expr.NewNull(), c.args[0])
}

// Common is the type in which the results of CASE, IF, COALESCE, UNION and the
// like meet: MySQL's table of merged field types. It is nullable.
func Common(ts ...types.Type) types.Type {
	var t types.Type
	first := true
	for _, u := range ts {
		u.NotNull = false
		switch {
		case u.Kind == types.Null:
		case first:
			t, first = u, false
		case t != u || t.Kind == types.Enum:
			t = merge(t, u)
		}
	}
	if t.IsInteger() && t.Len < 0 {
		t.Len = 0
	}
	return t
}

func merge(a, b types.Type) types.Type {
	switch {
	case a.IsInteger() && b.IsInteger():
		return mergeIntegers(a, b)
	case a.IsNumeric() && b.IsNumeric():
		if a.Class() == types.ClassFloat || b.Class() == types.ClassFloat {
			return mergeFloats(a, b)
		}
		s := max(a.Scale, b.Scale)
		return types.MakeDecimal(max(integerDigits(a), integerDigits(b))+s, s)
	case a.IsTemporal() && b.IsTemporal():
		fsp := max(a.Scale, b.Scale)
		if a.Kind == b.Kind {
			return types.Type{Kind: a.Kind, Scale: fsp}
		}
		return types.MakeDateTime(fsp)
	case a.Kind == types.JSON && b.Kind == types.JSON:
		return a
	}
	return mergeText(a, b)
}

// integerDigits is how many digits stand before the point.
func integerDigits(t types.Type) int {
	if t.Kind == types.Decimal {
		return t.Prec - t.Scale
	}
	if t.Len < 0 {
		return -t.Len
	}
	p, _ := digits(&expr.Expr{Op: expr.OpColumn, Type: t})
	return p
}

func mergeIntegers(a, b types.Type) types.Type {
	if a.Bool && b.Bool {
		return a
	}
	wide := types.Type{Kind: max(a.Kind, b.Kind)}
	if a.Kind == types.Year || b.Kind == types.Year {
		wide.Kind = max(min(a.Kind, b.Kind), types.SmallInt)
		if a.Kind == b.Kind {
			return a
		}
	}
	if a.Unsigned == b.Unsigned {
		wide.Unsigned = a.Unsigned
		return wide
	}
	unsigned := a
	if b.Unsigned {
		unsigned = b
	}
	if unsigned.Kind == wide.Kind { // one more bit is needed
		if wide.Kind == types.BigInt {
			return types.MakeDecimal(20, 0)
		}
		wide.Kind++
	}
	return wide
}

func mergeFloats(a, b types.Type) types.Type {
	if a.Kind == types.Float && b.Kind == types.Float {
		return types.Type{Kind: types.Float, Scale: types.NotFixed}
	}
	return types.MakeDouble()
}

func mergeText(a, b types.Type) types.Type {
	n := max(textLen(a), textLen(b))
	binary := a.IsBinary() || b.IsBinary()
	t := types.MakeVarChar(n)
	switch {
	case a.Kind == types.Char && b.Kind == types.Char:
		t.Kind = types.Char
	case a.Kind == types.Text || b.Kind == types.Text || a.Kind == types.Blob || b.Kind == types.Blob || a.Kind == types.JSON || b.Kind == types.JSON:
		t.Kind = types.Text
		if a.Kind == types.JSON || b.Kind == types.JSON {
			t.Len = types.LongTextLen
		}
	case a.Kind == types.Binary && b.Kind == types.Binary:
		t.Kind = types.Binary
	}
	if binary {
		switch t.Kind {
		case types.Text:
			t.Kind = types.Blob
		case types.VarChar:
			t.Kind = types.VarBinary
		}
		t.Collation = types.BinaryCollation
		return t
	}
	t.Collation = max(textOnly(a), textOnly(b))
	return t
}

// textOnly is the collation of a text, the default of anything else.
func textOnly(t types.Type) types.Collation {
	if t.IsText() || t.Kind == types.Enum {
		return collate.Of(t)
	}
	return types.UTF8MB4Bin
}

// resolveExtreme is GREATEST and LEAST: arguments are compared as what they have in common.
func resolveExtreme(c *call) (*expr.Expr, error) {
	args := append([]*expr.Expr(nil), c.args...)
	which := make([]int, len(args))
	for i := range args {
		which[i] = i
	}
	exact, shown := branches(args, which)
	c.args = args
	return Shown(c.result(exact), shown), nil
}

func extremeKernel(e *expr.Expr) Kernel {
	if e.Type.Kind == types.Null {
		return (*Frame).AllNull
	}
	want := 1
	if e.Fn == "least" {
		want = -1
	}
	same := comparisonOf(e.Args[0], e.Args[0])
	return strict(func(f *Frame, i int) {
		best := 0
		for k := 1; k < len(f.Args); k++ {
			if sign(same(f.Args[k], f.Args[best], i)) == want {
				best = k
			}
		}
		f.Out.AppendFrom(f.Args[best].Vector, i&f.Args[best].mask)
	})
}

// resolveInterval is INTERVAL(n, n1, n2, …): how many of the sorted n1, n2, … are not
// greater than n.
func resolveInterval(c *call) (*expr.Expr, error) {
	args := make([]*expr.Expr, len(c.args))
	for i, a := range c.args {
		args[i] = toDouble(a)
	}
	return expr.NewCall(c.fn, types.Type{Kind: types.BigInt, NotNull: true}, args...), nil
}

func intervalKernel(*expr.Expr) Kernel {
	return each(func(f *Frame, i int) {
		if f.Args[0].NullAt(i) {
			f.Out.AppendInt(-1)
			return
		}
		n := int64(0)
		for _, a := range f.Args[1:] {
			if !a.NullAt(i) && a.Float(i) > f.Args[0].Float(i) {
				break
			}
			n++
		}
		f.Out.AppendInt(n)
	})
}
