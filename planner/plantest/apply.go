package plantest

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// several is what all columns of a single Apply's right side are where it has
// more than one row, instead of an error.
const several = -99

// apply computes the right side anew for each row of the left, with the row's
// values in place of the columns.
func (db Database) apply(n *logical.Apply) (out []Row) {
	for _, l := range db.Rows(n.Left) {
		right := logical.Rewrite(n.Right, func(m logical.Node) logical.Node {
			return m.WithExprs(func(e *expr.Expr) *expr.Expr { return bound(e, l, n.Left.Columns()) })
		})
		var met []Row
		for _, r := range db.Rows(right) {
			both := Row{}
			for _, side := range []Row{l, r} {
				for id, v := range side {
					both[id] = v
				}
			}
			if holds(n.On, both) {
				met = append(met, both)
			}
		}
		switch {
		case n.Kind == logical.SemiJoin || n.Kind == logical.AntiJoin:
			if (len(met) > 0) == (n.Kind == logical.SemiJoin) {
				out = append(out, l)
			}
		case n.Single && len(met) > 1:
			for _, c := range n.Right.Columns() {
				met[0][c.ID] = num(several)
			}
			out = append(out, met[0])
		case len(met) == 0 && n.Kind == logical.LeftJoin:
			out = append(out, l)
		default:
			out = append(out, met...)
		}
	}
	return out
}

// bound is e with the values of r for cols.
func bound(e *expr.Expr, r Row, cols []logical.Col) *expr.Expr {
	of := logical.SetOf(cols)
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op != expr.OpColumn || !of[x.Col] {
			return x
		}
		if v := r[x.Col]; v != nil {
			return expr.NewInt(*v)
		}
		return expr.NewConst(expr.Value{Null: true}, types.MakeBigInt())
	})
}

// apply draws a dependent join.
func (g *Generator) apply(depth int) logical.Node {
	a := &logical.Apply{Kind: []logical.JoinKind{logical.InnerJoin, logical.LeftJoin, logical.SemiJoin, logical.AntiJoin}[g.pick(4)], Left: g.node(depth - 1)}
	around := g.outer
	g.outer = append(around[:len(around):len(around)], a.Left.Columns()...)
	a.Right = g.node(depth - 1)
	if g.pick(2) == 0 {
		a.Right = g.project(a.Right)
	}
	if g.pick(3) == 0 {
		agg := g.aggregate(a.Right).(*logical.Aggregate)
		if len(agg.Aggs) > 0 {
			agg.Keys = nil
		}
		a.Right = agg
		if g.pick(2) == 0 {
			a.Right = logical.NewFilter(a.Right, g.conds(a.Right.Columns()))
		}
	}
	g.outer = around
	if a.Kind == logical.LeftJoin && g.pick(2) == 0 {
		a.Single = true
		return a
	}
	a.On = g.conds((&logical.Join{Left: a.Left, Right: a.Right}).Columns())
	return a
}
