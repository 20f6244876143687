package bind

import (
	"slices"

	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// exactCall resolves an aggregate with the digits that it does not show (see
// builtin.Exact), and finds the type of what it shows. DISTINCT values are told
// apart by what they show.
func exactCall(r *agg.Request) (call agg.Call, shown types.Type, err error) {
	if call, err = r.Resolve(); err != nil {
		return agg.Call{}, types.Type{}, err
	}
	shown = call.Type
	switch call.Fn {
	case "sum", "avg", "min", "max", "any_value", "var_pop", "var_samp", "stddev_pop", "stddev_samp":
		if exact := builtin.Exact(r.Args[0]); exact != r.Args[0] && !call.Distinct {
			r.Args[0] = exact
			if call, err = r.Resolve(); err != nil {
				return agg.Call{}, types.Type{}, err
			}
		}
	}
	return call.Exact(r.DivPrecision), shown, nil
}

// exactKey is e over groups, of which e has more digits than the value that they are
// grouped by shows: those of the smallest. Nil: it is no such e.
func (g *grouping) exactKey(e *expr.Expr) *expr.Expr {
	if g.sets != nil {
		return nil
	}
	for _, by := range g.by {
		if exact := builtin.Exact(by.Expr); exact != by.Expr && expr.Equal(e, exact) {
			return g.column(agg.Call{Fn: "min", Args: []*expr.Expr{e}, Type: e.Type.Nullable()}, g.b)
		}
	}
	return nil
}

// exactColumns lets the columns of q keep the digits that they do not show, for what
// takes their values one by one, and returns the types of what they show. A column
// that rows are told apart or ordered by has the digits that show.
func exactColumns(q *Query) []types.Type {
	shown := make([]types.Type, len(q.Out))
	for i, c := range q.Out {
		shown[i] = c.Type
	}
	sel, ok := q.Root.(*Select)
	if !ok || sel.Distinct {
		return shown
	}
	for i := range sel.Project {
		p := &sel.Project[i]
		out := slices.IndexFunc(q.Out, func(c Col) bool { return c.ID == p.ID })
		if exact := builtin.Exact(p.Expr); exact != p.Expr && out >= 0 && !slices.ContainsFunc(q.OrderBy, func(o Order) bool { return o.Col == p.ID }) {
			p.Expr, p.Type, q.Out[out].Type = exact, exact.Type, exact.Type
		}
	}
	return shown
}

// settleDigits decides how the averages of a SELECT are computed, once all that reads
// them is bound. One that becomes a DOUBLE is the quotient of two DOUBLEs, and one
// of which nothing takes more digits than it shows is computed to those at once.
func (b *binder) settleDigits(sel *Select) {
	b.divideAsDouble(sel)
	shown := map[int]types.Type{} // by column: what it shows where only that is taken
	exact := map[int]bool{}       // columns of which all digits are taken
	sel.eachExpr(func(e **expr.Expr) {
		(*e).Walk(func(x *expr.Expr) bool {
			if c := builtin.Exact(x); c != x && c.Op == expr.OpColumn {
				shown[c.Col] = x.Type
				return false
			}
			if x.Op == expr.OpColumn {
				exact[x.Col] = true
			}
			return true
		})
	})
	dropped := map[int]bool{}
	drop := func(c *agg.Call, col *Col) {
		t, ok := shown[col.ID]
		if !ok || exact[col.ID] || !c.Cut || c.Args[0].Type.Kind == types.Decimal && c.Args[0].Type.Scale > t.Scale {
			return
		}
		c.Type, c.Cut, col.Type, dropped[col.ID] = t, false, t, true
	}
	for i := range sel.Aggs {
		drop(&sel.Aggs[i].Call, &sel.Aggs[i].Col)
	}
	for i := range sel.Overs {
		drop(&sel.Overs[i].Call, &sel.Overs[i].Col)
	}
	if len(dropped) == 0 {
		return
	}
	sel.eachExpr(func(e **expr.Expr) {
		*e = (*e).Rewrite(func(x *expr.Expr) *expr.Expr {
			if c := builtin.Exact(x); c != x && c.Op == expr.OpColumn && dropped[c.Col] {
				return expr.NewColumn(c.Col, c.Name, x.Type)
			}
			return x
		})
	})
}

// divideAsDouble makes of an average of numbers as a DOUBLE that of their sum divided by
// their number: MySQL does not go by way of its DECIMAL.
func (b *binder) divideAsDouble(sel *Select) {
	sel.eachExpr(func(e **expr.Expr) {
		*e = (*e).Rewrite(func(x *expr.Expr) *expr.Expr {
			if x.Fn != "coerce" && x.Fn != "cast" || x.Type.Kind != types.Double || x.Args[0].Op != expr.OpColumn {
				return x
			}
			i := slices.IndexFunc(sel.Aggs, func(a Aggregate) bool { return a.ID == x.Args[0].Col && a.Call.Cut })
			if i < 0 {
				return x
			}
			sum, count := b.another(sel, "sum", sel.Aggs[i].Call), b.another(sel, "count", sel.Aggs[i].Call)
			if q, err := b.call("/", builtin.Convert(sum, x.Type), count); err == nil {
				return q
			}
			return x
		})
	})
}

// another is fn of the values that c, an average of sel, is of.
func (b *binder) another(sel *Select, fn string, c agg.Call) *expr.Expr {
	if plain, err := agg.Resolve(fn, c.Values(), c.Distinct); err == nil {
		c.Fn, c.Type, c.Cut = fn, plain.Type, false
	}
	for _, a := range sel.Aggs {
		if a.Call.Same(c) {
			return expr.NewColumn(a.ID, a.Name, a.Type)
		}
	}
	col := Col{ID: b.newID(), Name: callText(c), Type: c.Type}
	sel.Aggs = append(sel.Aggs, Aggregate{Col: col, Call: c})
	return expr.NewColumn(col.ID, col.Name, col.Type)
}

// eachExpr calls f on what the block computes of its groups and windows.
func (s *Select) eachExpr(f func(e **expr.Expr)) {
	for i := range s.Having {
		f(&s.Having[i])
	}
	for i := range s.Overs {
		s.Overs[i].Exprs(f)
	}
	for i := range s.Project {
		f(&s.Project[i].Expr)
	}
}
