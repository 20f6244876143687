package random

import (
	"fmt"
	"slices"
	"strings"
)

// relation is something FROM can name.
type relation struct {
	text  string // a name, or a query in parentheses
	alias string
	cols  []column // unqualified
}

func (r relation) qualified() []column {
	out := make([]column, len(r.cols))
	for i, c := range r.cols {
		out[i] = column{r.alias + "." + c.name, c.kind}
	}
	return out
}

// query is a SELECT whose parts can be taken away one by one (shrink.go).
type query struct {
	recursive string // WITH RECURSIVE …, whole
	with      []with
	distinct  bool
	items     []item
	from      relation
	joins     []join
	where     []string
	group     []string
	rollup    bool
	having    string
	union     *query
	setop     string // how union comes in: UNION [ALL], INTERSECT, EXCEPT
	limit     int    // rows of the result, in the order of all its columns; 0: all
	offset    int
}

type with struct {
	name string
	body *query
}

type item struct {
	text, alias string
	kind        kind
}

type join struct {
	kind string // LEFT, RIGHT, CROSS or empty
	to   relation
	on   []string
	// using are the columns of both sides instead of on.
	using []string
}

func (q *query) String() string {
	var b strings.Builder
	b.WriteString(q.recursive)
	for i, w := range q.with {
		b.WriteString([]string{"WITH ", ", "}[min(i, 1)] + w.name + " AS (" + w.body.String() + ")")
	}
	if len(q.with) > 0 {
		b.WriteByte(' ')
	}
	b.WriteString("SELECT ")
	if q.distinct {
		b.WriteString("DISTINCT ")
	}
	for i, it := range q.items {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(it.text + " AS " + it.alias)
	}
	b.WriteString(" FROM " + q.from.text + " AS " + q.from.alias)
	for _, j := range q.joins {
		b.WriteString(" " + strings.TrimLeft(j.kind+" JOIN ", " ") + j.to.text + " AS " + j.to.alias)
		switch {
		case len(j.using) > 0:
			b.WriteString(" USING (" + strings.Join(j.using, ", ") + ")")
		case j.kind != "CROSS":
			b.WriteString(" ON " + strings.Join(j.on, " AND "))
		}
	}
	if len(q.where) > 0 {
		b.WriteString(" WHERE " + strings.Join(q.where, " AND "))
	}
	if len(q.group) > 0 {
		b.WriteString(" GROUP BY " + strings.Join(q.group, ", ") + []string{"", " WITH ROLLUP"}[btoi(q.rollup)])
	}
	if q.having != "" {
		b.WriteString(" HAVING " + q.having)
	}
	if q.union != nil {
		b.WriteString(" " + q.setop + " " + q.union.String())
	}
	if q.limit > 0 {
		b.WriteString(" ORDER BY ")
		// MariaDB takes groups together, and apart, when it sorts a SUM(DISTINCT) both ways.
		both := !slices.ContainsFunc(q.items, func(it item) bool { return strings.Contains(it.text, "DISTINCT") })
		for i, it := range q.items {
			b.WriteString([]string{"", ", "}[min(i, 1)] + it.alias + []string{"", " DESC"}[btoi(both && i%2 == 1)])
		}
		fmt.Fprintf(&b, " LIMIT %d", q.limit)
		if q.offset > 0 {
			fmt.Fprintf(&b, " OFFSET %d", q.offset)
		}
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// columns are those of the result.
func (q *query) columns() []column {
	out := make([]column, len(q.items))
	for i, it := range q.items {
		k := it.kind
		if k == kBool {
			k = kInt // as a column it is a number
		}
		out[i] = column{it.alias, k}
	}
	return out
}

// query draws a query over the relations; depth bounds nested ones.
func (g *gen) query(rels []relation, depth int) *query {
	q := g.selectOver(rels, depth)
	if g.chance(18) {
		q.union = g.like(rels, q.items)
		q.setop = g.setop()
		if g.chance(20) {
			q.union.union, q.union.setop = g.like(rels, q.items), g.setop()
		}
	}
	// A JSON value orders by its text, which would be an expression, where a name means a
	// column of FROM. MariaDB has no order beside ROLLUP, counts an OFFSET wrong over DISTINCT constants,
	// and computes with the shown digits of an AVG of groups that it sorts.
	if g.chance(10) && !holds(q.items, kJSON) && !slices.ContainsFunc(q.items, averageWithin) && !q.rollup && !q.distinct && (q.union == nil || !q.union.rollup) {
		q.limit, q.offset = 1+g.IntN(5), pick(g, 0, 0, 1, 2)
	}
	if depth > 0 && g.chance(15) {
		// The query so far becomes a CTE, read once or twice.
		w := with{g.name("w"), q}
		if g.chance(30) { // and a CTE of the CTE, with which it is read once more
			next := with{g.name("w"), g.selectOver([]relation{{text: w.name, cols: q.columns()}}, 0)}
			outer := g.selectOver([]relation{{text: w.name, cols: q.columns()}, {text: next.name, cols: next.body.columns()}}, 0)
			if !strings.Contains(outer.String(), next.name) { // MariaDB joins one that nobody reads all the same
				from := relation{text: next.name, alias: g.name("r"), cols: next.body.columns()}
				outer = &query{items: g.itemsOf(from), from: from}
			}
			outer.with = []with{w, next}
			return outer
		}
		outer := g.selectOver(append(slices.Clone(rels), relation{text: w.name, cols: q.columns()}), 0)
		if outer.from.text != w.name {
			outer.from.text, outer.from.cols = w.name, q.columns()
			return &query{with: []with{w}, items: g.itemsOf(outer.from), from: outer.from}
		}
		outer.with = []with{w}
		return outer
	}
	return q
}

// averageWithin reports an average with something computed of it.
func averageWithin(it item) bool {
	return strings.Contains(it.text, "AVG(") && !strings.HasPrefix(it.text, "AVG(")
}

func (g *gen) setop() string {
	return pick(g, "UNION", "UNION ALL", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
}

// itemsOf selects all columns of a relation.
func (g *gen) itemsOf(r relation) []item {
	var out []item
	for i, c := range r.qualified() {
		out = append(out, item{c.name, fmt.Sprintf("c%d", i), c.kind})
	}
	return out
}

func (g *gen) relation(rels []relation, depth int) relation {
	if depth > 0 && g.chance(22) {
		sub := g.query(rels, depth-1)
		return relation{text: "(" + sub.String() + ")", alias: g.name("d"), cols: sub.columns()}
	}
	if depth > 0 && g.chance(10) {
		return pick(g, g.over, g.over, g.top, g.framed, g.overGroups)(rels)
	}
	if depth > 0 && g.chance(12) {
		return pick(g, g.full, g.lateral, g.cube, g.lateralRows, g.median, g.listed)(rels)
	}
	if depth > 0 && g.chance(8) {
		windows := g.windowed
		if g.chance(50) {
			windows = g.inWindows
		}
		if r, ok := windows(pick(g, g.tables...)); ok {
			return r
		}
	}
	// Later ones are the views: prefer them, so that views stand on views.
	r := rels[max(g.IntN(len(rels)), g.IntN(len(rels)))]
	r.alias = g.name("r")
	return r
}

func (g *gen) selectOver(rels []relation, depth int) *query {
	q := &query{from: g.relation(rels, depth)}
	scope := q.from.qualified()
	for n := pick(g, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3); n > 0; n-- {
		j := join{kind: pick(g, "", "", "", "LEFT", "LEFT", "RIGHT"), to: g.relation(rels, depth-1)}
		j.on = g.joinOn(scope, j.to.qualified())
		if g.chance(4) {
			j.kind, j.on = "CROSS", nil
		} else if names := g.common(q.from.cols, j.to.cols); len(names) > 0 && len(q.joins) == 0 && j.kind != "RIGHT" && g.chance(15) {
			// Of a RIGHT JOIN with USING MariaDB keeps a view's text in a form that it cannot read.
			j.on, j.using = nil, names
		}
		q.joins = append(q.joins, j)
		scope = append(scope, j.to.qualified()...)
	}
	for n := pick(g, 0, 0, 1, 1, 2); n > 0; n-- {
		q.where = append(q.where, g.condition(scope, 2))
	}
	if depth > 0 && g.chance(22) {
		q.where = append(q.where, g.subcondition(rels, scope))
	}
	if g.chance(55) {
		g.aggregate(q, scope)
		return q
	}
	q.distinct = g.chance(25)
	for i := range 1 + g.IntN(4) {
		it := item{alias: fmt.Sprintf("c%d", i), kind: g.kindOf(scope)}
		if g.chance(12) {
			it.kind = kind(g.IntN(int(kinds)))
		}
		it.text = g.expr(scope, it.kind, 2)
		if depth > 0 && g.chance(5) {
			it.text = g.scalar(rels, scope, it.kind)
		} else if g.chance(6) {
			it.kind, it.text = kDec, g.digits(g.column(scope, pick(g, kInt, kDec))+" / "+g.column(scope, kInt))
		}
		q.items = append(q.items, it)
	}
	return q
}

// common are some of the columns that two relations have under one name.
func (g *gen) common(left, right []column) []string {
	var names []string
	for _, c := range left {
		if slices.Contains(right, c) && !c.kind.unordered() && (len(names) == 0 || g.chance(30)) {
			names = append(names, c.name)
		}
	}
	return names
}

// joinOn is mostly an equality, with conditions beside it; rarely none.
func (g *gen) joinOn(left, right []column) []string {
	var on []string
	for range pick(g, 1, 1, 1, 2) {
		r := pick(g, right...)
		_, there := g.existing(left, kYear)
		switch l := g.column(left, r.kind); {
		case !g.chance(92):
		case r.kind == kYear && !there: // 2022 = y makes MariaDB take 2022 for y elsewhere, and compare it otherwise
			on = append(on, r.name+" BETWEEN 2020 AND "+l)
		default:
			on = append(on, l+pick(g, " = ", " = ", " = ", r.kind.same())+r.name)
		}
	}
	if g.chance(8) {
		l, ok := g.existing(left, kTime)
		if r, there := g.existing(right, kTime); ok && there {
			on = append(on, fmt.Sprintf("%s BETWEEN %s - INTERVAL %d HOUR AND %s + INTERVAL %d MINUTE", l, r, g.IntN(3), r, 30*g.IntN(4)))
		}
	}
	if len(on) == 0 || g.chance(25) {
		on = append(on, g.condition(append(slices.Clone(left), right...), 1))
	}
	if g.chance(15) {
		on = append(on, g.condition(right, 2))
	}
	if g.chance(15) {
		on = append(on, g.condition(left, 1))
	}
	return on
}

// aggregate gives q groups and aggregates.
func (g *gen) aggregate(q *query, scope []column) {
	for range pick(g, 0, 1, 1, 1, 2) {
		k := g.kindOf(scope)
		text := g.column(scope, k)
		if g.chance(30) {
			text = g.expr(scope, k, 2)
		}
		if !mentions(text, scope) || strings.Contains(text, "NULLIF") || strings.Contains(text, "<=> (") || strings.Contains(text, "COLLATE") {
			continue // a constant in GROUP BY would be a position; MariaDB does not find a NULLIF, a row or a COLLATE again
		}
		q.group = append(q.group, text)
		if g.chance(85) {
			q.items = append(q.items, item{text, fmt.Sprintf("c%d", len(q.items)), k})
		}
	}
	for range 1 + g.IntN(3) {
		it := g.call(scope, true)
		it.alias = fmt.Sprintf("c%d", len(q.items))
		q.items = append(q.items, it)
	}
	// MariaDB counts a DISTINCT constant in each group anew under ROLLUP, and makes text of
	// an ENUM only where that is NOT NULL.
	q.rollup = len(q.group) > 0 && g.chance(12) && plainColumns(q.group, scope) &&
		!slices.ContainsFunc(q.items, func(it item) bool { return strings.Contains(it.text, "DISTINCT") })
	if len(q.group) > 0 && g.chance(30) { // of no rows at all MariaDB finds MIN(x) > 1 true
		c := g.call(scope, false)
		q.having = c.text + pick(g, " > ", " <= ", " <> ", " = ") + g.literal(c.kind, false)
		if g.chance(20) {
			q.having = c.text + " IS NOT NULL"
		}
		if g.chance(30) {
			c := g.call(scope, false)
			q.having = "(" + q.having + ")" + pick(g, " AND ", " OR ") + c.text + pick(g, " >= ", " < ", " <=> ") + g.literal(c.kind, true)
		}
	}
}

// plainColumns reports that texts are columns of the scope other than ENUMs, each once.
func plainColumns(texts []string, scope []column) bool {
	for i, text := range texts {
		if slices.Contains(texts[:i], text) || !slices.ContainsFunc(scope, func(c column) bool { return c.name == text && c.kind != kEnum }) {
			return false
		}
	}
	return true
}

func mentions(text string, scope []column) bool {
	return slices.ContainsFunc(scope, func(c column) bool { return strings.Contains(text, c.name) })
}

// call is an aggregate. Above AVG nothing is computed, so it is only where last is true.
func (g *gen) call(scope []column, last bool) item {
	number := func() (string, kind) {
		k := pick(g, kInt, kDec)
		return g.expr(scope, k, pick(g, 0, 0, 1)), k
	}
	switch g.IntN(15) {
	case 0, 1:
		return item{text: "COUNT(*)", kind: kInt}
	case 12:
		return item{text: "CAST(" + pick(g, "BIT_AND(", "BIT_OR(", "BIT_XOR(") + "ABS(" + g.expr(scope, kInt, 0) + ")) % 1000 AS SIGNED)", kind: kInt}
	case 13:
		c := g.condition(scope, 1)
		return pick(g,
			func() item { return item{text: g.filtered("COUNT", "*", c), kind: kInt} },
			func() item { return item{text: g.filtered("SUM", g.expr(scope, kInt, 1), c), kind: kDec} },
			func() item {
				k := g.ordered(scope)
				return item{text: g.filtered(pick(g, "MIN", "MAX"), g.expr(scope, k, 1), c), kind: k}
			},
			func() item {
				x := g.expr(scope, g.kindOf(scope), 0)
				return item{text: g.form("APPROX_COUNT_DISTINCT("+x+")", "COUNT(DISTINCT "+x+")"), kind: kInt}
			},
			func() item {
				k := g.ordered(scope)
				x := g.expr(scope, k, 1)
				return item{text: g.form("ANY_VALUE("+x+")", "MIN("+x+")"), kind: k}
			},
		)()
	case 14:
		if last {
			return g.collected(scope)
		}
	case 9:
		return item{text: "COUNT(DISTINCT " + g.expr(scope, g.kindOf(scope), 0) + ", " + g.expr(scope, g.kindOf(scope), 1) + ")", kind: kInt}
	case 10:
		text, _ := number()
		return item{text: "SUM(DISTINCT " + text + ")", kind: kDec}
	case 11:
		k := g.ordered(scope)
		text := pick(g, "MIN(", "MAX(") + g.expr(scope, k, 1) + ")"
		if last && k == kInt {
			text = "CASE WHEN " + text + " > COUNT(*) THEN " + text + " ELSE " + pick(g, "MAX(", "MIN(") + g.expr(scope, k, 0) + ") + 1 END"
		}
		return item{text: text, kind: k}
	case 2:
		return item{text: "COUNT(" + g.expr(scope, g.kindOf(scope), 1) + ")", kind: kInt}
	case 3:
		return item{text: "COUNT(DISTINCT " + g.expr(scope, g.kindOf(scope), 1) + ")", kind: kInt}
	case 4, 5:
		text, _ := number()
		if g.chance(15) {
			return item{text: "SUM(" + g.expr(scope, kDbl, 1) + ")", kind: kDbl}
		}
		sum := "SUM(" + text + ")"
		if last && g.chance(20) {
			sum = "COALESCE(" + sum + ", 0) " + pick(g, "+", "-", "*") + " COUNT(*)"
		}
		return item{text: sum, kind: kDec}
	case 6:
		if last {
			text, _ := number()
			return item{text: g.digits("AVG(" + text + ")"), kind: kDec}
		}
	case 7:
		return item{text: "SUM(CASE WHEN " + g.condition(scope, 1) + " THEN 1 ELSE 0 END)", kind: kDec}
	}
	k := g.ordered(scope)
	return item{text: pick(g, "MIN(", "MAX(") + g.expr(scope, k, pick(g, 0, 0, 1)) + ")", kind: k}
}

// ordered is the kind of a column of the scope of which there is a smallest.
func (g *gen) ordered(scope []column) kind {
	if k := g.kindOf(scope); !k.unordered() {
		return k
	}
	return kInt
}

// collected is a GROUP_CONCAT in a total order, or a variance, whose last digits
// are not compared.
func (g *gen) collected(scope []column) item {
	if g.chance(50) {
		fn := pick(g, "STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP")
		return item{text: "ROUND(" + fn + "(" + g.expr(scope, kInt, 0) + "), 4)", kind: kDbl}
	}
	c := pick(g, scope...) // no constant, which ORDER BY takes for a position
	if c.kind.unordered() || c.kind == kBin {
		return item{text: "COUNT(DISTINCT " + c.name + ")", kind: kInt}
	}
	x, k, separator := c.name, kStr, pick(g, "", " SEPARATOR '|'")
	if c.kind == kFold {
		k, separator = kFold, "" // which the two collations would place apart
	}
	distinct := pick(g, "", "DISTINCT ")
	return item{text: "GROUP_CONCAT(" + distinct + x + " ORDER BY " + x + pick(g, "", " DESC") + separator + ")", kind: k}
}

// like is a plain SELECT with columns of the kinds of items.
func (g *gen) like(rels []relation, items []item) *query {
	q := &query{from: g.relation(rels, 0)}
	scope := q.from.qualified()
	grouped := g.chance(40)
	for i, it := range items {
		if grouped {
			q.items = append(q.items, item{g.aggregateOf(scope, it.kind), fmt.Sprintf("c%d", i), it.kind})
			continue
		}
		q.items = append(q.items, item{g.expr(scope, it.kind, 1), fmt.Sprintf("c%d", i), it.kind})
	}
	if g.chance(60) {
		q.where = []string{g.condition(scope, 1)}
	}
	if grouped && g.chance(50) {
		q.group = []string{g.column(scope, g.kindOf(scope))}
	}
	return q
}

// aggregateOf is an aggregate of a kind.
func (g *gen) aggregateOf(scope []column, k kind) string {
	switch {
	case k == kBool:
		return "MIN(" + g.expr(scope, kInt, 1) + ") IS NULL"
	case k == kJSON: // the smallest text is no smallest value
		return "JSON_OBJECT('n', MAX(0 + " + g.expr(scope, kInt, 1) + "))" // 0 +: see ofOthers
	case k == kEnum:
		return "MIN(NULL)"
	case k == kInt && g.chance(50):
		return "COUNT(" + pick(g, "*", g.expr(scope, g.kindOf(scope), 0)) + ")"
	}
	return pick(g, "MIN(", "MAX(") + g.expr(scope, k, 1) + ")"
}
