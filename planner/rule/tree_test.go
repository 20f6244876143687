package rule

import (
	"strings"
	"testing"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// A small language for trees. Columns are a, b, c of table t and x, y, z of
// table u; a and x are NOT NULL and unique, the others BIGINT.
var (
	a, b, c = column(1, "a", true), column(2, "b", false), column(3, "c", false)
	x, y, z = column(4, "x", true), column(5, "y", false), column(6, "z", false)
	one     = expr.NewInt(1)
	two     = expr.NewInt(2)
	null    = expr.NewNull()
	yes, no = boolConst(true), boolConst(false)
)

func column(id int, name string, notNull bool) *expr.Expr {
	t := types.MakeBigInt()
	t.NotNull = notNull
	return expr.NewColumn(id, name, t)
}

func typed(id int, name string, t types.Type) *expr.Expr { return expr.NewColumn(id, name, t) }

func nullable(e *expr.Expr) *expr.Expr { return expr.NewColumn(e.Col, e.Name, e.Type.Nullable()) }

// is makes a condition, do a BIGINT.
func is(fn string, args ...*expr.Expr) *expr.Expr { return expr.NewCall(fn, types.MakeBool(), args...) }

func do(fn string, args ...*expr.Expr) *expr.Expr {
	return expr.NewCall(fn, types.MakeBigInt(), args...)
}

func cols(es ...*expr.Expr) []logical.Col {
	var list []logical.Col
	for _, e := range es {
		list = append(list, logical.Col{ID: e.Col, Name: e.Name, Type: e.Type})
	}
	return list
}

func scan(name string, es ...*expr.Expr) *logical.Scan {
	s := &logical.Scan{Table: &catalog.Table{Database: "d", Name: name, Kind: catalog.BaseTable, Primary: []int{0}}, Cols: cols(es...)}
	for i := range es {
		s.Positions = append(s.Positions, i)
	}
	return s
}

func t() logical.Node { return scan("t", a, b, c) }
func u() logical.Node { return scan("u", x, y, z) }

func stream() logical.Node {
	s := scan("s", a, b, c)
	s.Table = &catalog.Table{Database: "d", Name: "s", Kind: catalog.StreamTable}
	s.AppendOnly = true
	return s
}

func filter(n logical.Node, conds ...*expr.Expr) logical.Node {
	return &logical.Filter{Input: n, Conds: conds}
}

// as is the column name, with an id, made by e.
func as(id int, name string, e *expr.Expr) logical.Computed {
	return logical.Computed{Col: logical.Col{ID: id, Name: name, Type: e.Type}, Expr: e}
}

func project(n logical.Node, items ...logical.Computed) logical.Node {
	return &logical.Project{Input: n, Items: items}
}

func keep(e *expr.Expr) logical.Computed { return as(e.Col, e.Name, e) }

func group(n logical.Node, keys []*expr.Expr, aggs ...logical.Agg) logical.Node {
	return &logical.Aggregate{Input: n, Keys: cols(keys...), Aggs: aggs}
}

func by(es ...*expr.Expr) []*expr.Expr { return es }

func call(id int, fn string, args ...*expr.Expr) logical.Agg {
	return logical.Agg{Col: logical.Col{ID: id, Name: fn, Type: types.MakeBigInt()}, Call: agg.Call{Fn: fn, Args: args, Type: types.MakeBigInt()}}
}

func distinctly(g logical.Agg) logical.Agg { g.Call.Distinct = true; return g }

func join(kind logical.JoinKind, l, r logical.Node, on ...*expr.Expr) *logical.Join {
	return &logical.Join{Kind: kind, Left: l, Right: r, On: on}
}

// union has the columns p#20, q#21 … for those of its inputs in order.
func union(ins ...logical.Node) logical.Node {
	un := &logical.Union{Ins: ins}
	for i, in := range ins {
		var from []int
		for k, c := range in.Columns() {
			from = append(from, c.ID)
			if i == 0 {
				c.ID, c.Name = 20+k, string(rune('p'+k))
				un.Cols = append(un.Cols, c)
			}
		}
		un.From = append(un.From, from)
	}
	return un
}

// apply runs one rule on a tree to its end and gives the result as text, or ""
// if it did not fire. The tree must be sound before and after.
func apply(tb testing.TB, r Rule, root logical.Node, out ...*expr.Expr) string {
	tb.Helper()
	tree := &logical.Tree{Root: root, Out: cols(out...), IDs: &logical.IDs{}}
	if out == nil {
		tree.Out = root.Columns()
	}
	for tree.IDs.Next() < 99 {
	}
	before := logical.Text(root)
	if err := logical.Check(tree); err != nil {
		tb.Fatal(err)
	}
	ctx := &Context{
		IDs: tree.IDs, Derived: logical.NewDeriver(true),
		Fold:     foldPlus,
		Cast:     func(e *expr.Expr, t types.Type) (*expr.Expr, error) { return expr.NewCall("cast", t, e), nil },
		Volatile: func(fn string) bool { return fn == "rand" },
	}
	fired := run(ctx, tree, []Rule{r})
	if err := logical.Check(tree); err != nil {
		tb.Errorf("after %s: %v", r.Name, err)
	}
	if logical.Text(root) != before {
		tb.Errorf("%s changed the tree that it was given", r.Name)
	}
	if len(fired) == 0 {
		return ""
	}
	if len(fired) == maxRounds {
		tb.Errorf("%s does not come to an end", r.Name)
	}
	return logical.Text(tree.Root)
}

// foldPlus computes a + b; a division fails.
func foldPlus(e *expr.Expr) (expr.Value, bool) {
	if e.Fn != "+" {
		return expr.Value{}, false
	}
	return expr.Value{I: e.Args[0].Value.I + e.Args[1].Value.I}, true
}

type ruleCase struct {
	what string
	in   logical.Node
	out  []*expr.Expr // columns of the result, all if nil
	want string       // "": the rule does not fire
}

func runCases(t *testing.T, r Rule, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		got := apply(t, r, c.in, c.out...)
		if want := strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%s: %s:\ngot\n%s\nwant\n%s", r.Name, c.what, got, want)
		}
	}
}
