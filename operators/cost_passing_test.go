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

// TestOneRowCostWhileTimePasses holds that where time lets state go, a row that
// comes while another one goes costs the same whatever is in between. Rows are
// (i, i), and the watermark is at the oldest.
func TestOneRowCostWhileTimePasses(t *testing.T) {
	in := []types.Type{bigint, bigint}
	mark := operators.Watermark{{Table: 1}}
	first, second := &operators.Expiry{Col: 0, Watermark: mark}, &operators.Expiry{Col: 1, Watermark: mark}
	byValue := []operators.OrderKey{{Col: 1}}
	check := func(name string, inputs int, make func() (operators.Operator, error)) {
		costCheck{name, func() optest.Load {
			op, err := make()
			l := oneInput(t, op, err, 1)
			l.Inputs = inputs
			l.Change = func(in, k, rows int) *batch.Chunk {
				if in == 1 && k%2 == 0 {
					return nil
				}
				return l.Fill(in, rows+k, 1)
			}
			l.At = func(b *operators.Batch, k int) {
				b.Now, b.Watermarks = int64(k), map[uint64]int64{1: int64(k)}
			}
			return l
		}}.run(t)
	}
	join := func(name string, kind operators.JoinKind, left, right *operators.Expiry, residual ...*expr.Expr) {
		check(name, 2, func() (operators.Operator, error) {
			return operators.NewJoin(operators.JoinSpec{
				Kind: kind, Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}, Residual: residual, LeftExpiry: left, RightExpiry: right,
			}, operators.Env{})
		})
	}
	near := fn(t, "<=", expr.NewColumn(1, "l", bigint), expr.NewColumn(3, "r", bigint))
	join("interval join", operators.InnerJoin, second, second, near)
	join("left interval join", operators.LeftJoin, second, second, near)
	join("full interval join", operators.FullJoin, second, second, near)
	join("semi join of windows", operators.SemiJoin, first, first)
	join("anti join of windows", operators.AntiJoin, first, first)
	check("groups of windows", 1, func() (operators.Operator, error) {
		return operators.NewMerge(operators.AggSpec{
			Input: in, Keys: []int{0}, Aggs: []agg.Call{call(t, in, "sum", false, 1), call(t, in, "max", false, 1), call(t, in, "count", true, 1)}, Expiry: first,
		}, operators.Env{})
	})
	check("distinct rows", 1, func() (operators.Operator, error) {
		return operators.NewExpiringDistinct(in, *first, operators.Env{})
	})
	check("top 3 of windows", 1, func() (operators.Operator, error) {
		return operators.NewTopN(operators.TopNSpec{Input: in, Partition: []int{0}, Order: byValue, Limit: 3, Expiry: first}, operators.Env{})
	})
	check("row numbers in windows", 1, func() (operators.Operator, error) {
		funcs := []operators.OverFunc{{Func: operators.WindowRowNumber, Type: operators.NumberType()}}
		return operators.NewOver(operators.OverSpec{Input: in, Partition: []int{0}, Order: byValue, Funcs: funcs, Expiry: first}, operators.Env{})
	})
	check("emit on close", 1, func() (operators.Operator, error) {
		return operators.NewEmit(operators.EmitSpec{Input: in, Col: 1, Watermark: mark}, operators.Env{}), nil
	})
	check("rows newer than now", 1, func() (operators.Operator, error) {
		cond := operators.TimeCond{Value: expr.NewColumn(1, "ts", moment), Grain: 1}
		return operators.NewTimeFilter([]operators.TimeCond{cond}, []types.Type{bigint, moment}, operators.Env{})
	})
	check("sessions that end", 1, func() (operators.Operator, error) {
		return operators.NewSession(operators.SessionSpec{
			Input: in, Keys: []int{0}, Time: 1, Gap: 3, Keep: []int{0, 1}, Bound: moment, Lateness: operators.Lateness{Late: -1}, Over: mark,
		}, operators.Env{})
	})
}
