package random

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// framed is a derived table of a relation with an aggregate over a frame of RANGE or
// GROUPS. The reference knows distances between numbers alone: of times it gets their
// microseconds, and for groups of peers the number of the group.
func (g *gen) framed(rels []relation) relation {
	in := g.relation(rels, 0)
	scope := in.qualified()
	out := relation{alias: g.name("d")}
	var items []string
	for i, c := range scope {
		name := fmt.Sprintf("o%d", i)
		out.cols = append(out.cols, column{name, c.kind})
		items = append(items, c.name+" AS "+name)
	}
	partition := ""
	if g.chance(60) {
		partition = "PARTITION BY " + pick(g, scope...).name + " "
	}
	by, desc := pick(g, scope...), pick(g, "", " DESC")
	call, k := g.framedCall(scope)
	from := in.text + " AS " + in.alias + ")"
	var window, reference string
	switch distance, number := g.distance(by); {
	case distance != nil && g.chance(60):
		bounds, plain := g.bounds(distance)
		window = by.name + desc + " RANGE " + bounds
		reference = number + desc + " RANGE " + plain
	default:
		group := g.name("p")
		bounds, plain := g.bounds(func() (string, string) {
			n := fmt.Sprint(g.IntN(3))
			return n, n
		})
		order := sortable(by.name, by.kind) + desc
		window = order + " GROUPS " + bounds
		reference = in.alias + "." + group + " RANGE " + plain
		from = g.form(from, fmt.Sprintf("(SELECT %s.*, DENSE_RANK() OVER (%sORDER BY %s) AS %s FROM %s AS %s)",
			in.alias, partition, order, group, from, in.alias))
	}
	over := " OVER (" + partition + "ORDER BY "
	over = g.form(over+window+")", over+reference+")")
	out.cols = append(out.cols, column{"n0", k})
	out.text = "(SELECT " + strings.Join(append(items, call+over+" AS n0"), ", ") + " FROM " + from
	return out
}

// framedCall is an aggregate that may stand over a frame.
func (g *gen) framedCall(scope []column) (string, kind) {
	switch g.IntN(5) {
	case 0:
		fn := pick(g, "COUNT", "SUM", "MIN", "MAX")
		k := kInt
		if fn == "SUM" {
			k = kDec
		}
		return g.filtered(fn, g.expr(scope, kInt, 1), g.condition(scope, 1)), k
	case 1:
		return "AVG(" + g.column(scope, pick(g, kInt, kDec)) + ")", kDec
	}
	return g.summed(scope)
}

// distance draws distances of a RANGE over a column, in our form and as numbers,
// and is the column as a number; nil: it has none.
func (g *gen) distance(c column) (draw func() (ours, number string), number string) {
	times := func(unit string, size int) func() (string, string) {
		return func() (string, string) {
			n := g.IntN(4)
			return fmt.Sprintf("INTERVAL %d %s", n, unit), fmt.Sprint(n * size)
		}
	}
	switch c.kind {
	case kInt, kDec:
		return func() (string, string) {
			n := pick(g, "0", "1", "2", "5")
			if c.kind == kDec {
				n = pick(g, "0.25", "1", "1.5", "7")
			}
			return n, n
		}, c.name
	case kDate:
		unit, days := "DAY", 1
		if g.chance(30) {
			unit, days = "WEEK", 7
		}
		return times(unit, days), "TO_DAYS(" + c.name + ")"
	case kTime:
		u := pick(g, unit{"SECOND", 1}, unit{"MINUTE", 60}, unit{"HOUR", 3600}, unit{"DAY", 86400})
		return times(u.name, u.seconds*1000000), "TIMESTAMPDIFF(MICROSECOND, '2000-01-01', " + c.name + ")"
	}
	return nil, ""
}

// bounds are those of a frame, in both forms. None ends before it begins: of peers in
// an order MariaDB gives such a frame rows.
func (g *gen) bounds(distance func() (string, string)) (ours, reference string) {
	form := pick(g, "%s PRECEDING", "CURRENT ROW", "BETWEEN CURRENT ROW AND CURRENT ROW",
		"BETWEEN %s PRECEDING AND CURRENT ROW", "BETWEEN %s PRECEDING AND %s FOLLOWING", "BETWEEN %s PRECEDING AND %s PRECEDING",
		"BETWEEN %s FOLLOWING AND %s FOLLOWING", "BETWEEN UNBOUNDED PRECEDING AND %s FOLLOWING", "BETWEEN UNBOUNDED PRECEDING AND %s PRECEDING",
		"BETWEEN %s PRECEDING AND UNBOUNDED FOLLOWING", "BETWEEN %s FOLLOWING AND UNBOUNDED FOLLOWING", "BETWEEN CURRENT ROW AND %s FOLLOWING")
	type pair struct{ ours, reference string }
	var drawn []pair
	for range strings.Count(form, "%s") {
		a, b := distance()
		drawn = append(drawn, pair{a, b})
	}
	number := func(p pair) float64 {
		x, _ := strconv.ParseFloat(p.reference, 64)
		return x
	}
	slices.SortFunc(drawn, func(a, b pair) int { return cmp.Compare(number(a), number(b)) })
	if strings.Count(form, "PRECEDING") == 2 {
		slices.Reverse(drawn)
	}
	ours, reference = form, form
	for _, p := range drawn {
		ours, reference = strings.Replace(ours, "%s", p.ours, 1), strings.Replace(reference, "%s", p.reference, 1)
	}
	return ours, reference
}

// overGroups is a derived table of groups with window functions over them.
func (g *gen) overGroups(rels []relation) relation {
	in := g.relation(rels, 0)
	scope := in.qualified()
	a, b := pick(g, scope...), pick(g, scope...)
	if a.kind == kEnum || b.kind == kEnum {
		return g.over(rels)
	}
	call, k := g.summed(scope)
	where := ""
	if g.chance(40) {
		where = " WHERE " + g.condition(scope, 1)
	}
	if g.chance(30) {
		where += " GROUP BY " + a.name + ", " + b.name + " HAVING COUNT(*) > 1"
	} else {
		where += " GROUP BY " + a.name + ", " + b.name
	}
	by := a.name
	if a.kind.unordered() {
		by = "COUNT(*)"
	}
	out := relation{alias: g.name("d"), cols: []column{{"g0", a.kind}, {"g1", b.kind}, {"s0", k}, {"n0", kInt}, {"n1", kDec}}}
	rank := pick(g, "RANK()", "DENSE_RANK()") + " OVER (" + pick(g, "", "PARTITION BY "+a.name+" ") + "ORDER BY " + call + pick(g, "", " DESC") + ")"
	out.text = fmt.Sprintf("(SELECT %s AS g0, %s AS g1, %s AS s0, CAST(%s AS SIGNED) AS n0, SUM(COUNT(*)) OVER (PARTITION BY %s ORDER BY %s) AS n1 FROM %s AS %s%s)",
		a.name, b.name, call, rank, b.name, by, in.text, in.alias, where)
	return out
}
