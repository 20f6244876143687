package logical

import (
	"maps"
	"slices"

	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// A subquery in an expression becomes an Apply below, one of whose columns
// stands in its place:
//
//   - a scalar one a left Apply of at most one row;
//   - EXISTS, IN and ANY that stand alone in a condition semi and anti Applies;
//   - elsewhere, where NULL and FALSE differ, a left Apply of an aggregate over the
//     subquery, which has one row in any case: MAX(1) says whether there is a row,
//     MAX(x IS NULL) whether an x is NULL (or, being NULL itself, that there is no
//     row), MIN(x) and MAX(x) what `> ANY` and the like come down to. These change
//     only when the answer does, and not with each row that comes.

// applied is a subquery that was attached to a node: its columns, as long as
// the node has them.
type applied struct {
	query *bind.Query
	args  []*expr.Expr
	use   string // what was made of it
	cols  []Col
}

// attach gives list over n and what the subqueries in list need besides.
func (b *builder) attach(n Node, list []*expr.Expr) (Node, []*expr.Expr, error) {
	out := make([]*expr.Expr, len(list))
	for i, e := range list {
		if !e.HasSubquery() {
			out[i] = e
			continue
		}
		var err error
		out[i] = e.Rewrite(func(x *expr.Expr) *expr.Expr {
			if x.Op != expr.OpSubquery || err != nil {
				return x
			}
			n, x, err = b.subqueryValue(n, x)
			return x
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return n, out, nil
}

// attachTo is attach for computed columns.
func (b *builder) attachTo(n Node, items []Computed) (Node, []Computed, error) {
	es := make([]*expr.Expr, len(items))
	for i, it := range items {
		es[i] = it.Expr
	}
	n, es, err := b.attach(n, es)
	out := make([]Computed, len(items))
	for i, e := range es {
		out[i] = Computed{Col: items[i].Col, Expr: e}
	}
	return n, out, err
}

// attachToOvers is attach for what window functions read.
func (b *builder) attachToOvers(n Node, overs []bind.OverFunc) (Node, []bind.OverFunc, error) {
	out := slices.Clone(overs)
	for i := range out {
		w := &out[i]
		var err error
		for _, list := range []*[]*expr.Expr{&w.Call.Args, &w.Args, &w.Partition} {
			if n, *list, err = b.attach(n, *list); err != nil {
				return nil, nil, err
			}
		}
		w.Order = slices.Clone(w.Order)
		for k := range w.Order {
			var list []*expr.Expr
			if n, list, err = b.attach(n, []*expr.Expr{w.Order[k].Expr}); err != nil {
				return nil, nil, err
			}
			w.Order[k].Expr = list[0]
		}
	}
	return n, out, nil
}

// subqueryValue attaches x, a subquery of whose arguments none has another.
func (b *builder) subqueryValue(n Node, x *expr.Expr) (Node, *expr.Expr, error) {
	s := b.subs[x.Col]
	switch s.Kind {
	case bind.ScalarSubquery:
		n, cols, err := b.once(n, x, "value", func(q *innerQuery) (Node, []Col, error) {
			a := &Apply{Kind: LeftJoin, Left: q.left, Right: q.right, Single: true}
			return a, q.out, nil
		})
		if err != nil {
			return nil, nil, err
		}
		c := cols[s.Column]
		c.Type = c.Type.Nullable()
		return n, Ref(c), nil
	case bind.ExistsSubquery:
		n, found, err := b.found(n, x, nil)
		if err != nil {
			return nil, nil, err
		}
		return n, call("is not null", found), nil
	case bind.AnySubquery:
		if s.Test.Op == expr.OpCall && builtin.Relations[s.Test.Fn] != builtin.Equal {
			return b.ordered(n, x)
		}
		return b.anyEqual(n, x)
	default:
		return b.ordered(n, x)
	}
}

// innerQuery is a subquery built beside the node that it is going to be applied to.
type innerQuery struct {
	b           *builder
	left, right Node
	out         []Col       // of the query, as right has them
	renumbered  map[int]int // ids of a second copy; nil: the first
}

// inner builds a subquery's query, for arguments over n. Then, the query's
// parameters stand for columns of left, which is n with what the arguments compute.
func (b *builder) inner(n Node, x *expr.Expr) (*innerQuery, error) {
	s := b.subs[x.Col]
	left, err := b.parameters(n, s.Params, x.Args)
	if err != nil {
		return nil, err
	}
	q := &innerQuery{b: b, left: left}
	query := *s.Query
	if s.Kind == bind.ExistsSubquery && query.Limit != 0 && query.Offset == 0 { // one row is enough
		query.Limit, query.OrderBy = -1, nil
	}
	around := b.outer
	defer func() { b.outer = around }()
	b.see(left)
	if q.right, err = b.query(&query, false); err != nil {
		return nil, err
	}
	if b.built[s.Query] {
		if q.right, q.renumbered, err = Copy(q.right, b.ids); err != nil {
			return nil, err
		}
	}
	b.built[s.Query] = true
	cols := byID(q.right.Columns())
	for _, c := range s.Query.Out {
		q.out = append(q.out, cols[q.id(c.ID)])
	}
	return q, nil
}

// see makes the columns of n readable in what is built beside it.
func (b *builder) see(n Node) {
	b.outer = maps.Clone(b.outer)
	if b.outer == nil {
		b.outer = map[int]Col{}
	}
	for _, c := range n.Columns() {
		b.outer[c.ID] = c
	}
}

// id is the id in right of a column of the bound query.
func (q *innerQuery) id(id int) int {
	id = q.b.resolve(id)
	if to, ok := q.renumbered[id]; ok {
		return to
	}
	return id
}

// expr is e, over the query's columns and its parameters, over right's and left's.
func (q *innerQuery) expr(e *expr.Expr) (*expr.Expr, error) {
	cols := byID(q.left.Columns())
	maps.Copy(cols, byID(q.right.Columns()))
	e = e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op == expr.OpColumn && q.id(x.Col) != x.Col {
			return expr.NewColumn(q.id(x.Col), x.Name, x.Type)
		}
		return x
	})
	return q.b.expr(e, cols)
}

// parameters lets params stand for args over n: for columns of it, new ones
// where something is computed, or for constants.
func (b *builder) parameters(n Node, params []Col, args []*expr.Expr) (Node, error) {
	p := &Project{Input: n}
	for _, c := range n.Columns() {
		p.Items = append(p.Items, PassThrough(c))
	}
	cols, made := byID(n.Columns()), false
	for i, a := range args {
		e, err := b.expr(a, cols)
		if err != nil {
			return nil, err
		}
		delete(b.constants, params[i].ID)
		switch e.Op {
		case expr.OpColumn:
			b.alias[params[i].ID] = e.Col
		case expr.OpConst, expr.OpParam:
			b.constants[params[i].ID] = e
		default:
			c := Col{ID: b.ids.Next(), Name: e.String(), Type: e.Type}
			p.Items, made = append(p.Items, Computed{Col: c, Expr: e}), true
			b.alias[params[i].ID] = c.ID
		}
	}
	if !made {
		return n, nil
	}
	return p, nil
}

// once attaches what f makes of x to n, unless n has it already.
func (b *builder) once(n Node, x *expr.Expr, use string, f func(*innerQuery) (Node, []Col, error)) (Node, []Col, error) {
	have := SetOf(n.Columns())
next:
	for _, a := range b.applied {
		if a.query != b.subs[x.Col].Query || a.use != use || len(a.args) != len(x.Args) {
			continue
		}
		for i, e := range a.args {
			if !expr.Equal(e, x.Args[i]) {
				continue next
			}
		}
		for _, c := range a.cols {
			if !have[c.ID] {
				continue next
			}
		}
		if len(a.cols) > 0 {
			return n, a.cols, nil
		}
	}
	q, err := b.inner(n, x)
	if err != nil {
		return nil, nil, err
	}
	n, cols, err := f(q)
	if err != nil {
		return nil, nil, err
	}
	b.applied = append(b.applied, applied{b.subs[x.Col].Query, x.Args, use, cols})
	return n, cols, nil
}

// aggregated applies aggregates over the query's rows for which conds hold: one
// row for each row of left. args are over right's columns.
func (q *innerQuery) aggregated(conds []*expr.Expr, calls []string, args ...*expr.Expr) (Node, []Col) {
	p, a := &Project{Input: NewFilter(q.right, conds)}, &Aggregate{}
	for i, e := range args {
		c := Col{ID: q.b.ids.Next(), Name: e.String(), Type: e.Type}
		p.Items = append(p.Items, Computed{Col: c, Expr: e})
		t := e.Type.Nullable()
		name := calls[i] + "(" + c.Name + ")"
		a.Aggs = append(a.Aggs, Agg{Col: Col{ID: q.b.ids.Next(), Name: name, Type: t}, Call: extreme(calls[i], Ref(c), t)})
	}
	a.Input = p
	return &Apply{Kind: LeftJoin, Left: q.left, Right: a}, a.Columns()
}

// extreme is MIN or MAX of e: of values that are equal in several forms, by what they
// are compared by.
func extreme(fn string, e *expr.Expr, t types.Type) agg.Call {
	if !e.Type.Folds() {
		return agg.Call{Fn: fn, Args: []*expr.Expr{e}, Type: t}
	}
	c, err := agg.Request{Fn: fn, Args: []*expr.Expr{e}, Order: []*expr.Expr{e}, Desc: []bool{false}}.Resolve()
	if err != nil {
		panic("internal error: " + err.Error()) // MIN and MAX are there of every type
	}
	return c
}

// found is not NULL where the query of x has a row (for which test is true).
func (b *builder) found(n Node, x *expr.Expr, test *expr.Expr) (Node, *expr.Expr, error) {
	use := "found"
	if test != nil {
		use += " " + test.Fn
	}
	n, cols, err := b.once(n, x, use, func(q *innerQuery) (Node, []Col, error) {
		var conds []*expr.Expr
		if test != nil {
			e, err := q.expr(test)
			if err != nil {
				return nil, nil, err
			}
			conds = append(conds, e)
		}
		n, cols := q.aggregated(conds, []string{"max"}, expr.NewInt(1))
		return n, cols, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return n, Ref(cols[0]), nil
}

// extremes are MIN and MAX of a side of the test over the query's rows, and
// whether one is NULL: 1, 0, or NULL where there are no rows.
func (b *builder) extremes(n Node, x *expr.Expr, value *expr.Expr) (Node, []*expr.Expr, error) {
	n, cols, err := b.once(n, x, "extremes", func(q *innerQuery) (Node, []Col, error) {
		v, err := q.expr(value)
		if err != nil {
			return nil, nil, err
		}
		n, cols := q.aggregated(nil, []string{"min", "max", "max"}, v, v, call("is null", v))
		return n, cols, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return n, []*expr.Expr{Ref(cols[0]), Ref(cols[1]), Ref(cols[2])}, nil
}

// nulls is whether a value of the query of x is NULL, as the last of extremes.
func (b *builder) nulls(n Node, x *expr.Expr, value *expr.Expr) (Node, *expr.Expr, error) {
	n, cols, err := b.once(n, x, "nulls", func(q *innerQuery) (Node, []Col, error) {
		v, err := q.expr(value)
		if err != nil {
			return nil, nil, err
		}
		n, cols := q.aggregated(nil, []string{"max"}, call("is null", v))
		return n, cols, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return n, Ref(cols[0]), nil
}

// call makes a call of which the types are known to fit.
func call(fn string, args ...*expr.Expr) *expr.Expr {
	e, err := builtin.Call(nil, fn, args...)
	if err != nil { // of operators and CASE over conditions there is none
		panic(err)
	}
	return e
}

func truth(yes bool) *expr.Expr {
	v := expr.Value{}
	if yes {
		v.I = 1
	}
	return expr.NewConst(v, types.MakeBool())
}

func unknown() *expr.Expr { return expr.NewConst(expr.Value{Null: true}, types.MakeBool()) }
