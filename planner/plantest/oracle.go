// Package plantest helps to test plans: a slow reference that computes logical
// and physical plans over small tables of integers, and a generator of trees.
package plantest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

// Cell is a value, nil for NULL.
type Cell = *int64

func num(i int64) Cell { return &i }

func truthOf(b bool) Cell {
	if b {
		return num(1)
	}
	return num(0)
}

// Row is a row by column id; a column that is absent is NULL.
type Row map[int]Cell

// Database has the rows of each table by its name, each by position.
type Database map[string][][]Cell

// Rows computes a logical tree, as the definitions of the nodes say, without any
// cleverness.
func (db Database) Rows(n logical.Node) []Row {
	switch n := n.(type) {
	case *computedRows:
		return n.rows
	case *logical.Scan:
		return db.scan(n)
	case *logical.Values:
		var out []Row
		for _, r := range n.Rows {
			out = append(out, compute(n.Cols, r, nil))
		}
		return out
	case *logical.Filter:
		var out []Row
		for _, r := range db.Rows(n.Input) {
			if holds(n.Conds, r) {
				out = append(out, r)
			}
		}
		return out
	case *logical.Project:
		var out []Row
		for _, r := range db.Rows(n.Input) {
			out = append(out, compute(n.Columns(), n.Exprs(), r))
		}
		return out
	case *logical.Aggregate:
		return db.aggregate(n)
	case *logical.Distinct:
		seen := map[string]bool{}
		return slices.DeleteFunc(db.Rows(n.Input), func(r Row) bool {
			k := Text(r, n.Columns())
			defer func() { seen[k] = true }()
			return seen[k]
		})
	case *logical.Join:
		return db.join(n)
	case *logical.Apply:
		return db.apply(n)
	case *logical.Union:
		var out []Row
		for i, in := range n.Ins {
			for _, r := range db.Rows(in) {
				o := Row{}
				for k, c := range n.Cols {
					o[c.ID] = r[n.From[i][k]]
				}
				out = append(out, o)
			}
		}
		return out
	case *logical.Window:
		return db.window(n)
	case *logical.Sort:
		return db.sort(n)
	case *logical.SetOp:
		return db.setOp(n)
	case *logical.TopN:
		return db.ranked(n)
	}
	panic(fmt.Sprintf("no reference for %T", n))
}

func (db Database) scan(n *logical.Scan) (out []Row) {
	for _, data := range db[n.Table.Name] {
		r := Row{}
		for i, c := range n.Cols {
			r[c.ID] = data[n.Positions[i]]
		}
		out = append(out, r)
	}
	return out
}

func (db Database) join(n *logical.Join) (out []Row) {
	right := db.Rows(n.Right)
	matched := make([]bool, len(right))
	for _, l := range db.Rows(n.Left) {
		met := false
		for k, r := range right {
			both := Row{}
			for _, side := range []Row{l, r} {
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
				ok = ok && isOne(Value(is(fn, logical.Ref(k.Left), logical.Ref(k.Right)), both))
			}
			if ok {
				met, matched[k] = true, true
				if !n.Kind.LeftOnly() {
					out = append(out, both)
				}
			}
		}
		// In a padded row the other side's columns are absent, which is NULL.
		if met && n.Kind == logical.SemiJoin || !met && (n.Kind.PadsRight() || n.Kind == logical.AntiJoin) {
			out = append(out, l)
		}
	}
	for k, r := range right {
		if !matched[k] && n.Kind.PadsLeft() {
			out = append(out, r)
		}
	}
	return out
}

func (db Database) aggregate(n *logical.Aggregate) (out []Row) {
	groups, order := map[string][]Row{}, []string{}
	if len(n.Keys) == 0 {
		groups[""], order = nil, []string{""}
	}
	for _, r := range db.Rows(n.Input) {
		k := Text(r, n.Keys)
		if _, ok := groups[k]; !ok {
			order = append(order, k)
		}
		groups[k] = append(groups[k], r)
	}
	for _, k := range order {
		o := Row{}
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

func aggregated(g logical.Agg, rows []Row) Cell {
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
	case g.Call.Fn == "max":
		return num(slices.Max(seen))
	}
	sum := int64(0)
	for _, v := range seen {
		sum += v
	}
	return num(sum)
}

func (db Database) sort(n *logical.Sort) []Row {
	rows := db.Rows(n.Input)
	slices.SortStableFunc(rows, func(a, b Row) int {
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

// ranked are the rows that few enough rows of their partition come before, RANK()
// being the function.
func (db Database) ranked(n *logical.TopN) (out []Row) {
	rows := db.Rows(n.Input)
	for _, r := range rows {
		before := int64(0)
		for _, o := range rows {
			if slices.ContainsFunc(n.Partition, func(id int) bool { return compare(r[id], o[id]) != 0 }) {
				continue
			}
			for _, k := range n.Order {
				c := compare(o[k.Col], r[k.Col])
				if k.Desc {
					c = -c
				}
				if c != 0 {
					before += int64(b2i(c < 0))
					break
				}
			}
		}
		if before >= n.Offset && before < n.Offset+n.Limit {
			out = append(out, r)
		}
	}
	return out
}

func compare(a, b Cell) int {
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

func compute(cols []logical.Col, list []*expr.Expr, r Row) Row {
	o := Row{}
	for i, c := range cols {
		o[c.ID] = Value(list[i], r)
	}
	return o
}

func holds(conds []*expr.Expr, r Row) bool {
	for _, e := range conds {
		if !isOne(Value(e, r)) {
			return false
		}
	}
	return true
}

func isOne(v Cell) bool { return v != nil && *v != 0 }

// Value computes e by MySQL's three-valued logic.
func Value(e *expr.Expr, r Row) Cell {
	switch e.Op {
	case expr.OpColumn:
		return r[e.Col]
	case expr.OpConst:
		if e.Value.Null {
			return nil
		}
		return num(e.Value.I)
	}
	args := make([]Cell, len(e.Args))
	null := false
	for i, a := range e.Args {
		args[i] = Value(a, r)
		null = null || args[i] == nil
	}
	switch e.Fn {
	case "and", "or":
		return connective(args, e.Fn == "and")
	case "is null":
		return truthOf(null)
	case "is not null":
		return truthOf(!null)
	case "is true":
		return truthOf(isOne(args[0]))
	case "if":
		if isOne(args[0]) {
			return args[1]
		}
		return args[2]
	case "cast", "coerce": // numbers are all of one type here
		return args[0]
	case "single row":
		if args[1] != nil && *args[1] > 1 {
			return num(several)
		}
		return args[0]
	case "<=>":
		return truthOf(compare(args[0], args[1]) == 0)
	case "coalesce":
		if args[0] == nil {
			return args[1]
		}
		return args[0]
	case "between":
		return connective([]Cell{Value(is(">=", e.Args[0], e.Args[1]), r), Value(is("<=", e.Args[0], e.Args[2]), r)}, true)
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
func connective(args []Cell, and bool) Cell {
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

// Text is the row's columns as text, equal for equal rows.
func Text(r Row, cols []logical.Col) string {
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
