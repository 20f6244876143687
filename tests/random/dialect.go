package random

import (
	"fmt"
	"slices"
	"strings"
)

// session is a table's rows with the sessions that they lie in. The reference
// finds a session's first row by its gap, counts those, and takes the bounds.
func (g *gen) session(t *table, ts string) relation {
	r := relation{alias: g.name("r"), cols: append(slices.Clone(t.cols), column{"window_start", kTime}, column{"window_end", kTime})}
	u := pick(g, unit{"SECOND", 1}, unit{"MINUTE", 60}, unit{"HOUR", 3600})
	n := pick(g, 1, 5, 30)
	dialect, key := "", "0"
	if c := pick(g, t.cols...); g.chance(60) && c.name != ts {
		dialect, key = ", PARTITION BY "+c.name, c.name
	}
	var cols []string
	for _, c := range t.cols {
		cols = append(cols, c.name)
	}
	all := strings.Join(cols, ", ")
	first := fmt.Sprintf("SELECT %s, IF(TIMESTAMPDIFF(MICROSECOND, LAG(%s) OVER (PARTITION BY %s ORDER BY %s), %s) <= %d, 0, 1) AS first_ FROM %s WHERE %s IS NOT NULL",
		all, ts, key, ts, ts, n*u.seconds*1000000, t.text, ts)
	number := fmt.Sprintf("SELECT %s, SUM(first_) OVER (PARTITION BY %s ORDER BY %s) AS number_ FROM (%s) s1", all, key, ts, first)
	r.text = g.form(fmt.Sprintf("SESSION(%s, %s, INTERVAL %d %s%s)", t.text, ts, n, u.name, dialect),
		fmt.Sprintf("(SELECT %s, MIN(%s) OVER (PARTITION BY %s, number_) AS window_start, MAX(%s) OVER (PARTITION BY %s, number_) + INTERVAL %d %s AS window_end FROM (%s) s2)",
			all, ts, key, ts, key, n, u.name, number))
	return r
}

// lateral is a relation with a row of aggregates of another beside each of its rows.
func (g *gen) lateral(rels []relation) relation {
	l, name := g.relation(rels, 0), g.name("l")
	in, tail := g.inner(rels, l.qualified())
	r := relation{alias: g.name("d")}
	var left, items, scalars []string
	for i, c := range l.qualified() {
		r.cols = append(r.cols, column{fmt.Sprintf("l%d", i), c.kind})
		left = append(left, fmt.Sprintf("%s AS l%d", c.name, i))
	}
	for i := range 1 + g.IntN(2) {
		k := g.kindOf(in.qualified())
		call, as := g.aggregateOf(in.qualified(), k), fmt.Sprintf("s%d", i)
		r.cols = append(r.cols, column{as, k})
		items = append(items, call+" AS "+as)
		scalars = append(scalars, "(SELECT "+call+tail+") AS "+as)
	}
	head := "(SELECT " + strings.Join(left, ", ") + ", "
	var outs []string
	for i := range items {
		outs = append(outs, fmt.Sprintf("%s.s%d", name, i))
	}
	from := " FROM " + l.text + " AS " + l.alias
	r.text = g.form(head+strings.Join(outs, ", ")+from+pick(g, ", LATERAL (", " CROSS JOIN LATERAL (", " JOIN LATERAL (")+"SELECT "+strings.Join(items, ", ")+tail+") AS "+name+")",
		head+strings.Join(scalars, ", ")+from+")")
	return r
}

// cube is a relation grouped in several ways at once. The reference makes each
// grouping a query of its own.
func (g *gen) cube(rels []relation) relation {
	in := g.relation(rels, 0)
	scope := in.qualified()
	a, b := pick(g, scope...), pick(g, scope...)
	if a.name == b.name || a.kind == kEnum || b.kind == kEnum {
		return g.over(rels)
	}
	call := g.call(scope, false)
	r := relation{alias: g.name("d"), cols: []column{{"g0", a.kind}, {"g1", b.kind}, {"g2", call.kind}}}
	var sets [][2]bool
	var spell string
	switch g.IntN(3) {
	case 0:
		sets, spell = [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}}, fmt.Sprintf("CUBE (%s, %s)", a.name, b.name)
	case 1:
		sets, spell = [][2]bool{{true, true}, {true, false}, {false, false}}, fmt.Sprintf("ROLLUP (%s, %s)", a.name, b.name)
	default:
		sets, spell = [][2]bool{{true, false}, {false, true}}, fmt.Sprintf("GROUPING SETS ((%s), (%s))", a.name, b.name)
	}
	tail := " FROM " + in.text + " AS " + in.alias
	if g.chance(40) {
		tail += " WHERE " + g.condition(scope, 1)
	}
	var parts []string
	for _, s := range sets {
		by, items := []string{}, []string{}
		for i, c := range []column{a, b} {
			if s[i] {
				by, items = append(by, c.name), append(items, fmt.Sprintf("%s AS g%d", c.name, i))
			} else {
				items = append(items, fmt.Sprintf("NULL AS g%d", i))
			}
		}
		part := "SELECT " + strings.Join(items, ", ") + ", " + call.text + " AS g2" + tail
		if len(by) > 0 {
			part += " GROUP BY " + strings.Join(by, ", ")
		} else {
			part += " HAVING COUNT(*) > 0" // the grand total of no rows is no row
		}
		parts = append(parts, part)
	}
	r.text = g.form(fmt.Sprintf("(SELECT %s AS g0, %s AS g1, %s AS g2%s GROUP BY %s)", a.name, b.name, call.text, tail, spell), "("+strings.Join(parts, " UNION ALL ")+")")
	return r
}
