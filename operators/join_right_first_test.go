package operators_test

import (
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// TestRightFirst: in a join whose left input waits, no row is given and taken
// back, whichever input comes first: those that match come before the others.
func TestRightFirst(t *testing.T) {
	in := []types.Type{bigint}
	for _, leftFirst := range []bool{true, false} {
		j, err := operators.NewJoin(operators.JoinSpec{
			Kind: operators.LeftJoin, Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}, RightFirst: true,
		}, operators.Env{})
		if err != nil {
			t.Fatal(err)
		}
		out := batch.New(j.Types(), 4)
		step := func() {
			if _, err := j.Step(100, func(c *batch.Chunk) {
				for i := range c.N {
					out.AppendFrom(c, i, c.Weight(i))
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
		left := func() { j.Push(0, batch.MustParse(in, "+ 1\n+ 2\n")); j.CloseInput(0); step() }
		right := func() { j.Push(1, batch.MustParse(in, "+ 2\n+ 3\n")); step(); j.CloseInput(1); step() }
		j.Begin(&operators.Batch{Changes: true, ID: 1})
		if leftFirst {
			left()
			right()
		} else {
			right()
			left()
		}
		if got, want := out.String(), "+ 2 2\n+ 1 NULL\n"; got != want {
			t.Errorf("left first %v: got\n%swant\n%s", leftFirst, got, want)
		}
	}
}
