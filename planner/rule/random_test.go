package rule

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"streamsql/planner/logical"
	"streamsql/planner/plantest"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Whatever the tree, its rows are the same after the rules as before, and each
// single rule leaves a sound tree behind.
func TestRulesKeepTheRows(t0 *testing.T) {
	rapid.Check(t0, func(t *rapid.T) {
		g := plantest.NewGenerator(t)
		db := g.Database()
		tree := g.Tree(3)
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0, 1:
			tree = g.Joins()
		case 2:
			tree = g.Extremes()
		case 3:
			tree = g.WindowBounds()
		}
		if err := logical.Check(tree); err != nil {
			t.Fatalf("the generator is wrong: %v", err)
		}
		ctx := &Context{
			IDs: tree.IDs, Derived: logical.NewDeriver(true),
			Fold: func(e *expr.Expr) (expr.Value, bool) {
				if v := plantest.Value(e, nil); v != nil {
					return expr.Value{I: *v}, true
				}
				return expr.Value{Null: true}, true
			},
			Cast:     func(e *expr.Expr, t types.Type) (*expr.Expr, error) { return expr.NewCall("cast", t, e), nil },
			Volatile: func(string) bool { return false },
		}
		want, before := answer(db, tree), logical.Text(tree.Root)
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

// A join by the bounds of a window has the rows that it had when it is by equal
// windows, wherever that is done: by random conditions that say as much, and such
// as nearly do.
func TestWindowBoundsJoinKeepsTheRows(t0 *testing.T) {
	fired, left := 0, 0
	rapid.Check(t0, func(t *rapid.T) {
		g := plantest.NewGenerator(t)
		db, tree := g.Database(), g.WindowBounds()
		ctx := &Context{IDs: tree.IDs, Derived: logical.NewDeriver(true)}
		before, old, want := logical.Text(tree.Root), tree.Root, answer(db, tree)
		if tree.Root = windowBoundsJoin.Apply(ctx, tree); tree.Root == old {
			left++
			return
		}
		fired++
		if err := logical.Check(tree); err != nil {
			t.Fatalf("%v\n%s", err, before)
		}
		if got := answer(db, tree); got != want {
			t.Fatalf("the rows changed from\n%s\nto\n%s\nof\n%s\nthat became\n%s", want, got, before, logical.Text(tree.Root))
		}
	})
	if fired == 0 || left == 0 {
		t0.Errorf("the rule fired %d times, and did not %d times", fired, left)
	}
}

// checkKeys verifies on the data that what is derived as a key is one.
func checkKeys(t *rapid.T, db plantest.Database, d *logical.Deriver, root logical.Node) {
	logical.Walk(root, func(n logical.Node) {
		rows := db.Rows(n)
		for _, key := range d.Props(n).Keys {
			var cols []logical.Col
			for _, c := range n.Columns() {
				if slices.Contains(key, c.ID) {
					cols = append(cols, c)
				}
			}
			seen := map[string]bool{}
			for _, r := range rows {
				if k := plantest.Text(r, cols); seen[k] {
					t.Fatalf("%v is no key of\n%s", key, logical.Text(n))
				} else {
					seen[k] = true
				}
			}
		}
	})
}

// answer is the result as text, rows in order of their text.
func answer(db plantest.Database, tree *logical.Tree) string {
	var lines []string
	for _, r := range db.Rows(tree.Root) {
		lines = append(lines, plantest.Text(r, tree.Out))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
