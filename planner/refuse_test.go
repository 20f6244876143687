package planner

import (
	"strings"
	"testing"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/planner/rule"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func TestRefuse(t *testing.T) {
	col := logical.Col{ID: 1, Name: "a", Type: types.MakeDateTime(0)}
	scan := func(appendOnly bool) logical.Node {
		return &logical.Scan{Table: &catalog.Table{Name: "t"}, Cols: []logical.Col{col}, Positions: []int{0}, AppendOnly: appendOnly}
	}
	call := func(fn string) *expr.Expr { return expr.NewCall(fn, types.MakeDateTime(0)) }
	after := func(fn string) *expr.Expr { return expr.NewCall(">", types.MakeBool(), logical.Ref(col), call(fn)) }
	shows := func(n logical.Node, e *expr.Expr) logical.Node {
		return &logical.Project{Input: n, Items: []logical.Computed{{Col: logical.Col{ID: 2, Type: e.Type}, Expr: e}}}
	}
	for _, c := range []struct {
		what string
		n    logical.Node
		want string // in the error; "": none
	}{
		{"a row would have to go by itself", &logical.Filter{Input: scan(true), Conds: []*expr.Expr{after("now")}}, "NOW() in a condition"},
		{"below", &logical.Distinct{Input: &logical.Filter{Input: scan(true), Conds: []*expr.Expr{after("curdate")}}}, "CURDATE() in a condition"},
		{"a join's condition", &logical.Join{Left: scan(true), Right: logical.OneRow(), On: []*expr.Expr{after("rand")}}, "RAND() in a condition"},
		{"the retraction would differ", shows(scan(false), call("now")), "NOW() over rows that can be retracted"},
		{"within an expression", shows(scan(false), after("rand")), "RAND() over rows"},
		{"nothing is retracted", shows(scan(true), call("now")), ""},
		{"of the row itself", shows(scan(false), logical.Ref(col)), ""},
	} {
		ctx := &rule.Context{Derived: logical.NewDeriver(true), Volatile: func(fn string) bool { return fn == "rand" }}
		err := refuse(ctx, c.n)
		if got := err == nil; got != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.what, err, c.want)
		}
	}
}
