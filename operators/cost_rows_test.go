package operators_test

import (
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// TestOneRowCostAfterMany holds that operators that keep no rows, or none across
// batches, do not pay in small batches for a large one before.
func TestOneRowCostAfterMany(t *testing.T) {
	in := []types.Type{bigint, bigint}
	check := func(name string, make func() (operators.Operator, error)) {
		costCheck{name, func() optest.Load {
			op, err := make()
			return oneInput(t, op, err, 1)
		}}.run(t)
	}
	check("map", func() (operators.Operator, error) {
		positive := fn(t, "<", expr.NewColumn(0, "k", bigint), expr.NewColumn(1, "v", bigint))
		sum := fn(t, "+", expr.NewColumn(0, "k", bigint), expr.NewColumn(1, "v", bigint))
		return operators.NewMap(operators.MapSpec{Filter: []*expr.Expr{positive}, Project: []*expr.Expr{sum}}, in, operators.Env{})
	})
	check("reduce", func() (operators.Operator, error) {
		return operators.NewReduce(operators.AggSpec{Input: in, Keys: []int{0}, Aggs: []agg.Call{call(t, in, "sum", false, 1)}}, operators.Env{})
	})
	check("expand", func() (operators.Operator, error) {
		return operators.NewExpand(operators.ExpandSpec{Input: in, Keys: []int{0, 1}, Sets: [][]int{{0, 1}, {0}, {}}}), nil
	})
	check("union", func() (operators.Operator, error) { return operators.NewUnion(1), nil })
	check("hopping windows", func() (operators.Operator, error) {
		return operators.NewWindow(operators.WindowSpec{
			Input: in, Kind: operators.Hop, Time: 1, Size: 10, Slide: 2, Keep: []int{0, 1}, Bound: moment, Lateness: operators.Lateness{Late: -1},
		}, operators.Env{}), nil
	})
	check("lookup join of append-only rows", func() (operators.Operator, error) { return lookup(t, true) })
	check("lookup join", func() (operators.Operator, error) { return lookup(t, false) })
}

func lookup(t *testing.T, appendOnly bool) (operators.Operator, error) {
	t.Helper()
	in := []types.Type{bigint, bigint}
	j, err := operators.NewLookupJoin(operators.LookupSpec{
		TimedSpec: operators.TimedSpec{Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}, AppendOnly: appendOnly, Outer: true},
		Columns:   []int{0, 1}, Ask: sameKey{},
	}, operators.Env{})
	return j, err
}

// sameKey answers each question with a row that has the key twice.
type sameKey struct{}

func (sameKey) Ask(keys *batch.Chunk, a *operators.Answer) {
	of := make([]int32, keys.N)
	for i := range of {
		of[i] = int32(i)
	}
	col := keys.Cols[0]
	a.Set(&batch.Chunk{Cols: append(append(keys.Cols[:0:0], col), col), N: keys.N}, of, nil)
}
