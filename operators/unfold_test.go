package operators_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/jsontable"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// TestUnfoldAgainstTwin: documents of n mod 5 values, NULL where n is.
func TestUnfoldAgainstTwin(t *testing.T) {
	in := []types.Type{bigint, {Kind: types.JSON}}
	table := &jsontable.Table{Path: "$[*]", Columns: []jsontable.Column{
		{Name: "n", Type: types.Type{Kind: types.Int, Unsigned: true}, Ordinality: true}, {Name: "v", Type: bigint, Path: "$"}}}
	docs := func(c *batch.Chunk) {
		numbers := c.Cols[1]
		c.Cols[1] = vector.New(in[1], c.N)
		for i := range c.N {
			if numbers.IsNull(i) {
				c.Cols[1].AppendNull()
				continue
			}
			n := numbers.I[i]
			list := slices.Repeat([]string{fmt.Sprint(n)}, int((n%5+5)%5))
			c.Cols[1].AppendString("[" + strings.Join(list, ", ") + "]")
		}
	}
	for _, outer := range []bool{false, true} {
		gen := optest.Generator{Inputs: [][]types.Type{{bigint, bigint}}, Values: 7, Nulls: 20}
		batches := gen.Batches(rand.New(rand.NewSource(1)), 6, 40)
		for _, inputs := range batches {
			docs(inputs[0])
		}
		optest.Case{
			New: func() (operators.Operator, error) {
				return operators.NewUnfold(operators.UnfoldSpec{Input: in, Document: 1, Keep: []int{0}, Table: table, Outer: outer}, operators.Env{})
			},
			Inputs: [][]types.Type{in}, Keys: [][]int{{0}}, Batches: batches,
			Twin: func(in []*batch.Chunk) *batch.Chunk {
				out := batch.New([]types.Type{bigint, bigint, bigint}, 16)
				for i := range in[0].N {
					values := []string{}
					if doc := in[0].Cols[1]; !doc.IsNull(i) && string(doc.Bytes(i)) != "[]" {
						values = strings.Split(strings.Trim(string(doc.Bytes(i)), "[]"), ", ")
					}
					for k, v := range values {
						out.Cols[0].AppendFrom(in[0].Cols[0], i)
						out.Cols[1].AppendInt(int64(k + 1))
						var n int64
						fmt.Sscan(v, &n)
						out.Cols[2].AppendInt(n)
						out.PushWeight(in[0].Weight(i))
					}
					if len(values) == 0 && outer {
						out.Cols[0].AppendFrom(in[0].Cols[0], i)
						out.Cols[1].AppendNull()
						out.Cols[2].AppendNull()
						out.PushWeight(in[0].Weight(i))
					}
				}
				return out
			},
		}.Run(t)
	}
}
