package operators_test

import (
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func fn(t testing.TB, name string, args ...*expr.Expr) *expr.Expr {
	t.Helper()
	e, err := builtin.Call(&builtin.Env{DivPrecision: 4}, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestMapAgainstTwin(t *testing.T) {
	in := []types.Type{bigint, varchar, bigint}
	a, b := expr.NewColumn(0, "a", bigint), expr.NewColumn(2, "b", bigint)
	spec := operators.MapSpec{
		Filter:  []*expr.Expr{fn(t, ">", a, expr.NewInt(-2))},
		Project: []*expr.Expr{expr.NewColumn(1, "s", varchar), fn(t, "+", a, b), a},
	}
	gen := optest.Generator{Inputs: [][]types.Type{in}, Values: 6, Nulls: 20}
	optest.Case{
		New:    func() (operators.Operator, error) { return operators.NewMap(spec, in, operators.Env{Node: "Map"}) },
		Inputs: gen.Inputs, Keys: [][]int{{1}}, Batches: gen.Batches(rand.New(rand.NewSource(1)), 8, 30),
		Twin: func(in []*batch.Chunk) *batch.Chunk {
			c := in[0]
			out := batch.New([]types.Type{varchar, bigint, bigint}, c.N)
			for i := range c.N {
				x, y := c.Cols[0], c.Cols[2]
				if x.IsNull(i) || x.I[i] <= -2 {
					continue
				}
				out.Cols[0].AppendFrom(c.Cols[1], i)
				if y.IsNull(i) {
					out.Cols[1].AppendNull()
				} else {
					out.Cols[1].AppendInt(x.I[i] + y.I[i])
				}
				out.Cols[2].AppendFrom(x, i)
				out.PushWeight(c.Weight(i))
			}
			return out
		},
	}.Run(t)
}

func TestMapReportsRowsThatFail(t *testing.T) {
	in := []types.Type{bigint, bigint}
	a := expr.NewColumn(0, "a", bigint)
	m, err := operators.NewMap(operators.MapSpec{
		Filter:  []*expr.Expr{fn(t, ">", expr.NewColumn(1, "b", bigint), expr.NewInt(0))},
		Project: []*expr.Expr{fn(t, "*", a, a)},
	}, in, operators.Env{Node: "Map(1)"})
	if err != nil {
		t.Fatal(err)
	}
	var out []*batch.Chunk
	var failed []operators.RowError
	m.Begin(&operators.Batch{Changes: true, Fail: func(e operators.RowError) { failed = append(failed, e) }})
	m.Push(0, batch.MustParse(in, "+ 4 0\n+ 3 1\n- 5000000000 2\n+ NULL 3"))
	m.CloseInput(0)
	if _, err := m.Step(100, func(c *batch.Chunk) { out = append(out, c) }); err != nil {
		t.Fatal(err)
	}
	if got := batch.Text(out...); got != "+ 9\n+ NULL\n" {
		t.Errorf("got %s", got)
	}
	if len(failed) != 1 || failed[0].Weight != -1 || failed[0].Operator != "Map(1)" || failed[0].Row != "(5000000000, 2)" {
		t.Errorf("reported: %+v", failed)
	}
}
