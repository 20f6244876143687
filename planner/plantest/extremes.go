package plantest

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Extremes draws a tree that joins rows with the MIN or MAX of a column of theirs
// by groups, or with one of almost the same rows.
func (g *Generator) Extremes() *logical.Tree {
	shape := g.pick(4)
	rows, other := g.rows(shape, g.pick(3)), g.rows(shape, 0)
	cols, twins := rows.Columns(), other.Columns()
	value := g.pick(len(cols))
	agg := call(g.next(), []string{"min", "max"}[g.pick(2)], logical.Ref(twins[value]))
	a := &logical.Aggregate{Input: other, Aggs: []logical.Agg{agg}}
	j := &logical.Join{Left: rows, Right: a}
	for k, c := range twins {
		if k == value || g.pick(2) == 0 {
			continue
		}
		a.Keys = append(a.Keys, c)
		if g.pick(6) > 0 {
			j.Keys = append(j.Keys, logical.JoinKey{Left: cols[k], Right: c, NullSafe: g.pick(3) == 0})
		}
	}
	most := logical.Ref(agg.Col)
	switch own := logical.Ref(cols[value]); g.pick(4) {
	case 0:
		j.Keys = append(j.Keys, logical.JoinKey{Left: cols[value], Right: agg.Col, NullSafe: g.pick(4) == 0})
	case 1:
		j.On = append(j.On, is("=", most, own))
	default:
		j.On = append(j.On, is([]string{"<=", ">="}[g.pick(2)], own, most))
	}
	if g.pick(3) == 0 {
		j.On = append(j.On, g.cond(j.Columns(), 1))
	}
	return &logical.Tree{Root: j, Out: g.subset(j.Columns()), IDs: g.IDs()}
}

// rows are those of t, filtered, counted by a column, or computed. But for the
// constant of the filter they are the same each time.
func (g *Generator) rows(shape, constant int) logical.Node {
	bigint := types.MakeBigInt()
	key := bigint
	key.NotNull = true
	n := scan("t", column(g.next(), "k", key), column(g.next(), "a", bigint), column(g.next(), "b", bigint))
	cols := n.Columns()
	switch shape {
	case 1:
		return logical.NewFilter(n, []*expr.Expr{is("<", logical.Ref(cols[0]), expr.NewInt(int64(4-constant/2)))})
	case 2:
		return &logical.Aggregate{Input: n, Keys: cols[1:], Aggs: []logical.Agg{call(g.next(), "count")}}
	case 3:
		return &logical.Project{Input: n, Items: []logical.Computed{logical.PassThrough(cols[1]), computed(g.next(), do("+", logical.Ref(cols[2]), expr.NewInt(1)))}}
	}
	return n
}
