package decorrelate_test

import (
	"testing"

	"streamsql/planner/decorrelate"
	"streamsql/planner/logical"
	"streamsql/planner/plantest"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// A tree that needs nothing stays as it is, down to its nodes.
func TestTreeWithoutApply(t *testing.T) {
	root := &logical.Distinct{Input: logical.OneRow()}
	tree := &logical.Tree{Root: root, IDs: &logical.IDs{}}
	if err := decorrelate.Tree(tree, logical.NewDeriver(true)); err != nil || tree.Root != logical.Node(root) {
		t.Errorf("%v, %s", err, logical.Text(tree.Root))
	}
}

// Each row of a VALUES list is computed for each value of what it reads.
func TestValues(t *testing.T) {
	a := logical.Col{ID: 1, Name: "a", Type: types.MakeBigInt()}
	left := &logical.Values{Cols: []logical.Col{a}, Rows: [][]*expr.Expr{{expr.NewInt(1)}, {expr.NewInt(2)}, {expr.NewInt(2)}}}
	c := logical.Col{ID: 2, Name: "c", Type: types.MakeBigInt()}
	sum := expr.NewCall("+", types.MakeBigInt(), logical.Ref(a), expr.NewInt(10))
	right := &logical.Values{Cols: []logical.Col{c}, Rows: [][]*expr.Expr{{logical.Ref(a)}, {sum}}}
	ids := &logical.IDs{}
	for range 3 {
		ids.Next()
	}
	tree := &logical.Tree{Root: &logical.Apply{Left: left, Right: right}, Out: []logical.Col{a, c}, IDs: ids}
	want := answer(nil, tree)
	if err := decorrelate.Tree(tree, logical.NewDeriver(true)); err != nil {
		t.Fatal(err)
	}
	if got := answer(plantest.Database{}, tree); len(got) != 6 || got[0] != want[0] || got[5] != want[5] {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What cannot be pushed through is refused by name.
func TestRefused(t *testing.T) {
	a := logical.Col{ID: 1, Name: "a", Type: types.MakeBigInt()}
	b := logical.Col{ID: 2, Name: "b", Type: types.MakeBigInt()}
	one := func(c logical.Col) logical.Node {
		return &logical.Values{Cols: []logical.Col{c}, Rows: [][]*expr.Expr{{expr.NewInt(1)}, {expr.NewInt(2)}}}
	}
	same := expr.NewCall("=", types.MakeBool(), logical.Ref(a), logical.Ref(b))
	right := &logical.Sort{Input: logical.NewFilter(one(b), []*expr.Expr{same}), Keys: []bind.Order{{Col: 2}}, Limit: 1}
	tree := &logical.Tree{Root: &logical.Apply{Left: one(a), Right: right}, IDs: &logical.IDs{}}
	err := decorrelate.Tree(tree, logical.NewDeriver(true))
	if err == nil || sqlerr.From(err).Code != sqlerr.NotSupportedYet {
		t.Errorf("got %v", err)
	}
}
