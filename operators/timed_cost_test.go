package operators_test

import (
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

// TestOneRowCostOfTimedJoins is TestOneRowChangeCostsTheSame of the joins in
// which time decides. Rows are (key, time).
func TestOneRowCostOfTimedJoins(t *testing.T) {
	in := []types.Type{bigint, bigint}
	spec := operators.TimedSpec{Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}, LeftTime: 1, RightTime: 1, Order: ">=", Outer: true}
	// perGroup rows have a key; the input changing changes.
	load := func(op operators.Operator, err error, perGroup, changing int) optest.Load {
		l := oneInput(t, op, err, perGroup)
		change := l.Change
		l.Inputs, l.Change = 2, func(in, k, rows int) *batch.Chunk { return change((in+changing)%2, k, rows) }
		return l
	}
	asof := func(perGroup, changing int) func() optest.Load {
		return func() optest.Load {
			j, err := operators.NewAsofJoin(spec, operators.Env{})
			return load(j, err, perGroup, changing)
		}
	}
	for _, c := range []costCheck{
		{"temporal join", func() optest.Load {
			j, err := operators.NewTemporalJoin(spec, operators.Env{})
			return load(j, err, 1, 0)
		}},
		{"asof join", asof(1, 0)},
		{"asof join, left rows of one key", asof(1<<40, 0)},
		{"asof join, right rows of one key", asof(1<<40, 1)},
	} {
		c.run(t)
	}
}
