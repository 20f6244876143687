package build_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"streamsql/planner/explain"
	"streamsql/planner/logical"
	"streamsql/planner/physical/build"
	"streamsql/planner/plantest"
	"streamsql/planner/rule"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// A plan gives the rows of its logical tree, whatever rules ran before.
func TestPlanGivesTheRows(t0 *testing.T) {
	rapid.Check(t0, func(t *rapid.T) {
		g := plantest.NewGenerator(t)
		db, tree := g.Database(), g.Tree(3)
		if rapid.IntRange(0, 4).Draw(t, "form") == 0 {
			tree = g.Extremes()
		}
		var want []string
		for _, r := range db.Rows(tree.Root) {
			want = append(want, plantest.Text(r, tree.Out))
		}
		text := logical.Text(tree.Root)
		ctx := &rule.Context{
			IDs: tree.IDs, Derived: logical.NewDeriver(false),
			Fold:     func(*expr.Expr) (expr.Value, bool) { return expr.Value{}, false },
			Cast:     func(e *expr.Expr, t types.Type) (*expr.Expr, error) { return expr.NewCall("cast", t, e), nil },
			Volatile: func(string) bool { return false },
		}
		if rapid.Bool().Draw(t, "optimize") {
			rule.Optimize(ctx, tree)
		}
		p, err := build.Plan(tree, ctx.Derived, false)
		if err != nil {
			t.Fatal(err)
		}
		got := db.Answer(p)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s\nof\n%s\nby\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), text, explain.Text(p))
		}
		if wrong := db.CheckPlan(p); wrong != "" {
			t.Fatalf("%s in\n%s", wrong, explain.Text(p))
		}
	})
}
