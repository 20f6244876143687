package builtin

import (
	"cmp"
	"slices"

	"streamsql/sql/collate"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/jsonkey"
	"streamsql/sql/types"
)

// Relation is a comparison operator.
type Relation uint8

// The relations.
const (
	Equal Relation = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

// Relations are the comparison operators by name. (`<=>` is not one of them: it sees NULLs.)
var Relations = map[string]Relation{
	"=": Equal, "<>": NotEqual, "<": Less, "<=": LessEqual, ">": Greater, ">=": GreaterEqual,
}

// Swapped is the relation of b and a when r is that of a and b.
func (r Relation) Swapped() Relation {
	return [...]Relation{Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual}[r]
}

// Holds says whether c, the sign of a comparison, satisfies r.
func (r Relation) Holds(c int) bool {
	switch r {
	case Equal:
		return c == 0
	case NotEqual:
		return c != 0
	case Less:
		return c < 0
	case LessEqual:
		return c <= 0
	case Greater:
		return c > 0
	}
	return c >= 0
}

func init() {
	for name := range Relations {
		register(function{min: 2, max: 2, flags: total, resolve: resolveCompare, kernel: compareKernel}, name)
	}
	register(function{min: 2, max: 2, resolve: resolveCompare, kernel: compareKernel}, "!=")
	register(function{min: 2, max: 2, flags: nonNull, resolve: resolveCompare, kernel: nullSafeKernel}, "<=>")
	register(function{min: 3, max: 3, flags: total, resolve: resolveBetween, kernel: betweenKernel}, "between", "not between")
	register(function{min: 2, max: 2, flags: total, resolve: resolveStrcmp, kernel: strcmpKernel}, "strcmp")
}

func resolveCompare(c *call) (*expr.Expr, error) {
	if c.fn == "!=" {
		c.fn, c.f = "<>", registry["<>"]
	}
	args, err := c.env.comparable(c.fn, yearConstants(c.args)...)
	if err != nil {
		return nil, err
	}
	c.args = args
	return c.result(types.MakeBool()), nil
}

// yearConstants are args with constants of which a YEAR column among them makes another
// number as years of four digits: 70 and '70' are 1970 beside it.
func yearConstants(args []*expr.Expr) []*expr.Expr {
	isColumn := func(a *expr.Expr) bool { return a.Op == expr.OpColumn && a.Type.Kind == types.Year }
	if !slices.ContainsFunc(args, isColumn) {
		return args
	}
	out := slices.Clone(args)
	for i, a := range out {
		if a.Op != expr.OpConst || a.IsNull() {
			continue
		}
		var n int64
		digits, st := 0, fine
		switch {
		case a.Type.IsText():
			n, st = textToInt(a.Value.S, false)
			digits = len(a.Value.S)
		case a.Type.IsInteger():
			n = a.Value.I
		default:
			continue
		}
		if y, ok := types.ParseYear(n, digits); ok && st == fine {
			out[i] = expr.NewInt(y)
		}
	}
	return out
}

// comparison is how two operands of a call are compared: the sign for row i.
type comparison func(a, b Operand, i int) int

// comparisonOf chooses by the types of two arguments that comparable has coerced.
func comparisonOf(a, b *expr.Expr) comparison {
	switch {
	case a.Type.Kind == types.JSON:
		return func(a, b Operand, i int) int { return jsonkey.Compare(a.Str(i), b.Str(i)) }
	case a.Type.Class() == types.ClassBytes:
		c := textCollation(a, b)
		return func(a, b Operand, i int) int { return collate.Compare(c, a.Str(i), b.Str(i)) }
	case a.Type.Class() == types.ClassFloat:
		return func(a, b Operand, i int) int { return cmp.Compare(a.Float(i), b.Float(i)) }
	case a.Type.Class() == types.ClassDecimal || b.Type.Class() == types.ClassDecimal:
		return compareDecimals(scaleOf(a), scaleOf(b))
	case isUnsigned(a.Type) && isUnsigned(b.Type):
		return func(a, b Operand, i int) int { return cmp.Compare(uint64(a.Int(i)), uint64(b.Int(i))) }
	case isUnsigned(a.Type):
		return func(a, b Operand, i int) int { return compareUnsigned(a.Int(i), b.Int(i)) }
	case isUnsigned(b.Type):
		return func(a, b Operand, i int) int { return -compareUnsigned(b.Int(i), a.Int(i)) }
	}
	return func(a, b Operand, i int) int { return cmp.Compare(a.Int(i), b.Int(i)) }
}

// isUnsigned reports BIGINT UNSIGNED: the others' values are int64 anyhow.
func isUnsigned(t types.Type) bool { return t.Kind == types.BigInt && t.Unsigned }

// compareUnsigned compares a bit pattern with a signed number.
func compareUnsigned(u, s int64) int {
	if s < 0 || u < 0 {
		return 1
	}
	return cmp.Compare(u, s)
}

func compareDecimals(sa, sb int) comparison {
	return func(a, b Operand, i int) int {
		if isNarrow(a, b) {
			if sa == sb {
				return cmp.Compare(a.Int(i), b.Int(i))
			}
			x, ok1 := decimal.RescaleNarrow(a.Int(i), sa, max(sa, sb))
			y, ok2 := decimal.RescaleNarrow(b.Int(i), sb, max(sa, sb))
			if ok1 && ok2 {
				return cmp.Compare(x, y)
			}
		}
		x, ok1 := decimal.Rescale(a.Dec(i), sa, max(sa, sb))
		y, ok2 := decimal.Rescale(b.Dec(i), sb, max(sa, sb))
		switch { // a side that leaves 256 bits is larger in magnitude than the other can be
		case !ok1:
			return a.Dec(i).Sign()
		case !ok2:
			return -b.Dec(i).Sign()
		}
		return x.Cmp(y)
	}
}

// textCollation is the collation in which texts compare that were brought together;
// with bytes among them, as bytes.
func textCollation(args ...*expr.Expr) types.Collation {
	for _, a := range args {
		if a.Type.IsBinary() {
			return types.BinaryCollation
		}
	}
	c, _ := collationOf(args)
	return c
}

func compareKernel(e *expr.Expr) Kernel {
	rel, a, b := Relations[e.Fn], e.Args[0], e.Args[1]
	if a.Type.Kind == types.Null || b.Type.Kind == types.Null {
		return (*Frame).AllNull
	}
	if k := fastCompare(rel, a, b); k != nil {
		return k
	}
	compare := comparisonOf(a, b)
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		out := f.Ints()
		for i := range out {
			out[i] = bit(rel.Holds(compare(f.Args[0], f.Args[1], i)))
		}
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func nullSafeKernel(e *expr.Expr) Kernel {
	if e.Args[0].Type.Kind == types.Null || e.Args[1].Type.Kind == types.Null {
		return func(f *Frame) {
			out := f.Ints()
			for i := range out {
				out[i] = bit(f.Args[0].NullAt(i) && f.Args[1].NullAt(i))
			}
		}
	}
	compare := comparisonOf(e.Args[0], e.Args[1])
	return func(f *Frame) {
		a, b := f.Args[0], f.Args[1]
		out := f.Ints()
		for i := range out {
			if na, nb := a.NullAt(i), b.NullAt(i); na || nb {
				out[i] = bit(na && nb)
			} else {
				out[i] = bit(compare(a, b, i) == 0)
			}
		}
	}
}

// resolveBetween coerces all three to one comparable form.
func resolveBetween(c *call) (*expr.Expr, error) {
	args, err := c.env.comparable(c.fn, yearConstants(c.args)...)
	if err != nil {
		return nil, err
	}
	c.args = args
	return c.result(types.MakeBool()), nil
}

// betweenKernel is (a >= b) AND (a <= c) in three-valued logic.
func betweenKernel(e *expr.Expr) Kernel {
	var lower, upper comparison
	if notNullTypes(e.Args[0], e.Args[1]) {
		lower = comparisonOf(e.Args[0], e.Args[1])
	}
	if notNullTypes(e.Args[0], e.Args[2]) {
		upper = comparisonOf(e.Args[0], e.Args[2])
	}
	yes := int64(1)
	if e.Fn == "not between" {
		yes = 0
	}
	return each(func(f *Frame, i int) {
		a, b, c := f.Args[0], f.Args[1], f.Args[2]
		if a.NullAt(i) {
			f.Out.AppendNull()
			return
		}
		nb, nc := b.NullAt(i), c.NullAt(i)
		switch {
		case !nb && lower(a, b, i) < 0 || !nc && upper(a, c, i) > 0:
			f.Out.AppendInt(1 - yes)
		case nb || nc:
			f.Out.AppendNull()
		default:
			f.Out.AppendInt(yes)
		}
	})
}

func notNullTypes(args ...*expr.Expr) bool {
	for _, a := range args {
		if a.Type.Kind == types.Null {
			return false
		}
	}
	return true
}

func resolveStrcmp(c *call) (*expr.Expr, error) {
	args, err := together([]*expr.Expr{c.env.toText(c.args[0]), c.env.toText(c.args[1])}, c.fn)
	if err != nil {
		return nil, err
	}
	c.args = args
	return c.result(types.Type{Kind: types.Int}), nil
}

func strcmpKernel(e *expr.Expr) Kernel {
	coll := textCollation(e.Args...)
	return strict(func(f *Frame, i int) {
		f.Out.AppendInt(int64(sign(collate.Compare(coll, f.Args[0].Str(i), f.Args[1].Str(i)))))
	})
}

func sign(c int) int { return min(max(c, -1), 1) }
