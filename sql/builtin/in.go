package builtin

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 2, max: -1, flags: total, resolve: resolveIn, kernel: inKernel}, "in", "not in")
}

// resolveIn resolves x IN (…). If the items ask for x in different types, it is
// written as x = a OR x = b ….
func resolveIn(c *call) (*expr.Expr, error) {
	args := make([]*expr.Expr, len(c.args))
	uniform := true
	for i, item := range c.args[1:] {
		pair, err := c.env.comparable(c.fn, yearConstants([]*expr.Expr{c.args[0], item})...)
		if err != nil {
			return nil, err
		}
		if args[i+1] = pair[1]; pair[1].Type.Kind == types.Null {
			continue
		}
		if args[0] == nil {
			args[0] = pair[0]
		}
		uniform = uniform && sameExpr(args[0], pair[0])
	}
	if args[0] == nil {
		args[0] = c.args[0]
	}
	if uniform {
		c.args = args
		return c.result(types.MakeBool()), nil
	}
	ors := make([]*expr.Expr, 0, len(c.args)-1)
	for _, item := range c.args[1:] {
		e, err := Call(c.env, "=", c.args[0], item)
		if err != nil {
			return nil, err
		}
		ors = append(ors, e)
	}
	e, err := Call(c.env, "or", ors...)
	if err == nil && c.fn == "not in" {
		e, err = Call(c.env, "not", e)
	}
	return e, err
}

// sameExpr reports the same coercion of the same expression.
func sameExpr(a, b *expr.Expr) bool {
	if a == b {
		return true
	}
	return a.Fn == "coerce" && b.Fn == "coerce" && a.Type == b.Type && a.Args[0] == b.Args[0] ||
		a.Op == expr.OpConst && b.Op == expr.OpConst && a.Type == b.Type
}

func inKernel(e *expr.Expr) Kernel {
	yes := int64(1)
	if e.Fn == "not in" {
		yes = 0
	}
	if e.Args[0].Type.Kind == types.Null {
		return (*Frame).AllNull
	}
	if set := constantSet(e.Args); set != nil {
		return func(f *Frame) { set.test(f, yes) }
	}
	compares := make([]comparison, len(e.Args))
	for k, item := range e.Args[1:] {
		if item.Type.Kind != types.Null {
			compares[k+1] = comparisonOf(e.Args[0], item)
		}
	}
	return each(func(f *Frame, i int) { inRow(f, i, compares, yes) })
}

func inRow(f *Frame, i int, compares []comparison, yes int64) {
	if f.Args[0].NullAt(i) {
		f.Out.AppendNull()
		return
	}
	null := false
	for k := 1; k < len(f.Args); k++ {
		if f.Args[k].NullAt(i) {
			null = true
		} else if compares[k](f.Args[0], f.Args[k], i) == 0 {
			f.Out.AppendInt(yes)
			return
		}
	}
	if null {
		f.Out.AppendNull()
	} else {
		f.Out.AppendInt(1 - yes)
	}
}

// inSet is a list of constants to look a value up in.
type inSet struct {
	list *constants // nil: no value is in it
	null bool
}

// constantSet is the set of the constants after the first argument; nil if they
// are not all integers, or all text, or all JSON.
func constantSet(args []*expr.Expr) *inSet {
	s := &inSet{list: newConstants(args[0], textCollation(args...))}
	some := false
	for _, item := range args[1:] {
		switch {
		case item.Op != expr.OpConst:
			return nil
		case item.Value.Null:
			s.null = true
		case s.list == nil || !s.list.add(item, 0):
			return nil
		default:
			some = true
		}
	}
	if !some {
		s.list = nil
	} else {
		s.list.sort()
	}
	return s
}

// test is the kernel; yes is what a value gives that is in the set.
func (s *inSet) test(f *Frame, yes int64) {
	a := f.Args[0]
	var key []byte
	f.Reserve()
	for i := range f.N {
		switch {
		case a.NullAt(i):
			f.Out.AppendNull()
		case s.list != nil && s.list.find(a, i, &key) >= 0:
			f.Out.AppendInt(yes)
		case s.null:
			f.Out.AppendNull()
		default:
			f.Out.AppendInt(1 - yes)
		}
	}
}
