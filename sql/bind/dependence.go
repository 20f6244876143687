package bind

import (
	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// What a group determines besides what it is grouped by: MySQL's functional
// dependence, as far as keys, equalities and constants go.

// determined reports whether a column of FROM has one value in each group: it
// is grouped by, made equal to one that is or to a constant, or depends on a
// whole primary key that is.
func (g *grouping) determined(col int) bool {
	if g.known == nil {
		g.close()
	}
	return g.known[col]
}

// close works out the columns with one value in each group, to a fixed point.
func (g *grouping) close() {
	g.known = make(map[int]bool)
	for _, c := range g.by {
		if c.Expr.Op == expr.OpColumn {
			g.known[c.Expr.Col] = true
		}
	}
	for _, col := range g.fixed {
		g.known[col] = true
	}
	for more := true; more; {
		more = false
		learn := func(col int) {
			if !g.known[col] {
				g.known[col], more = true, true
			}
		}
		for _, pair := range g.equals {
			if g.known[pair[0]] || g.known[pair[1]] {
				learn(pair[0])
				learn(pair[1])
			}
		}
		for _, col := range g.keyed() {
			learn(col)
		}
	}
}

// keyed lists the columns of tables of which a whole key is known.
func (g *grouping) keyed() []int {
	type table struct{ db, name string }
	positions := make(map[table]map[int]bool)
	for i := range g.from.cols {
		if v := &g.from.cols[i]; v.base != nil && g.known[v.ID] {
			t := table{v.db, v.table}
			if positions[t] == nil {
				positions[t] = make(map[int]bool)
			}
			positions[t][v.position] = true
		}
	}
	var out []int
	for i := range g.from.cols {
		if v := &g.from.cols[i]; v.base != nil && hasKey(v.base, positions[table{v.db, v.table}]) {
			out = append(out, v.ID)
		}
	}
	return out
}

// hasKey reports whether the positions hold the primary key of t, or a unique
// one that is never NULL.
func hasKey(t *catalog.Table, positions map[int]bool) bool {
	whole := func(key []int, nullable bool) bool {
		for _, c := range key {
			if !positions[c] || !nullable && !t.Columns[c].Type.NotNull {
				return false
			}
		}
		return len(key) > 0
	}
	if whole(t.Primary, true) {
		return true
	}
	for _, k := range t.Unique {
		if whole(k.Columns, false) {
			return true
		}
	}
	return false
}

// learnEqualities notes what conditions that hold for every row make equal.
func (g *grouping) learnEqualities(conjuncts []*expr.Expr) {
	for _, c := range conjuncts {
		if c.Op != expr.OpCall || c.Fn != "=" || len(c.Args) != 2 {
			continue
		}
		a, b := c.Args[0], c.Args[1]
		if a.Type.Class() == types.ClassBytes {
			continue // equal texts may differ: in trailing spaces, in case
		}
		switch {
		case a.Op == expr.OpColumn && g.b.outer[a.Col] && b.Op == expr.OpColumn:
			g.fixed = append(g.fixed, b.Col)
		case b.Op == expr.OpColumn && g.b.outer[b.Col] && a.Op == expr.OpColumn:
			g.fixed = append(g.fixed, a.Col)
		case a.Op == expr.OpColumn && b.Op == expr.OpColumn:
			g.equals = append(g.equals, [2]int{a.Col, b.Col})
		case a.Op == expr.OpColumn && b.Op == expr.OpConst:
			g.fixed = append(g.fixed, a.Col)
		case b.Op == expr.OpColumn && a.Op == expr.OpConst:
			g.fixed = append(g.fixed, b.Col)
		}
	}
}

// learnJoins does the same for the conditions of inner joins below rel.
func (g *grouping) learnJoins(rel Rel) {
	if j, ok := rel.(*Join); ok && j.Kind == InnerJoin {
		g.learnEqualities(j.On)
		g.learnJoins(j.Left)
		g.learnJoins(j.Right)
	}
}
