package bind

import (
	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
)

// grouping collects what a SELECT block groups by and aggregates. Expressions
// are first bound over the columns of FROM, an aggregate standing as the column
// that it makes; over turns them into expressions over groups.
type grouping struct {
	b    *binder
	from *scope
	by   []Computed
	aggs []Aggregate
	// made are the ids of the aggregates' columns.
	made map[int]bool
	// known are columns of FROM with one value in each group; nil: not worked out yet.
	known      map[int]bool
	equals     [][2]int    // columns that WHERE and inner joins make equal
	fixed      []int       // columns that WHERE makes equal to a constant
	inside     bool        // within an aggregate's arguments
	window     *WindowSpec // of GROUP BY
	windowText *parser.Window
	// sets are the grouping sets, setID the column with their number; nil: there is one.
	sets      [][]int
	setID     Col
	groupings []groupingCall
	failed    error // of a GROUPING(…)
}

// column is the one that holds call's result.
func (g *grouping) column(call agg.Call, b *binder) *expr.Expr {
	for _, a := range g.aggs {
		if a.Call.Same(call) {
			return expr.NewColumn(a.ID, a.Name, a.Type)
		}
	}
	a := Aggregate{Col: Col{ID: b.newID(), Name: callText(call), Type: call.Type}, Call: call}
	g.aggs = append(g.aggs, a)
	if g.made == nil {
		g.made = make(map[int]bool)
	}
	g.made[a.ID] = true
	return expr.NewColumn(a.ID, a.Name, a.Type)
}

// callText is an aggregate as SQL, with its name in lower case.
func callText(c agg.Call) string {
	text, name := c.Text((*expr.Expr).String), c.Name()
	return name + text[len(name):]
}

// uses reports whether e reads an aggregate.
func (g *grouping) uses(e *expr.Expr) bool {
	found := false
	e.Walk(func(x *expr.Expr) bool {
		found = found || x.Op == expr.OpColumn && (g.made[x.Col] || g.groupingNumber(x.Col) >= 0)
		return !found
	})
	return found
}

// over turns e into an expression over the columns of groups. The column that
// has more than one value in a group, if there is one, comes back as bad.
func (g *grouping) over(e *expr.Expr) (out *expr.Expr, bad *visible) {
	for i := range g.by {
		if expr.Equal(e, g.by[i].Expr) {
			return expr.NewColumn(g.by[i].ID, g.by[i].Name, g.by[i].Type), nil
		}
	}
	if key := g.exactKey(e); key != nil {
		return key, nil
	}
	if e.Op == expr.OpColumn {
		if g.made[e.Col] || g.b.outer[e.Col] {
			return e, nil
		}
		if i := g.groupingNumber(e.Col); i >= 0 {
			out, err := g.resolveGrouping(g.groupings[i])
			if err != nil {
				g.failed, out = err, e
			}
			return out, nil
		}
		if g.sets == nil && g.determined(e.Col) {
			return g.add(e), nil
		}
		if g.b.env.Mode&OnlyFullGroupBy == 0 {
			return g.anyOf(e), nil
		}
		return nil, g.from.byID(e.Col)
	}
	out = e
	for i, a := range e.Args {
		n, bad := g.over(a)
		if bad != nil {
			return nil, bad
		}
		if n == a {
			continue
		}
		if out == e {
			c := *e
			c.Args = append([]*expr.Expr(nil), e.Args...)
			out = &c
		}
		out.Args[i] = n
	}
	return out, nil
}

// anyOf is e of any row of a group: what a column outside GROUP BY is where sql_mode is
// without ONLY_FULL_GROUP_BY.
func (g *grouping) anyOf(e *expr.Expr) *expr.Expr {
	r := &agg.Request{Fn: "any_value", Args: []*expr.Expr{e}}
	if e.Type.Folds() {
		r.Order, r.Desc = r.Args, []bool{false}
	}
	call, shown, err := exactCall(r)
	if err != nil {
		g.failed = err
		return e
	}
	return builtin.Shown(g.column(call, g.b), shown)
}

// add makes e a further GROUP BY expression, and answers its column.
func (g *grouping) add(e *expr.Expr) *expr.Expr {
	name := e.String()
	c := Computed{Col: Col{ID: g.b.newID(), Name: name, Type: e.Type}, Expr: e}
	g.by = append(g.by, c)
	return expr.NewColumn(c.ID, name, c.Type)
}
