package random

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// forms are the places where the two servers write the same in two ways: the
// dialect's text and the reference's. A dialect form is written so that it does
// not occur by chance.
type forms [][2]string

// reference is text in the reference's form. Forms may lie in others, which are
// longer and come first.
func (f forms) reference(text string) string {
	for _, pair := range f {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return text
}

// sorted are the forms in the order in which they are replaced, each once.
func (f forms) sorted() forms {
	slices.SortFunc(f, func(a, b [2]string) int {
		return cmp.Or(len(b[0])-len(a[0]), strings.Compare(a[0], b[0]))
	})
	return slices.Compact(f)
}

// form notes a pair and gives the dialect's text.
func (g *gen) form(dialect, reference string) string {
	if dialect != reference {
		g.forms = append(g.forms, [2]string{dialect, reference})
	}
	return dialect
}

// unit is a window's unit in seconds.
type unit struct {
	name    string
	seconds int
}

// windowed is a stream's rows in windows of one of its times: a TUMBLE, HOP or
// CUMULATE, which the reference computes by counting seconds.
func (g *gen) windowed(t *table) (relation, bool) {
	ts, declared := "", ""
	for i, c := range t.cols {
		if c.kind == kTime {
			ts, declared = c.name, t.types[i]
		}
	}
	if ts == "" {
		return relation{}, false
	}
	u := pick(g, unit{"SECOND", 1}, unit{"MINUTE", 60}, unit{"HOUR", 3600})
	size := pick(g, 1, 2, 5, 10, 30)
	r := relation{alias: g.name("r"), cols: append(append([]column(nil), t.cols...), column{"window_start", kTime}, column{"window_end", kTime})}
	interval := func(n int) string { return fmt.Sprintf("INTERVAL %d %s", n, u.name) }
	tabled := g.chance(30) // in the standard's spelling
	if tabled {
		interval = func(n int) string { return fmt.Sprintf("INTERVAL '%d' %s", n, u.name) }
	}
	origin, offset := "'1970-01-01'", 0
	if g.chance(20) {
		offset = 1 + g.IntN(3)
		origin = fmt.Sprintf("'1970-01-01' + INTERVAL %d %s", offset, u.name)
	}
	call := func(fn string, sizes ...int) string {
		if offset > 0 {
			sizes = append(sizes, offset)
		}
		text := fn + "(" + t.text + ", " + ts
		if tabled {
			text = fn + "(TABLE " + t.text + ", DESCRIPTOR(" + ts + ")"
		}
		for _, n := range sizes {
			text += ", " + interval(n)
		}
		if tabled {
			return "TABLE(" + text + "))"
		}
		return text + ")"
	}
	// floor is the start of the period of n seconds that holds the time.
	floor := func(n int) string {
		return fmt.Sprintf("TIMESTAMPADD(SECOND, %d * FLOOR(TIMESTAMPDIFF(SECOND, %s, %s) / %d), %s)", n, origin, ts, n, origin)
	}
	plain := func(start, end, from, where string) string {
		return fmt.Sprintf("(SELECT w.*, CAST(%s AS %s) AS window_start, CAST(%s AS %s) AS window_end FROM %s WHERE %s IS NOT NULL%s)",
			start, declared, end, declared, from, ts, where)
	}
	second := u.seconds
	switch g.IntN(5) {
	case 4:
		return g.session(t, ts), true
	case 0: // slides that divide the size, up to 4 windows a row
		slide := second * size
		n := 1 + g.IntN(4)
		start := fmt.Sprintf("TIMESTAMPADD(SECOND, -%d * k.n, %s)", slide, floor(slide))
		r.text = g.form(call("HOP", size, size*n),
			plain(start, fmt.Sprintf("TIMESTAMPADD(SECOND, %d, %s)", slide*n, start), t.text+" w JOIN "+numbers(n), ""))
	case 1: // steps up to the whole window
		step := second * size
		n := 1 + g.IntN(4)
		start := floor(step * n)
		end := fmt.Sprintf("TIMESTAMPADD(SECOND, %d * (k.n + 1), %s)", step, start)
		r.text = g.form(call("CUMULATE", size, size*n),
			plain(start, end, t.text+" w JOIN "+numbers(n), fmt.Sprintf(" AND %s > %s", end, ts)))
	default:
		start := floor(second * size)
		r.text = g.form(call("TUMBLE", size),
			plain(start, fmt.Sprintf("TIMESTAMPADD(SECOND, %d, %s)", second*size, start), t.text+" w", ""))
	}
	return r, true
}

// inWindows is a relation of the groups of a table's windows.
func (g *gen) inWindows(t *table) (relation, bool) {
	in, ok := g.windowed(t)
	if !ok {
		return in, false
	}
	scope := in.qualified()
	out := relation{alias: g.name("d"), cols: []column{{"w0", kTime}, {"w1", kTime}}}
	start, end := in.alias+".window_start", in.alias+".window_end"
	by := start + ", " + end
	from := " FROM " + in.text + " AS " + in.alias + " "
	if i := slices.IndexFunc(g.forms, func(f [2]string) bool { return f[0] == in.text }); strings.HasPrefix(in.text, "TUMBLE(") && g.chance(50) {
		// TUMBLE within GROUP BY is of the table's own rows.
		sizes, _ := strings.CutPrefix(in.text, "TUMBLE("+t.text+", ")
		scope = relation{cols: t.cols, alias: in.alias}.qualified()
		start, end, by = g.form("TUMBLE_START("+in.alias+"."+sizes, start), g.form("TUMBLE_END("+in.alias+"."+sizes, end), g.form("TUMBLE("+in.alias+"."+sizes, by)
		from = g.form(" FROM "+t.text+" AS "+in.alias+" ", " FROM "+g.forms[i][1]+" AS "+in.alias+" ")
	}
	items := []string{start + " AS w0", end + " AS w1"}
	if c := pick(g, scope...); g.chance(50) && c.kind != kEnum {
		out.cols = append(out.cols, column{"g0", c.kind})
		items, by = append(items, c.name+" AS g0"), by+", "+c.name
	}
	for i := range 1 + g.IntN(3) {
		c, name := g.call(scope, false), fmt.Sprintf("s%d", i)
		out.cols = append(out.cols, column{name, c.kind})
		items = append(items, c.text+" AS "+name)
	}
	if g.chance(30) {
		from += "WHERE " + g.condition(scope, 1) + " "
	}
	out.text = "(SELECT " + strings.Join(items, ", ") + from + "GROUP BY " + by + pick(g, "", "", " HAVING COUNT(*) > 1") + ")"
	return out, true
}

// numbers is a relation k of n = 0 … n−1.
func numbers(n int) string {
	rows := []string{"SELECT 0 AS n"}
	for i := 1; i < n; i++ {
		rows = append(rows, fmt.Sprintf("SELECT %d", i))
	}
	return "(" + strings.Join(rows, " UNION ALL ") + ") k"
}

// full is a FULL JOIN of two relations as a derived table. The reference makes it
// of a LEFT JOIN and what of the right side matched nothing.
func (g *gen) full(rels []relation) relation {
	l, r := g.relation(rels, 0), g.relation(rels, 0)
	on := strings.Join(g.joinOn(l.qualified(), r.qualified()), " AND ")
	out := relation{alias: g.name("d")}
	var both, right []string
	for _, side := range []relation{l, r} {
		for _, c := range side.qualified() {
			if c.kind == kEnum {
				continue // the UNION makes text of it
			}
			name := fmt.Sprintf("f%d", len(out.cols))
			out.cols = append(out.cols, column{name, c.kind})
			both = append(both, c.name+" AS "+name)
			if side.alias == l.alias {
				right = append(right, "NULL")
			} else {
				right = append(right, c.name)
			}
		}
	}
	if len(both) == 0 {
		return l
	}
	items := strings.Join(both, ", ")
	out.text = g.form(
		fmt.Sprintf("(SELECT %s FROM %s AS %s FULL JOIN %s AS %s ON %s)", items, l.text, l.alias, r.text, r.alias, on),
		fmt.Sprintf("(SELECT %s FROM %s AS %s LEFT JOIN %s AS %s ON %s UNION ALL SELECT %s FROM %s AS %s WHERE NOT EXISTS (SELECT 1 FROM %s AS %s WHERE %s))",
			items, l.text, l.alias, r.text, r.alias, on, strings.Join(right, ", "), r.text, r.alias, l.text, l.alias, on))
	return out
}

// filtered is an aggregate with FILTER: fn over x, where x may be empty for COUNT(*).
func (g *gen) filtered(fn, x, condition string) string {
	value := x
	if x == "*" {
		value = "1"
	}
	return g.form(fmt.Sprintf("%s(%s) FILTER (WHERE %s)", fn, x, condition),
		fmt.Sprintf("%s(CASE WHEN %s THEN %s END)", fn, condition, value))
}
