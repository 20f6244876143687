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

// lateralRows is a relation with rows of another beside each of its rows: all that
// match, or the first few, which the reference counts.
func (g *gen) lateralRows(rels []relation) relation {
	l, r, name := g.relation(rels, 0), g.relation(rels, 0), g.name("l")
	left, right := l.qualified(), r.qualified()
	on := strings.Join(g.joinOn(left, right), " AND ")
	out := relation{alias: g.name("d")}
	var items, outs, inside, plain, order []string
	for i, c := range left {
		as := fmt.Sprintf("l%d", i)
		out.cols = append(out.cols, column{as, c.kind})
		items, outs = append(items, c.name+" AS "+as), append(outs, as)
	}
	plain = slices.Clone(items)
	for i, c := range right {
		as := fmt.Sprintf("s%d", i)
		out.cols = append(out.cols, column{as, c.kind})
		items, outs = append(items, name+"."+as+" AS "+as), append(outs, as)
		inside, plain = append(inside, c.name+" AS "+as), append(plain, c.name+" AS "+as)
		order = append(order, sortable(c.name, c.kind)+pick(g, "", " DESC"))
	}
	g.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	join := pick(g, "", "LEFT ")
	first, limit := "", ""
	if g.chance(60) {
		first, limit = " ORDER BY "+strings.Join(order, ", "), fmt.Sprint(1+g.IntN(3))
	}
	dialect := fmt.Sprintf("(SELECT %s FROM %s AS %s %sJOIN LATERAL (SELECT %s FROM %s AS %s WHERE %s", strings.Join(items, ", "),
		l.text, l.alias, join, strings.Join(inside, ", "), r.text, r.alias, on)
	if limit == "" {
		out.text = g.form(dialect+") AS "+name+" ON TRUE)", fmt.Sprintf("(SELECT %s FROM %s AS %s %sJOIN %s AS %s ON %s)",
			strings.Join(plain, ", "), l.text, l.alias, join, r.text, r.alias, on))
		return out
	}
	row := g.name("p")
	out.text = g.form(dialect+first+" LIMIT "+limit+") AS "+name+" ON TRUE)",
		fmt.Sprintf("(SELECT %s FROM (SELECT %s, ROW_NUMBER() OVER (PARTITION BY %s.%s%s) AS place FROM (SELECT %s.*, ROW_NUMBER() OVER (ORDER BY %s) AS %s FROM %s AS %s) AS %s %sJOIN %s AS %s ON %s) AS ranked WHERE place <= %s)",
			strings.Join(outs, ", "), strings.Join(plain, ", "), l.alias, row, first, l.alias, sortable(left[0].name, left[0].kind), row, l.text, l.alias, l.alias,
			join, r.text, r.alias, on, limit))
	return out
}

// median is a relation of the medians of groups, which the reference has over windows alone.
func (g *gen) median(rels []relation) relation {
	in := g.relation(rels, 0)
	scope := in.qualified()
	by, x := pick(g, scope...), g.column(scope, pick(g, kInt, kDec))
	if by.kind == kEnum || !mentions(x, scope) {
		return g.over(rels)
	}
	call := "MEDIAN(" + x + ")"
	if g.chance(50) {
		call = "PERCENTILE_CONT(" + pick(g, "0", "0.25", "0.5", "1") + ") WITHIN GROUP (ORDER BY " + x + ")"
	}
	tail := " FROM " + in.text + " AS " + in.alias
	if g.chance(40) {
		tail += " WHERE " + g.condition(scope, 1)
	}
	return relation{alias: g.name("d"), cols: []column{{"g0", by.kind}, {"m0", kDec}}, text: g.form(
		fmt.Sprintf("(SELECT %s AS g0, CAST(%s AS DECIMAL(30,6)) AS m0%s GROUP BY %s)", by.name, call, tail, by.name),
		fmt.Sprintf("(SELECT DISTINCT %s AS g0, CAST(%s OVER (PARTITION BY %s) AS DECIMAL(30,6)) AS m0%s)", by.name, call, by.name, tail))}
}

// listed is a relation of constant rows.
func (g *gen) listed([]relation) relation {
	r := relation{alias: g.name("d")}
	var names []string
	for i := range 1 + g.IntN(3) {
		c := column{fmt.Sprintf("k%d", i), pick(g, kInt, kInt, kStr, kDate, kTime)}
		r.cols, names = append(r.cols, c), append(names, c.name)
	}
	var ours, selects []string
	for i := range 1 + g.IntN(4) {
		var row, named []string
		for _, c := range r.cols {
			value := g.literal(c.kind, i > 0)
			row, named = append(row, value), append(named, value+" AS "+c.name)
		}
		ours, selects = append(ours, "ROW("+strings.Join(row, ", ")+")"), append(selects, "SELECT "+strings.Join(named, ", "))
	}
	alias := r.alias + "v"
	r.text = g.form(fmt.Sprintf("(SELECT * FROM (VALUES %s) AS %s (%s))", strings.Join(ours, ", "), alias, strings.Join(names, ", ")),
		"("+strings.Join(selects, " UNION ALL ")+")")
	return r
}
