package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// variant is another program with the same end: rows come one by one or many at a
// time, in another order, several statements in one transaction, and with rows
// beside them that come and go again.
func (p program) variant() program {
	g := &gen{Rand: rand.New(rand.NewPCG(p.seed, 0xa17e))}
	out := program{seed: p.seed, forms: p.forms, folds: p.folds}
	open := false // p is in a transaction
	mine := false // the variant made one
	end := func() {
		if mine {
			out.steps, mine = append(out.steps, step{sql: "COMMIT"}), false
		}
	}
	for _, s := range p.steps {
		switch {
		case s.sql == "BEGIN":
			end()
			open = true
		case s.sql == "COMMIT", s.sql == "ROLLBACK":
			open = false
		case s.check, s.query != nil, strings.HasPrefix(s.sql, "CREATE"):
			end()
			out.steps = append(out.steps, s)
			continue
		case !open && !mine && g.chance(30):
			out.steps, mine = append(out.steps, step{sql: "BEGIN"}), true
		case mine && g.chance(30):
			end()
		}
		if g.chance(35) {
			out.steps = append(out.steps, p.comeAndGo(g, s)...)
		}
		out.steps = append(out.steps, p.spread(g, s)...)
	}
	end()
	return out
}

// spread gives the rows of an INSERT in other portions and another order, where
// that is the same: no two of them have one key. An INSERT that may fail, since an
// INSERT … SELECT makes ids too, stays one statement: it inserts all rows or none.
func (p program) spread(g *gen, s step) []step {
	if len(s.rows) < 2 || s.tail != "" || strings.HasPrefix(s.sql, "REPLACE") {
		return []step{s}
	}
	rows := slices.Clone(s.rows)
	g.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	whole := slices.ContainsFunc(p.steps, func(o step) bool { return strings.HasPrefix(o.sql, "INSERT INTO "+into(s)+" SELECT ") })
	var out []step
	for len(rows) > 0 {
		part := s
		n := 1 + g.IntN(len(rows))
		if whole {
			n = len(rows)
		}
		part.rows, rows = rows[:n], rows[n:]
		out = append(out, part)
	}
	return out
}

// into is the name of the table that an INSERT is for; empty: it is none.
func into(s step) string {
	rest, ok := strings.CutPrefix(s.sql, "INSERT INTO ")
	name, _, _ := strings.Cut(rest, " ")
	if !ok {
		return ""
	}
	return name
}

// comeAndGo inserts the rows of a step under ids that nothing else has, and
// deletes them again, where its table allows that.
func (p program) comeAndGo(g *gen, s step) []step {
	name := into(s)
	if name == "" || len(s.rows) == 0 || s.tail != "" || p.appendOnly(name) {
		return nil
	}
	more := s
	more.rows = nil
	for i, r := range s.rows {
		_, values, _ := strings.Cut(r, ",")
		more.rows = append(more.rows, fmt.Sprintf("(%d,%s", 9000000+i, values))
	}
	back := step{sql: "DELETE FROM " + name + " WHERE id >= 9000000"}
	return []step{more, back}
}

// appendOnly reports a stream without a key.
func (p program) appendOnly(name string) bool {
	return slices.ContainsFunc(p.steps, func(s step) bool {
		return strings.HasPrefix(s.sql, "CREATE STREAM TABLE "+name+" ") && !strings.Contains(s.sql, "PRIMARY KEY")
	})
}
