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

// TestOneRowCostOfAggregates is TestOneRowChangeCostsTheSame of the aggregates
// that keep values, in groups of five; and in one group of all rows, but for the
// aggregates whose result itself gets as long as the group: GROUP_CONCAT,
// JSON_ARRAYAGG and JSON_OBJECTAGG write it anew with each change.
func TestOneRowCostOfAggregates(t *testing.T) {
	in := []types.Type{bigint, bigint, {Kind: types.VarChar, Len: 20, NotNull: true}, double, ubigint}
	column := func(k int) *expr.Expr { return expr.NewColumn(k, "c", in[k]) }
	for _, c := range []struct {
		name  string
		fn    string
		args  []int
		order bool
		long  bool // the result grows with the group
	}{
		{"count", "count", nil, false, false},
		{"sum of doubles", "sum", []int{3}, false, false},
		{"average", "avg", []int{1}, false, false},
		{"deviation of doubles", "stddev_samp", []int{3}, false, false},
		{"min of texts", "min", []int{2}, false, false},
		{"bits", "bit_xor", []int{4}, false, false},
		{"any value", "any_value", []int{2}, false, false},
		{"last value", "last_value", []int{2}, true, false},
		{"percentile of doubles", "percentile_cont", []int{3}, false, false},
		{"percentile of integers", "percentile_disc", []int{1}, false, false},
		{"group_concat", "group_concat", []int{2}, true, true},
		{"json_arrayagg", "json_arrayagg", []int{2}, true, true},
		{"json_objectagg", "json_objectagg", []int{2, 2}, true, true},
	} {
		r := agg.Request{Fn: c.fn, DivPrecision: agg.DefaultDivPrecision, Fraction: 0.5, Separator: ",", MaxLen: 1 << 20}
		for _, k := range c.args {
			r.Args = append(r.Args, column(k))
		}
		if c.order {
			r.Order, r.Desc = []*expr.Expr{column(1)}, []bool{false}
		}
		if c.fn == "group_concat" {
			r.Apart = 1
		}
		call, err := r.Resolve()
		if err != nil {
			t.Fatal(c.name, err)
		}
		spec := operators.AggSpec{Input: in, Keys: []int{0}, Aggs: []agg.Call{call}}
		load := func(perGroup int) func() optest.Load {
			return func() optest.Load {
				m, err := operators.NewMerge(spec, operators.Env{})
				return oneInputOf(t, in, m, err, perGroup)
			}
		}
		costCheck{c.name + " in small groups", load(5)}.run(t)
		if !c.long {
			costCheck{c.name + " in one group", load(1 << 40)}.run(t)
		}
	}
}

// TestOneRowCostOfServed is TestOneRowChangeCostsTheSame of aggregates in two
// steps, and of those that are the result themselves.
func TestOneRowCostOfServed(t *testing.T) {
	in := []types.Type{bigint, bigint}
	spec := operators.AggSpec{Input: in, Keys: []int{0}, Aggs: []agg.Call{call(t, in, "count", false), call(t, in, "sum", false, 1), call(t, in, "max", false, 1)}}
	split := spec
	split.Aggs = spec.Aggs[:2]
	costCheck{"reduce and merge", func() optest.Load {
		op, err := newTwoPhase(split)
		return oneInput(t, op, err, 1)
	}}.run(t)
	costCheck{"served", func() optest.Load {
		op, err := operators.NewServed(spec, []int{0, 1, 2, 3}, []int{0}, operators.Env{})
		return oneInput(t, readChanges{op}, err, 1)
	}}.run(t)
}

// readChanges reads what a Served has changed after each batch.
type readChanges struct{ *operators.Served }

func (r readChanges) Begin(b *operators.Batch) {
	for _, c := range r.Changes() {
		_ = batch.Text(c)
	}
	r.Served.Begin(b)
}
