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
	version := func(perGroup, changing int) func() optest.Load {
		return func() optest.Load {
			spec := spec
			spec.AppendOnly, spec.Right = true, append(in[:2:2], bigint, bigint, bigint)
			spec.Lateness.Late, spec.Marks = -1, operators.VersionMarks{Watermark: 2, Arrival: 3, Deleted: 4}
			j, err := operators.NewVersionJoin(spec, operators.Env{})
			l := load(j, err, perGroup, changing)
			fill, change := l.Fill, l.Change
			l.Fill = func(in, first, n int) *batch.Chunk { return marked(in, fill(in, first, n)) }
			l.Change = func(in, k, rows int) *batch.Chunk { return marked(in, change(in, k, rows)) }
			return l
		}
	}
	for _, c := range []costCheck{
		{"temporal join", func() optest.Load {
			j, err := operators.NewTemporalJoin(spec, operators.Env{})
			return load(j, err, 1, 0)
		}},
		{"version join, left rows that wait", version(1, 0)},
		{"version join, versions of one key", version(1<<40, 1)},
		{"asof join", asof(1, 0)},
		{"asof join, left rows of one key", asof(1<<40, 0)},
		{"asof join, right rows of one key", asof(1<<40, 1)},
	} {
		c.run(t)
	}
}

// marked is a chunk of the right input with what a VersionJoin reads of the
// stream: row i is the one that arrived at its time.
func marked(in int, c *batch.Chunk) *batch.Chunk {
	if in == 0 || c == nil {
		return c
	}
	none := batch.New([]types.Type{bigint}, c.N).Cols[0]
	for range c.N {
		none.AppendNull()
	}
	out := *c
	out.Cols = append(c.Cols[:2:2], none, c.Cols[1], none)
	return &out
}
