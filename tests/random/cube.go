package random

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// cube is a relation grouped in several ways at once. The reference makes each
// grouping a query of its own.
func (g *gen) cube(rels []relation) relation {
	in := g.relation(rels, 0)
	scope := in.qualified()
	var by []column
	for _, i := range g.Perm(len(scope))[:min(2+g.IntN(2), len(scope))] {
		if scope[i].kind != kEnum {
			by = append(by, scope[i])
		}
	}
	if len(by) < 2 {
		return g.over(rels)
	}
	sets, spell := g.groupings(by)
	r := relation{alias: g.name("d")}
	for i, c := range by {
		r.cols = append(r.cols, column{fmt.Sprintf("g%d", i), c.kind})
	}
	var calls []string
	for i := range 1 + g.IntN(2) {
		call, name := g.call(scope, false), fmt.Sprintf("s%d", i)
		r.cols = append(r.cols, column{name, call.kind})
		calls = append(calls, call.text+" AS "+name)
	}
	told := g.IntN(len(by))
	r.cols = append(r.cols, column{"n0", kInt})
	tail := " FROM " + in.text + " AS " + in.alias
	if g.chance(40) {
		tail += " WHERE " + g.condition(scope, 1)
	}
	var parts []string
	for _, s := range sets {
		var items, names []string
		for i, c := range by {
			if s&(1<<i) != 0 {
				names, items = append(names, c.name), append(items, fmt.Sprintf("%s AS g%d", c.name, i))
			} else {
				items = append(items, fmt.Sprintf("NULL AS g%d", i))
			}
		}
		items = append(append(items, calls...), fmt.Sprintf("%d AS n0", 1-s>>told&1))
		part := "SELECT " + strings.Join(items, ", ") + tail
		if len(names) > 0 {
			part += " GROUP BY " + strings.Join(names, ", ")
		} else {
			part += " HAVING COUNT(*) > 0" // the grand total of no rows is no row
		}
		parts = append(parts, part)
	}
	items := make([]string, len(by))
	for i, c := range by {
		items[i] = fmt.Sprintf("%s AS g%d", c.name, i)
	}
	items = append(append(items, calls...), "GROUPING("+by[told].name+") AS n0")
	r.text = g.form("(SELECT "+strings.Join(items, ", ")+tail+" GROUP BY "+spell+")", "("+strings.Join(parts, " UNION ALL ")+")")
	return r
}

// groupings are sets of columns to group by, as bits, and how they are written. The
// first has a value of each column, so that the reference knows their types.
func (g *gen) groupings(by []column) (sets []int, spell string) {
	names := func(set int) string {
		var out []string
		for i, c := range by {
			if set&(1<<i) != 0 {
				out = append(out, c.name)
			}
		}
		return strings.Join(out, ", ")
	}
	all := 1<<len(by) - 1
	switch g.IntN(3) {
	case 0:
		for s := all; s >= 0; s-- {
			sets = append(sets, s)
		}
		return sets, "CUBE (" + names(all) + ")"
	case 1:
		for s := all; s > 0; s &^= 1 << (bits.Len(uint(s)) - 1) {
			sets = append(sets, s)
		}
		return append(sets, 0), "ROLLUP (" + names(all) + ")"
	}
	var written []string
	for range 2 + g.IntN(3) {
		s := g.IntN(all + 1)
		if !slices.Contains(sets, s) { // the same twice is another test's matter
			sets, written = append(sets, s), append(written, "("+names(s)+")")
		}
	}
	if !slices.ContainsFunc(sets, func(s int) bool { return s == all }) {
		sets, written = append([]int{all}, sets...), append([]string{"(" + names(all) + ")"}, written...)
	}
	return sets, "GROUPING SETS (" + strings.Join(written, ", ") + ")"
}
