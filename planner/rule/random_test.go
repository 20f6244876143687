package rule

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Whatever the tree, its rows are the same after the rules as before, and each
// single rule leaves a sound tree behind.
func TestRulesKeepTheRows(t0 *testing.T) {
	rapid.Check(t0, func(t *rapid.T) {
		g := &generator{t: t}
		db := database{"t": g.table(), "u": g.table()}
		root := g.node(3)
		tree := &logical.Tree{Root: root, Out: g.subset(root.Columns()), IDs: &logical.IDs{}}
		for tree.IDs.Next() < g.id {
		}
		if err := logical.Check(tree); err != nil {
			t.Fatalf("the generator is wrong: %v", err)
		}
		ctx := &Context{
			IDs: tree.IDs, Derived: logical.NewDeriver(),
			Fold: func(e *expr.Expr) (expr.Value, bool) {
				if v := value(e, nil); v != nil {
					return expr.Value{I: *v}, true
				}
				return expr.Value{Null: true}, true
			},
			Cast:     func(e *expr.Expr, t types.Type) (*expr.Expr, error) { return expr.NewCall("cast", t, e), nil },
			Volatile: func(string) bool { return false },
		}
		want, before := answer(db, tree), logical.Text(root)
		for round := 0; ; round++ {
			old := tree.Root
			for _, r := range Rules {
				fired := tree.Root
				if tree.Root = r.Apply(ctx, tree); tree.Root == fired {
					continue
				}
				if err := logical.Check(tree); err != nil {
					t.Fatalf("after %s: %v\n%s", r.Name, err, before)
				}
				if got := answer(db, tree); got != want {
					t.Fatalf("%s changed the rows from\n%s\nto\n%s\nof\n%s\nthat became\n%s", r.Name, want, got, before, logical.Text(tree.Root))
				}
			}
			if tree.Root == old {
				break
			}
			if round == maxRounds {
				t.Fatalf("no end:\n%s", before)
			}
		}
		checkKeys(t, db, ctx.Derived, tree.Root)
	})
}

// checkKeys verifies on the data that what is derived as a key is one.
func checkKeys(t *rapid.T, db database, d *logical.Deriver, root logical.Node) {
	logical.Walk(root, func(n logical.Node) {
		rows := db.rows(n)
		for _, key := range d.Props(n).Keys {
			var cols []logical.Col
			for _, c := range n.Columns() {
				if slices.Contains(key, c.ID) {
					cols = append(cols, c)
				}
			}
			seen := map[string]bool{}
			for _, r := range rows {
				if k := text(r, cols); seen[k] {
					t.Fatalf("%v is no key of\n%s", key, logical.Text(n))
				} else {
					seen[k] = true
				}
			}
		}
	})
}

// answer is the result as text, rows in order of their text.
func answer(db database, tree *logical.Tree) string {
	var lines []string
	for _, r := range db.rows(tree.Root) {
		lines = append(lines, text(r, tree.Out))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

type generator struct {
	t  *rapid.T
	id int
}

func (g *generator) next() int { g.id++; return g.id }

func (g *generator) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

// table has a unique first column, which is never NULL, and two others.
func (g *generator) table() [][]cell {
	var rows [][]cell
	for i := range g.pick(5) {
		r := []cell{num(int64(i))}
		for range 2 {
			if v := g.pick(4); v == 3 {
				r = append(r, nil)
			} else {
				r = append(r, num(int64(v)))
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func (g *generator) node(depth int) logical.Node {
	if depth == 0 {
		return g.leaf()
	}
	switch g.pick(9) {
	case 0:
		return g.leaf()
	case 1, 2:
		in := g.node(depth - 1)
		return filter(in, g.conds(in.Columns())...)
	case 3:
		return g.project(g.node(depth - 1))
	case 4:
		return &logical.Distinct{Input: g.node(depth - 1)}
	case 5:
		return g.aggregate(g.node(depth - 1))
	case 6:
		return g.union(depth)
	default:
		j := join(logical.JoinKind(g.pick(2)), g.node(depth-1), g.node(depth-1))
		inner := *j
		inner.Kind = logical.InnerJoin
		j.On = g.conds(inner.Columns())
		return j
	}
}

func (g *generator) leaf() logical.Node {
	bigint := types.MakeBigInt()
	if g.pick(5) == 0 {
		v := &logical.Values{Cols: []logical.Col{{ID: g.next(), Name: "v", Type: bigint}}}
		for range g.pick(3) {
			v.Rows = append(v.Rows, []*expr.Expr{g.constant()})
		}
		return v
	}
	key := bigint
	key.NotNull = true
	return scan([]string{"t", "u"}[g.pick(2)], typed(g.next(), "k", key), typed(g.next(), "a", bigint), typed(g.next(), "b", bigint))
}

func (g *generator) project(in logical.Node) logical.Node {
	p := &logical.Project{Input: in}
	for _, c := range g.subset(in.Columns()) {
		p.Items = append(p.Items, logical.PassThrough(c))
	}
	for range g.pick(2) + 1 {
		p.Items = append(p.Items, as(g.next(), "e", g.number(in.Columns(), 2)))
	}
	return p
}

func (g *generator) aggregate(in logical.Node) logical.Node {
	a := &logical.Aggregate{Input: in, Keys: g.subset(in.Columns())}
	if g.pick(3) == 0 {
		a.Keys = nil
	}
	cols := in.Columns()
	for range g.pick(3) {
		fn := []string{"count", "sum", "min"}[g.pick(3)]
		agg := call(g.next(), fn, logical.Ref(cols[g.pick(len(cols))]))
		agg.Call.Distinct = g.pick(3) == 0
		a.Aggs = append(a.Aggs, agg)
	}
	if len(a.Keys)+len(a.Aggs) == 0 {
		a.Aggs = append(a.Aggs, call(g.next(), "count"))
	}
	return a
}

// union has one column; a Sort with LIMIT over all columns stands in now and then.
func (g *generator) union(depth int) logical.Node {
	un := &logical.Union{Cols: []logical.Col{{ID: g.next(), Name: "u", Type: types.MakeBigInt()}}}
	for range g.pick(2) + 1 {
		in := g.node(depth - 1)
		if g.pick(3) == 0 {
			s := &logical.Sort{Input: in, Limit: int64(g.pick(3)), Offset: int64(g.pick(2))}
			for _, c := range in.Columns() {
				s.Keys = append(s.Keys, bind.Order{Col: c.ID, Desc: g.pick(2) == 0})
			}
			in = s
		}
		cols := in.Columns()
		un.Ins, un.From = append(un.Ins, in), append(un.From, []int{cols[g.pick(len(cols))].ID})
	}
	return un
}

// subset are some columns, at least one, in order.
func (g *generator) subset(cols []logical.Col) []logical.Col {
	var out []logical.Col
	for _, c := range cols {
		if g.pick(2) == 0 {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		out = cols[:1]
	}
	return out
}

func (g *generator) constant() *expr.Expr {
	if v := g.pick(4); v < 3 {
		return expr.NewInt(int64(v))
	}
	return expr.NewConst(expr.Value{Null: true}, types.MakeBigInt())
}

func (g *generator) number(cols []logical.Col, depth int) *expr.Expr {
	switch g.pick(5) {
	case 0:
		return g.constant()
	case 1:
		if depth > 0 {
			return do([]string{"+", "*", "coalesce"}[g.pick(3)], g.number(cols, depth-1), g.number(cols, depth-1))
		}
	}
	return logical.Ref(cols[g.pick(len(cols))])
}

func (g *generator) conds(cols []logical.Col) []*expr.Expr {
	var list []*expr.Expr
	for range g.pick(3) {
		list = append(list, g.cond(cols, 2))
	}
	return list
}

func (g *generator) cond(cols []logical.Col, depth int) *expr.Expr {
	if depth > 0 {
		switch g.pick(8) {
		case 0, 1:
			return is("and", g.cond(cols, depth-1), g.cond(cols, depth-1))
		case 2, 3:
			return is("or", g.cond(cols, depth-1), g.cond(cols, depth-1))
		case 4:
			return is("not", g.cond(cols, depth-1))
		}
	}
	switch g.pick(8) {
	case 0:
		return is("is null", g.number(cols, 1))
	case 1:
		return is("between", g.number(cols, 1), g.number(cols, 1), g.number(cols, 1))
	case 2:
		return is("<=>", g.number(cols, 1), g.number(cols, 1))
	case 3:
		return boolConst(g.pick(2) == 0)
	}
	return is([]string{"=", "<>", "<", ">"}[g.pick(4)], g.number(cols, 1), g.number(cols, 1))
}
