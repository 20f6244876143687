package operators_test

import (
	"fmt"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

// Tiles of all sizes, fewer and more than the rows, whose edges move as rows come and go.
func TestTilesAgainstTwin(t *testing.T) {
	in := []types.Type{bigint, bigint}
	for seed := range int64(24) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.OverSpec{Input: in, Order: []operators.OrderKey{{Col: 1}}}
		for range 2 {
			n := []int64{1, 2, 7, 40, 1000}[rng.Intn(5)]
			spec.Funcs = append(spec.Funcs, operators.OverFunc{Func: operators.WindowNtile, N: n, Type: operators.NumberType()})
		}
		if seed%3 == 0 {
			share := types.MakeDouble()
			spec.Funcs = []operators.OverFunc{{Func: operators.WindowPercentRank, Type: share}, {Func: operators.WindowCumeDist, Type: share}}[seed/3%2:][:1]
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gen := optest.Generator{Inputs: [][]types.Type{in}, Values: 12, Nulls: 5}
			batches := append(gen.Batches(rng, 2, 60), gen.Batches(rng, 6, 2)...)
			optest.Case{
				New:    func() (operators.Operator, error) { return operators.NewOver(spec, operators.Env{Node: "Over"}) },
				Inputs: gen.Inputs, Keys: partable(spec.Partition), Batches: batches, Twin: overTwin(spec),
			}.Run(t)
		})
	}
}
