package eval

import (
	"testing"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

func ints(vals ...int64) *vector.Vector {
	v := vector.New(types.MakeBigInt(), len(vals))
	for _, x := range vals {
		v.AppendInt(x)
	}
	return v
}

func must(t testing.TB, e *expr.Expr, err error) *expr.Expr {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// An error in a branch that a row does not take must not show; where it does, the
// row fails and the others go on.
func TestBranchesNotTaken(t *testing.T) {
	a := expr.NewColumn(0, "a", types.MakeBigInt())
	sum, err := builtin.Call(nil, "+", a, expr.NewInt(1))
	must(t, sum, err)
	small, err := builtin.Call(nil, "<", a, expr.NewInt(100))
	must(t, small, err)
	guarded, err := builtin.Call(nil, "case", small, sum, expr.NewInt(-1))
	must(t, guarded, err)
	run := func(e *expr.Expr) (out []int64, failed []int, code uint16) {
		p, err := Compile(e)
		if err != nil {
			t.Fatal(err)
		}
		ctx := &Context{Fail: func(row int, err error) { failed, code = append(failed, row), sqlerr.From(err).Code }}
		v, err := p.Eval(ctx, []*vector.Vector{ints(1, 1<<63-1, 5)}, 3)
		if err != nil {
			t.Fatal(err)
		}
		return v.I, failed, code
	}
	if out, failed, _ := run(guarded); len(failed) > 0 || out[0] != 2 || out[1] != -1 || out[2] != 6 {
		t.Errorf("guarded: %v, failed %v", out, failed)
	}
	if _, failed, code := run(sum); len(failed) != 1 || failed[0] != 1 || code != sqlerr.DataOutOfRange {
		t.Errorf("sum: failed %v with %d", failed, code)
	}
}
