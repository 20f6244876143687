package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

// A slow reference: it computes a logical tree over small tables of integers, as
// the definitions of the nodes say, without any cleverness.

// cell is a value, nil for NULL.
type cell = *int64

func num(i int64) cell { return &i }

func truthOf(b bool) cell {
	if b {
		return num(1)
	}
	return num(0)
}

type row map[int]cell // by column id

// database has the rows of each table, by position.
type database map[string][][]cell

func (db database) rows(n logical.Node) []row {
	switch n := n.(type) {
	case *logical.Scan:
		return db.scan(n)
	case *logical.Values:
		var out []row
		for _, r := range n.Rows {
			out = append(out, compute(n.Cols, r, nil))
		}
		return out
	case *logical.Filter:
		var out []row
		for _, r := range db.rows(n.Input) {
			if holds(n.Conds, r) {
				out = append(out, r)
			}
		}
		return out
	case *logical.Project:
		var out []row
		for _, r := range db.rows(n.Input) {
			out = append(out, compute(n.Columns(), n.Exprs(), r))
		}
		return out
	case *logical.Aggregate:
		return db.aggregate(n)
	case *logical.Distinct:
		seen := map[string]bool{}
		return slices.DeleteFunc(db.rows(n.Input), func(r row) bool {
			k := text(r, n.Columns())
			defer func() { seen[k] = true }()
			return seen[k]
		})
	case *logical.Join:
		return db.join(n)
	case *logical.Union:
		var out []row
		for i, in := range n.Ins {
			for _, r := range db.rows(in) {
				o := row{}
				for k, c := range n.Cols {
					o[c.ID] = r[n.From[i][k]]
				}
				out = append(out, o)
			}
		}
		return out
	case *logical.Sort:
		return db.sort(n)
	}
	panic(fmt.Sprintf("no reference for %T", n))
}

func (db database) scan(n *logical.Scan) (out []row) {
	for _, data := range db[n.Table.Name] {
		r := row{}
		for i, c := range n.Cols {
			r[c.ID] = data[n.Positions[i]]
		}
		out = append(out, r)
	}
	return out
}

func (db database) join(n *logical.Join) (out []row) {
	right := db.rows(n.Right)
	for _, l := range db.rows(n.Left) {
		met := false
		for _, r := range right {
			both := row{}
			for _, side := range []row{l, r} {
				for id, v := range side {
					both[id] = v
				}
			}
			ok := holds(n.On, both)
			for _, k := range n.Keys {
				fn := "="
				if k.NullSafe {
					fn = "<=>"
				}
				ok = ok && isOne(value(is(fn, logical.Ref(k.Left), logical.Ref(k.Right)), both))
			}
			if ok {
				met = true
				out = append(out, both)
			}
		}
		if !met && n.Kind == logical.LeftJoin {
			out = append(out, l) // the right side's columns are absent, which is NULL
		}
	}
	return out
}

func (db database) aggregate(n *logical.Aggregate) (out []row) {
	groups, order := map[string][]row{}, []string{}
	if len(n.Keys) == 0 {
		groups[""], order = nil, []string{""}
	}
	for _, r := range db.rows(n.Input) {
		k := text(r, n.Keys)
		if _, ok := groups[k]; !ok {
			order = append(order, k)
		}
		groups[k] = append(groups[k], r)
	}
	for _, k := range order {
		o := row{}
		for _, c := range n.Keys {
			o[c.ID] = groups[k][0][c.ID]
		}
		for _, g := range n.Aggs {
			o[g.ID] = aggregated(g, groups[k])
		}
		out = append(out, o)
	}
	return out
}

func aggregated(g logical.Agg, rows []row) cell {
	var seen []int64
	for _, r := range rows {
		v := num(1)
		if len(g.Call.Args) > 0 {
			v = r[g.Call.Args[0].Col]
		}
		if v != nil && !(g.Call.Distinct && slices.Contains(seen, *v)) {
			seen = append(seen, *v)
		}
	}
	switch {
	case g.Call.Fn == "count":
		return num(int64(len(seen)))
	case len(seen) == 0:
		return nil
	case g.Call.Fn == "min":
		return num(slices.Min(seen))
	}
	sum := int64(0)
	for _, v := range seen {
		sum += v
	}
	return num(sum)
}

func (db database) sort(n *logical.Sort) []row {
	rows := db.rows(n.Input)
	slices.SortStableFunc(rows, func(a, b row) int {
		for _, k := range n.Keys {
			c := compare(a[k.Col], b[k.Col])
			if k.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	rows = rows[min(n.Offset, int64(len(rows))):]
	if n.Limit >= 0 {
		rows = rows[:min(n.Limit, int64(len(rows)))]
	}
	return rows
}

func compare(a, b cell) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(b2i(a != nil), b2i(b != nil))
	}
	return cmp.Compare(*a, *b)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compute(cols []logical.Col, list []*expr.Expr, r row) row {
	o := row{}
	for i, c := range cols {
		o[c.ID] = value(list[i], r)
	}
	return o
}

func holds(conds []*expr.Expr, r row) bool {
	for _, e := range conds {
		if !isOne(value(e, r)) {
			return false
		}
	}
	return true
}

func isOne(v cell) bool { return v != nil && *v != 0 }

// value computes e by MySQL's three-valued logic.
func value(e *expr.Expr, r row) cell {
	switch e.Op {
	case expr.OpColumn:
		return r[e.Col]
	case expr.OpConst:
		if e.Value.Null {
			return nil
		}
		return num(e.Value.I)
	}
	args := make([]cell, len(e.Args))
	null := false
	for i, a := range e.Args {
		args[i] = value(a, r)
		null = null || args[i] == nil
	}
	switch e.Fn {
	case "and", "or":
		return connective(args, e.Fn == "and")
	case "is null":
		return truthOf(null)
	case "<=>":
		return truthOf(compare(args[0], args[1]) == 0)
	case "coalesce":
		if args[0] == nil {
			return args[1]
		}
		return args[0]
	case "between":
		return connective([]cell{value(is(">=", e.Args[0], e.Args[1]), r), value(is("<=", e.Args[0], e.Args[2]), r)}, true)
	}
	if null {
		return nil
	}
	x := *args[0]
	switch e.Fn {
	case "not":
		return truthOf(x == 0)
	case "+":
		return num(x + *args[1])
	case "*":
		return num(x * *args[1])
	}
	c := cmp.Compare(x, *args[1])
	return truthOf(map[string]bool{"=": c == 0, "<>": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[e.Fn])
}

// connective is AND, or OR: decided by one FALSE (TRUE), else NULL if one is.
func connective(args []cell, and bool) cell {
	out := truthOf(and)
	for _, a := range args {
		switch {
		case a == nil:
			out = nil
		case (*a != 0) != and:
			return truthOf(!and)
		}
	}
	return out
}

// text is the row's columns as text, equal for equal rows.
func text(r row, cols []logical.Col) string {
	var b strings.Builder
	for _, c := range cols {
		if v := r[c.ID]; v == nil {
			b.WriteString("NULL ")
		} else {
			fmt.Fprintf(&b, "%d ", *v)
		}
	}
	return b.String()
}
