package decorrelate_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"streamsql/planner/decorrelate"
	"streamsql/planner/logical"
	"streamsql/planner/physical/build"
	"streamsql/planner/plantest"
	"streamsql/planner/rule"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// A tree without Applies gives the rows of the one with them, which the
// reference computes row by row; and so does its plan.
func TestTreeGivesTheRows(t0 *testing.T) {
	rapid.Check(t0, func(t *rapid.T) {
		g := plantest.NewGenerator(t)
		g.Applies = true
		db, tree := g.Database(), g.Tree(4)
		want, before := answer(db, tree), logical.Text(tree.Root)
		if err := logical.Check(tree); err != nil {
			t.Fatalf("%v in\n%s", err, before)
		}
		ctx := &rule.Context{
			IDs: tree.IDs, Derived: logical.NewDeriver(false),
			Fold:     func(*expr.Expr) (expr.Value, bool) { return expr.Value{}, false },
			Cast:     func(e *expr.Expr, t types.Type) (*expr.Expr, error) { return expr.NewCall("cast", t, e), nil },
			Volatile: func(string) bool { return false },
		}
		if err := decorrelate.Tree(tree, ctx.Derived); err != nil {
			if sqlerr.From(err).Code == sqlerr.NotSupportedYet {
				t.Skip(err)
			}
			t.Fatalf("%v of\n%s", err, before)
		}
		after := logical.Text(tree.Root)
		if err := logical.Check(tree); err != nil {
			t.Fatalf("%v: of\n%sbecame\n%s", err, before, after)
		}
		if strings.Contains(after, "Apply") {
			t.Fatalf("of\n%sremains\n%s", before, after)
		}
		compare(t, want, answer(db, tree), before, after)
		rule.Optimize(ctx, tree)
		compare(t, want, answer(db, tree), before, logical.Text(tree.Root))
		p, err := build.Plan(tree, ctx.Derived, false)
		if err != nil {
			t.Fatal(err)
		}
		got := db.Answer(p)
		slices.Sort(got)
		compare(t, want, got, before, logical.Text(tree.Root))
	})
}

// answer are the rows of a tree's result, in order.
func answer(db plantest.Database, tree *logical.Tree) []string {
	var out []string
	for _, r := range db.Rows(tree.Root) {
		out = append(out, plantest.Text(r, tree.Out))
	}
	slices.Sort(out)
	return out
}

func compare(t *rapid.T, want, got []string, before, after string) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Fatalf("got\n%s\nwant\n%s\nof\n%sby\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), before, after)
	}
}
