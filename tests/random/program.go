package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// step is one step of a program.
type step struct {
	sql    string   // a statement, but for views and checks
	rows   []string // INSERT: the rows behind sql's VALUES, so that they can be taken away
	tail   string   // INSERT: what stands behind the rows
	view   string   // the view to make, of query
	plain  bool     // it is not materialized
	query  *query   // without a view: a question, asked here only
	check  bool     // compare all views now
	upsert bool     // into a stream with a key
}

func (s step) String() string {
	switch {
	case s.check:
		return ""
	case s.view != "" && s.plain:
		return "CREATE VIEW " + s.view + " AS " + s.query.String()
	case s.view != "":
		return "CREATE MATERIALIZED VIEW " + s.view + " AS " + s.query.String()
	case s.query != nil:
		return s.query.String()
	case s.rows != nil:
		return s.sql + strings.Join(s.rows, ", ") + s.tail
	}
	return s.sql
}

// program is the steps that a seed makes.
type program struct {
	seed  uint64
	steps []step
	forms forms
	folds bool // rows are compared without regard to case
}

// table is a table or stream with what the generator knows of it.
type table struct {
	relation
	stream bool
	keyed  bool     // id is the primary key, of a stream too
	types  []string // declarations, by column
	null   []bool
	lastID int
}

func newProgram(seed uint64) program {
	g := &gen{Rand: rand.New(rand.NewPCG(seed, 0x5eed))}
	p := program{seed: seed}
	var tables []*table
	var rels []relation
	for i := range 1 + g.IntN(3) {
		t := g.table(fmt.Sprintf("t%d", i))
		tables = append(tables, t)
		g.tables = tables
		rels = append(rels, t.relation)
		p.steps = append(p.steps, step{sql: g.create(t)})
	}
	changes := 6 + g.IntN(14)
	views := 1 + g.IntN(4)
	open := false // in a transaction
	for i := range changes {
		for views > 0 && !open && (g.chance(20) || i == changes-1 && g.chance(60)) {
			v := step{view: g.name("v"), query: g.query(rels, 2), plain: g.chance(15)}
			p.steps = append(p.steps, v)
			rels = append(rels, relation{text: v.view, cols: v.query.columns()})
			views--
		}
		if !open && g.chance(12) {
			p.steps, open = append(p.steps, step{sql: "BEGIN"}), true
		}
		p.steps = append(p.steps, g.change(pick(g, tables...), tables))
		if g.chance(12) || open && g.chance(25) {
			// Of tables alone: what is written in a transaction shows there before its end.
			q := g.query(rels[:len(tables)], 1)
			if g.chance(12) {
				q = g.recursive(pick(g, tables...))
			}
			p.steps = append(p.steps, step{query: q})
		}
		if open && g.chance(35) {
			p.steps, open = append(p.steps, step{sql: pick(g, "COMMIT", "COMMIT", "ROLLBACK")}), false
		}
		if !open && g.chance(25) {
			p.steps = append(p.steps, step{check: true})
		}
	}
	if open {
		p.steps = append(p.steps, step{sql: "COMMIT"})
	}
	if len(rels) == len(tables) {
		p.steps = append(p.steps, step{view: g.name("v"), query: g.query(rels, 2)})
	}
	p.steps = append(p.steps, step{check: true})
	p.forms, p.folds = g.forms.sorted(), g.collation != ""
	return p
}

// declarations by kind.
var declarations = [...][]string{
	kInt:  {"INT", "BIGINT", "SMALLINT", "MEDIUMINT"},
	kDec:  {"DECIMAL(8,2)", "DECIMAL(12,4)", "DECIMAL(20,2)"},
	kStr:  {"VARCHAR(12)", "VARCHAR(40)", "CHAR(12)"},
	kDate: {"DATE"},
	kTime: {"DATETIME", "DATETIME(3)", "DATETIME(6)"},
	kDbl:  {"DOUBLE"},

	kJSON:  {"JSON"},
	kClock: {"TIME"},
	kYear:  {"YEAR"},
	kUns:   {"BIGINT UNSIGNED"},
	kBin:   {"VARBINARY(12)", "VARBINARY(40)"},
	kEnum:  {"ENUM('x', 'a', 'M')"},
}

func (g *gen) table(name string) *table {
	t := &table{relation: relation{text: name}, stream: g.chance(40), keyed: g.chance(80)}
	if t.stream {
		t.keyed = g.chance(30)
	}
	add := func(name, decl string, k kind, null bool) {
		t.cols = append(t.cols, column{name, k})
		t.types, t.null = append(t.types, decl), append(t.null, null)
	}
	add("id", "INT", kInt, false)
	add("g", pick(g, declarations[kInt]...), kInt, true)
	for i := range 1 + g.IntN(4) {
		k := kind(g.IntN(int(kFold)))
		if g.chance(35) {
			k = pick(g, others...)
		}
		if k == kFold {
			add(string(rune('a'+i)), pick(g, declarations[kStr]...)+" "+g.foldCollation(), k, g.chance(75))
			continue
		}
		add(string(rune('a'+i)), pick(g, declarations[k]...), k, g.chance(75))
	}
	return t
}

func (g *gen) create(t *table) string {
	what, key := "TABLE", ", PRIMARY KEY (id)"
	if t.stream {
		what = "STREAM TABLE"
	}
	if !t.keyed {
		key = ""
	}
	var cols []string
	for i, c := range t.cols {
		d := c.name + " " + t.types[i]
		if !t.null[i] {
			d += " NOT NULL"
		}
		cols = append(cols, d)
	}
	mark := ""
	if i := slices.IndexFunc(t.cols, func(c column) bool { return c.kind == kTime }); i >= 0 && t.stream && g.chance(50) {
		// So far behind that no row is late: what is late, the reference does not know.
		mark = g.form(", WATERMARK FOR "+t.cols[i].name+" AS "+t.cols[i].name+" - INTERVAL 4000 DAY", "")
	}
	return "CREATE " + what + " " + t.text + " (" + strings.Join(cols, ", ") + key + mark + ")"
}

func (g *gen) change(t *table, tables []*table) step {
	g.changing = true
	defer func() { g.changing = false }()
	n := g.IntN(100)
	if t.stream && t.keyed {
		if n < 75 {
			s := g.insert(t, g.form("INSERT INTO "+t.text+" VALUES ", "REPLACE INTO "+t.text+" VALUES "), n < 50, "")
			s.upsert = true
			return s
		}
		if g.chance(20) { // some of them there, or nobody
			return step{sql: fmt.Sprintf("DELETE FROM %s WHERE id IN (%d, %d)", t.text, 1+g.IntN(t.lastID+1), t.lastID+500)}
		}
		return step{sql: "DELETE FROM " + t.text + g.whereOf(t)}
	}
	if !t.stream && g.chance(3) {
		where := fmt.Sprintf(" WHERE id = %d", t.lastID+500) // nobody
		return step{sql: pick(g, "DELETE FROM "+t.text, "UPDATE "+t.text+" SET "+g.assignment(t)) + where}
	}
	switch {
	case g.chance(10):
		if s, ok := g.insertSelect(t, pick(g, tables...)); ok {
			return s
		}
		return g.insert(t, "INSERT INTO ", true, "")
	case t.stream || n < 45:
		return g.insert(t, "INSERT INTO ", true, "")
	case !t.keyed && n < 62:
		return g.insert(t, "INSERT INTO ", false, "")
	case n < 52:
		return g.insert(t, "REPLACE INTO ", false, "")
	case n < 58:
		return g.insert(t, "INSERT INTO ", false, " ON DUPLICATE KEY UPDATE "+g.assignment(t))
	case n < 62:
		return g.insert(t, "INSERT IGNORE INTO ", false, "")
	case n < 82:
		set := g.assignment(t)
		if t.keyed && g.chance(8) { // no two rows may meet at one key on the way
			t.lastID += 1000
			return step{sql: fmt.Sprintf("UPDATE %s SET id = id + %d%s", t.text, t.lastID, g.whereOf(t))}
		}
		return step{sql: "UPDATE " + t.text + " SET " + set + g.whereOf(t) + g.firstOf(t)}
	}
	return step{sql: "DELETE FROM " + t.text + g.whereOf(t) + g.firstOf(t)}
}

// firstOf is sometimes the end of an UPDATE or DELETE of the first rows only.
func (g *gen) firstOf(t *table) string {
	if !t.keyed || g.chance(85) {
		return ""
	}
	return fmt.Sprintf(" ORDER BY %s, id LIMIT %d", g.sortKey(t.cols), g.IntN(4))
}

// insertSelect fills t from another table, columns by kind. Ids come from a range of
// their own, so that they do not meet others.
func (g *gen) insertSelect(t, from *table) (step, bool) {
	if from == t || !from.keyed || from.stream {
		return step{}, false
	}
	var values []string
	for i, c := range t.cols[1:] {
		value := g.literal(c.kind, t.null[i+1])
		for k, f := range from.cols[1:] {
			if f.kind == c.kind && from.types[k+1] == t.types[i+1] && (t.null[i+1] || !from.null[k+1]) {
				value = f.name
			}
		}
		values = append(values, value)
	}
	t.lastID += 1000
	return step{sql: fmt.Sprintf("INSERT INTO %s SELECT id + %d, %s FROM %s%s", t.text, t.lastID, strings.Join(values, ", "), from.text, g.whereOf(from))}, true
}

// insert has rows with new ids where fresh is true, and otherwise with ids that may be there.
func (g *gen) insert(t *table, verb string, fresh bool, tail string) step {
	s := step{sql: verb, tail: tail}
	if !strings.HasSuffix(verb, " VALUES ") {
		s.sql = verb + t.text + " VALUES "
	}
	var used []int
	for range pick(g, 1, 1, 2, 3, 5, 9) {
		t.lastID++
		id := t.lastID
		if t.stream && !t.keyed && g.chance(30) || !fresh && g.chance(70) {
			id = 1 + g.IntN(t.lastID)
		}
		if (!t.stream || t.keyed) && slices.Contains(used, id) {
			continue // which of two equal keys wins is another test's matter
		}
		used = append(used, id)
		row := []string{fmt.Sprint(id)}
		for i := 1; i < len(t.cols); i++ {
			row = append(row, g.literal(t.cols[i].kind, t.null[i]))
		}
		s.rows = append(s.rows, "("+strings.Join(row, ", ")+")")
	}
	return s
}

// assignment sets one or two columns. Text stays short enough for its column.
func (g *gen) assignment(t *table) string {
	var out []string
	for _, i := range g.Perm(len(t.cols) - 1)[:min(pick(g, 1, 1, 2), len(t.cols)-1)] {
		c := t.cols[i+1]
		value := g.literal(c.kind, t.null[i+1])
		switch {
		case g.chance(40): // keep the literal
		case c.kind == kInt && t.types[i+1] != "SMALLINT":
			value = c.name + pick(g, " + 1", " - 2")
		case c.kind == kDec:
			value = c.name + pick(g, " + 0.5", " - 1.25")
		case c.kind == kStr || c.kind == kFold:
			value = "LEFT(CONCAT(" + c.name + ", " + g.literal(c.kind, false) + "), 8)"
		case c.kind == kDate:
			value = c.name + " + INTERVAL 1 DAY"
		}
		out = append(out, c.name+" = "+value)
	}
	return strings.Join(out, ", ")
}

func (g *gen) whereOf(t *table) string {
	if g.chance(6) {
		return ""
	}
	return " WHERE " + g.condition(t.cols, 2)
}
