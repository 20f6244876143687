package random

import (
	"fmt"
	"strings"
)

// over is a derived table of a relation with one or two window functions. An order
// that is not by all columns is only given to functions that treat peers alike; the
// second function treats equal rows alike too, for which of them is the first in two
// orders is nobody's business.
func (g *gen) over(rels []relation) relation {
	in := g.relation(rels, 0)
	scope := in.qualified()
	out := relation{alias: g.name("d")}
	var items []string
	for i, c := range scope {
		name := fmt.Sprintf("o%d", i)
		out.cols = append(out.cols, column{name, c.kind})
		items = append(items, c.name+" AS "+name)
	}
	n := pick(g, 1, 1, 2)
	for i := range n {
		draw := g.windowFunction
		if i > 0 {
			draw = g.windowOfPeers
		}
		text, k := draw(scope)
		for n > 1 && strings.Contains(text, "AVG(") { // beside another one MariaDB has the shown digits alone
			text, k = draw(scope)
		}
		name := fmt.Sprintf("n%d", i)
		out.cols = append(out.cols, column{name, k})
		items = append(items, text+" AS "+name)
	}
	out.text = fmt.Sprintf("(SELECT %s FROM %s AS %s)", strings.Join(items, ", "), in.text, in.alias)
	return out
}

// top is a derived table of the first rows of each partition, by their number or rank.
func (g *gen) top(rels []relation) relation {
	in := g.relation(rels, 0)
	scope := in.qualified()
	out := relation{alias: g.name("d")}
	var inside, items []string
	for i, c := range scope {
		name := fmt.Sprintf("o%d", i)
		out.cols = append(out.cols, column{name, c.kind})
		inside, items = append(inside, c.name+" AS "+name), append(items, name)
	}
	partition, loose, total := g.order(scope)
	number := pick(g, "ROW_NUMBER() OVER ("+partition+total+")", "RANK() OVER ("+partition+loose+")", "DENSE_RANK() OVER ("+partition+loose+")")
	if g.chance(40) {
		out.cols = append(out.cols, column{"place", kInt})
		items = append(items, "CAST(place AS SIGNED) AS place")
	}
	out.text = fmt.Sprintf("(SELECT %s FROM (SELECT %s, %s AS place FROM %s AS %s) AS ranked WHERE place %s)",
		strings.Join(items, ", "), strings.Join(inside, ", "), number, in.text, in.alias, pick(g, "= 1", "<= 1", "<= 2", "< 4", "BETWEEN 2 AND 3"))
	return out
}

// order is a partition, sometimes none, an order by one column, and one by all.
func (g *gen) order(scope []column) (partition, loose, total string) {
	if g.chance(70) {
		partition = "PARTITION BY " + pick(g, scope...).name + " "
	}
	by := pick(g, scope...)
	loose = "ORDER BY " + sortable(by.name, by.kind) + pick(g, "", " DESC")
	total = loose
	for _, i := range g.Perm(len(scope)) {
		if scope[i].name != by.name {
			total += ", " + sortable(scope[i].name, scope[i].kind) + pick(g, "", "", " DESC")
		}
	}
	return partition, loose, total
}

// windowFunction is any window function.
func (g *gen) windowFunction(scope []column) (text string, k kind) {
	if g.chance(40) {
		return g.windowOfPeers(scope)
	}
	partition, _, total := g.order(scope)
	arg := pick(g, scope...)
	if arg.kind == kEnum {
		arg = column{"'x'", kStr}
	}
	switch g.IntN(9) {
	case 7:
		frame := pick(g, "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", " ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING")
		return fmt.Sprintf("NTH_VALUE(%s, %d) OVER (%s%s%s)", arg.name, 1+g.IntN(3), partition, total, frame), arg.kind
	case 8:
		return g.neighbourOr(arg, partition, total), arg.kind
	case 0, 1:
		return "CAST(ROW_NUMBER() OVER (" + partition + total + ") AS SIGNED)", kInt // it is unsigned in MySQL, not in MariaDB
	case 2:
		return fmt.Sprintf("CAST(NTILE(%d) OVER (%s%s) AS SIGNED)", 1+g.IntN(3), partition, total), kInt
	case 3, 4:
		return fmt.Sprintf("%s(%s, %d) OVER (%s%s)", pick(g, "LAG", "LEAD"), arg.name, g.IntN(3), partition, total), arg.kind
	case 5:
		frame := pick(g, "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", " ROWS 2 PRECEDING")
		return pick(g, "FIRST_VALUE(", "LAST_VALUE(") + arg.name + ") OVER (" + partition + total + frame + ")", arg.kind
	}
	fn, k := g.summed(scope)
	return fn + " OVER (" + partition + total + pick(g,
		" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
		" ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
		" ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING") + ")", k
}

// windowOfPeers is a window function that gives peers the same.
func (g *gen) windowOfPeers(scope []column) (text string, k kind) {
	partition, loose, _ := g.order(scope)
	switch g.IntN(5) {
	case 4:
		return "CAST(" + pick(g, "PERCENT_RANK()", "CUME_DIST()") + " OVER (" + partition + loose + ") AS DECIMAL(10,6))", kDec
	case 0, 1:
		return "CAST(" + pick(g, "RANK()", "DENSE_RANK()") + " OVER (" + partition + loose + ") AS SIGNED)", kInt
	}
	if g.chance(15) {
		return g.digits("AVG(" + g.column(scope, pick(g, kInt, kDec)) + ") OVER (" + partition + ")"), kDec
	}
	fn, k := g.summed(scope)
	return fn + " OVER (" + partition + pick(g, "", loose) + ")", k
}

// neighbourOr is LAG or LEAD with what stands for a row that is not there, which the
// reference tells from a NULL by a constant.
func (g *gen) neighbourOr(arg column, partition, total string) string {
	fn, n, rest := pick(g, "LAG", "LEAD"), 1+g.IntN(2), g.literal(arg.kind, true)
	over := fmt.Sprintf(" OVER (%s%s)", partition, total)
	return g.form(fmt.Sprintf("%s(%s, %d, %s)%s", fn, arg.name, n, rest, over),
		fmt.Sprintf("CASE WHEN %s(1, %d)%s IS NULL THEN %s ELSE %s(%s, %d)%s END", fn, n, over, rest, fn, arg.name, n, over))
}

// summed is an aggregate that may stand over a window.
func (g *gen) summed(scope []column) (string, kind) {
	switch g.IntN(5) {
	case 4:
		return g.filtered(pick(g, "COUNT", "MIN", "MAX"), g.column(scope, kInt), g.condition(scope, 1)), kInt
	case 0:
		return "COUNT(" + pick(g, "*", pick(g, scope...).name) + ")", kInt
	case 1:
		return "SUM(" + g.column(scope, pick(g, kInt, kDec)) + ")", kDec
	}
	c := pick(g, scope...)
	if c.kind.unordered() {
		return "COUNT(" + c.name + ")", kInt
	}
	return pick(g, "MIN(", "MAX(") + c.name + ")", c.kind
}

// sortKey is a column to order by.
func (g *gen) sortKey(cols []column) string {
	c := pick(g, cols...)
	return sortable(c.name, c.kind)
}
