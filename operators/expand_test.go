package operators_test

import (
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

func TestExpandAgainstTwin(t *testing.T) {
	in := []types.Type{bigint, varchar, longDec, double}
	sets := [][]int{{0, 1, 2, 3}, {1}, {}, {0, 2}, {1}}
	out := []types.Type{bigint, varchar, longDec, double, bigint, varchar, longDec, double, bigint}
	gen := optest.Generator{Inputs: [][]types.Type{in}, Values: 5, Nulls: 20}
	optest.Case{
		New: func() (operators.Operator, error) {
			return operators.NewExpand(operators.ExpandSpec{Input: in, Keys: []int{0, 1, 2, 3}, Sets: sets}), nil
		},
		Inputs: gen.Inputs, Keys: [][]int{{0}}, Batches: gen.Batches(rand.New(rand.NewSource(1)), 6, 30),
		Twin: func(in []*batch.Chunk) *batch.Chunk {
			c := batch.New(out, 16)
			for i := range in[0].N {
				for id, s := range sets {
					for k, v := range in[0].Cols {
						c.Cols[k].AppendFrom(v, i)
						held := false
						for _, h := range s {
							held = held || h == k
						}
						if held {
							c.Cols[4+k].AppendFrom(v, i)
						} else {
							c.Cols[4+k].AppendNull()
						}
					}
					c.Cols[8].AppendInt(int64(id))
					c.PushWeight(in[0].Weight(i))
				}
			}
			return c
		},
	}.Run(t)
}
