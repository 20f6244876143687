package random

import (
	"fmt"
	"strings"
)

// inner is a subquery's FROM and WHERE: often correlated with the outer scope,
// by an equality, beside conditions of its own.
func (g *gen) inner(rels []relation, outer []column) (r relation, tail string) {
	r = g.relation(rels, 0)
	in := r.qualified()
	var where []string
	if len(outer) > 0 && g.chance(70) {
		c := pick(g, in...)
		if o, ok := g.existing(outer, c.kind); ok && c.kind != kYear { // nor does a year equal one outside and a constant
			op := pick(g, " = ", " = ", " = ", c.kind.same(), " < ")
			if c.kind.unordered() {
				op = " = "
			}
			where = append(where, c.name+op+o)
		}
	}
	if g.chance(50) {
		where = append(where, g.condition(in, 1))
	}
	if g.chance(8) {
		where = append(where, g.condition(append(append([]column(nil), in...), outer...), 1))
	}
	tail = " FROM " + r.text + " AS " + r.alias
	if len(where) > 0 {
		tail += " WHERE " + strings.Join(where, " AND ")
	}
	return r, tail
}

// existing is a column of a kind, if the scope has one.
func (g *gen) existing(scope []column, k kind) (string, bool) {
	for _, i := range g.Perm(len(scope)) {
		if scope[i].kind == k {
			return scope[i].name, true
		}
	}
	return "", false
}

// subcondition is a condition with a subquery over the relations.
func (g *gen) subcondition(rels []relation, outer []column) string {
	r, tail := g.inner(rels, outer)
	in := r.qualified()
	k := g.kindOf(in)
	x, y := g.column(outer, k), g.expr(in, k, pick(g, 0, 0, 1))
	n := g.IntN(9)
	switch {
	case k == kYear: // to MariaDB some of a subquery's years equal none
		n = 0
	case k == kUns && n == 6: // MariaDB takes the greatest of all, 2^64 − 1, for less than 1
		n = 2
	case k.unordered() && n > 5:
		n -= 4
	}
	switch n {
	case 0, 1:
		return pick(g, "", "NOT ") + "EXISTS (SELECT 1" + tail + ")"
	case 2, 3, 4:
		return x + pick(g, " IN ", " IN ", " NOT IN ") + "(SELECT " + y + tail + ")"
	case 5:
		k2 := g.kindOf(in)
		return fmt.Sprintf("(%s, %s) IN (SELECT %s, %s%s)", x, g.column(outer, k2), y, g.column(in, k2), tail)
	case 6:
		return x + pick(g, " = ", " <> ", " < ", " <= ", " > ", " >= ") + pick(g, "ANY ", "ALL ", "SOME ") + "(SELECT " + y + tail + ")"
	case 7:
		return "(" + g.condition(outer, 1) + " OR " + pick(g, "", "NOT ") + "EXISTS (SELECT 1" + tail + "))"
	}
	return x + pick(g, " = ", " <> ", " < ", " >= ", " <=> ") + g.scalar(rels, outer, k)
}

// scalar is a scalar subquery of a kind: an aggregate, of which there is one row,
// or the first in an order.
func (g *gen) scalar(rels []relation, outer []column, k kind) string {
	r, tail := g.inner(rels, outer)
	in := r.qualified()
	if x, ok := g.existing(in, k); ok && (g.chance(25) || k.unordered()) {
		return "(SELECT " + x + tail + " ORDER BY " + sortable(x, k) + pick(g, "", " DESC") + " LIMIT 1)"
	}
	return "(SELECT " + g.aggregateOf(in, k) + tail + ")"
}

// recursive is a query of a recursive CTE over a table's numbers: counting up, or
// following them as edges.
func (g *gen) recursive(t *table) *query {
	w := g.name("w")
	first := fmt.Sprintf("SELECT id AS c0, 0 AS c1 FROM %s%s", t.text, g.whereOf(t))
	next := fmt.Sprintf("SELECT c0 + 1, c1 + 1 FROM %s WHERE c1 < %d", w, g.IntN(5))
	if g.chance(60) {
		next = fmt.Sprintf("SELECT t.g, w.c1 + 1 FROM %s w JOIN %s t ON t.id = w.c0 WHERE w.c1 < %d", w, t.text, 1+g.IntN(3))
	}
	return &query{
		recursive: "WITH RECURSIVE " + w + " AS (" + first + pick(g, " UNION ", " UNION ALL ") + next + ") ",
		items:     []item{{"r.c0", "c0", kInt}, {"r.c1", "c1", kInt}},
		from:      relation{text: w, alias: "r", cols: []column{{"c0", kInt}, {"c1", kInt}}},
	}
}
