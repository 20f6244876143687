package logical

import (
	"streamsql/sql/bind"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
)

// condition keeps the rows of n for which c, which has a subquery, is true.
func (b *builder) condition(n Node, c *expr.Expr) (Node, error) {
	x, negated := c, false
	for x.Op == expr.OpCall && x.Fn == "not" {
		x, negated = x.Args[0], !negated
	}
	if x.Op == expr.OpSubquery {
		s := b.subs[x.Col]
		equal := s.Kind == bind.AnySubquery && !(s.Test.Op == expr.OpCall && builtin.Relations[s.Test.Fn] != builtin.Equal)
		if s.Kind == bind.ExistsSubquery || equal {
			return b.semi(n, x, s, negated)
		}
	}
	n, list, err := b.attach(n, []*expr.Expr{c})
	if err != nil {
		return nil, err
	}
	conds, err := b.exprs(list, n)
	return NewFilter(n, conds), err
}

// semi keeps the rows of n for which x, EXISTS or an ANY that tests for being
// equal, is true, or with negated those for which it is false.
func (b *builder) semi(n Node, x *expr.Expr, s *bind.Subquery, negated bool) (Node, error) {
	n, args, err := b.attach(n, x.Args)
	if err != nil {
		return nil, err
	}
	x = expr.NewSubquery(x.Col, x.Type, args...)
	q, err := b.inner(n, x)
	if err != nil {
		return nil, err
	}
	a := &Apply{Kind: SemiJoin, Left: q.left, Right: q.right}
	if negated {
		a.Kind = AntiJoin
	}
	if s.Test == nil {
		return a, nil
	}
	test, err := q.expr(s.Test)
	if err != nil {
		return nil, err
	}
	value, single := queried(s)
	if !negated || test.Type.NotNull || single {
		a.On = conjuncts(test)
	} else {
		a.On = possible(test)
	}
	if !negated || test.Type.NotNull || !single {
		return a, nil
	}
	// NOT IN: what no value is equal to is still no certain FALSE when it, or a
	// value, is NULL, unless there is no value at all.
	tested, err := q.expr(s.Test.Args[0])
	if err != nil {
		return nil, err
	}
	out, null, err := b.nulls(a, x, value)
	if err != nil {
		return nil, err
	}
	sure := call("=", null, expr.NewInt(0))
	if !tested.Type.NotNull {
		sure = call("and", sure, call("is not null", tested))
	}
	return NewFilter(out, []*expr.Expr{call("or", call("is null", null), sure)}), nil
}

// queried is the side of the test that the query gives, if single values are
// compared by an operator.
func queried(s *bind.Subquery) (*expr.Expr, bool) {
	t := s.Test
	if _, ok := builtin.Relations[t.Fn]; t.Op != expr.OpCall || !ok || len(t.Args) != 2 {
		return nil, false
	}
	return t.Args[1], true
}

// conjuncts are the parts of an AND.
func conjuncts(e *expr.Expr) []*expr.Expr {
	if e.Op != expr.OpCall || e.Fn != "and" {
		return []*expr.Expr{e}
	}
	var out []*expr.Expr
	for _, a := range e.Args {
		out = append(out, conjuncts(a)...)
	}
	return out
}

// possible are conditions that hold unless e, a comparison of rows, is FALSE.
func possible(e *expr.Expr) []*expr.Expr {
	list := conjuncts(e)
	for i, c := range list {
		if !c.Type.NotNull {
			list[i] = call("is not false", c)
		}
	}
	return list
}

// anyEqual is the value of an ANY that tests for being equal.
func (b *builder) anyEqual(n Node, x *expr.Expr) (Node, *expr.Expr, error) {
	s := b.subs[x.Col]
	n, match, err := b.found(n, x, s.Test)
	if err != nil {
		return nil, nil, err
	}
	if s.Test.Type.NotNull {
		return n, call("is not null", match), nil
	}
	value, single := queried(s)
	if !single {
		var open *expr.Expr
		if n, open, err = b.found(n, x, call("is null", s.Test)); err != nil {
			return nil, nil, err
		}
		return n, call("case", call("is not null", match), truth(true), call("is not null", open), unknown(), truth(false)), nil
	}
	var null, tested *expr.Expr
	if n, null, err = b.nulls(n, x, value); err != nil {
		return nil, nil, err
	}
	if tested, err = b.expr(s.Test.Args[0], byID(n.Columns())); err != nil {
		return nil, nil, err
	}
	return n, call("case", call("is not null", match), truth(true), call("is null", null), truth(false),
		call("or", call("=", null, expr.NewInt(1)), call("is null", tested)), unknown(), truth(false)), nil
}

// ordered is the value of an ANY or ALL that comes down to the smallest and the
// largest value.
func (b *builder) ordered(n Node, x *expr.Expr) (Node, *expr.Expr, error) {
	s := b.subs[x.Col]
	value, _ := queried(s)
	n, e, err := b.extremes(n, x, value)
	if err != nil {
		return nil, nil, err
	}
	tested, err := b.expr(s.Test.Args[0], byID(n.Columns()))
	if err != nil {
		return nil, nil, err
	}
	low, high, null := call(s.Test.Fn, tested, e[0]), call(s.Test.Fn, tested, e[1]), e[2]
	all := s.Kind == bind.AllSubquery
	var decides *expr.Expr // that the answer is FALSE (ALL) or TRUE (ANY)
	switch r := builtin.Relations[s.Test.Fn]; {
	case r == builtin.Equal: // = ALL
		decides = call("or", call("is false", low), call("is false", high))
	case r == builtin.NotEqual: // <> ANY
		decides = call("or", low, high)
	case (r == builtin.Greater || r == builtin.GreaterEqual) == all:
		decides = high
	default:
		decides = low
	}
	if all && builtin.Relations[s.Test.Fn] != builtin.Equal {
		decides = call("is false", decides)
	}
	return n, call("case", call("is null", null), truth(all), decides, truth(!all),
		call("or", call("=", null, expr.NewInt(1)), call("is null", tested)), unknown(), truth(all)), nil
}
