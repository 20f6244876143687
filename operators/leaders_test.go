package operators_test

import (
	"fmt"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

// leadersCase is a Leaders behind a LeadersOfBatch, or without.
func leadersCase(spec operators.TopNSpec, input []types.Type, batches [][]*batch.Chunk) optest.Case {
	return optest.Case{
		New: func() (operators.Operator, error) {
			return operators.NewLeaders(spec, operators.Env{Node: "TopN"}), nil
		},
		Inputs: [][]types.Type{input}, Keys: partable(spec.Partition), Batches: batches, Twin: topNTwin(spec),
	}
}

func leadersSpec(rng *rand.Rand, input []types.Type) operators.TopNSpec {
	spec := operators.TopNSpec{
		Input: input, Func: operators.Rank, Limit: 1, Number: rng.Intn(2) == 0, Partition: [][]int{{}, {0}, {1}, {1, 2}}[rng.Intn(4)],
	}
	for range 1 + rng.Intn(2)*rng.Intn(2) {
		spec.Order = append(spec.Order, operators.OrderKey{Col: rng.Intn(len(input)), Desc: rng.Intn(2) == 0})
	}
	return spec
}

// Of rows that stay, those that RANK() numbers 1 are kept up to date.
func TestLeadersOfRowsThatStay(t *testing.T) {
	input := []types.Type{bigint, varchar, dec, double, {Kind: types.BigInt, Unsigned: true}}
	for seed := range int64(48) {
		rng := rand.New(rand.NewSource(seed))
		spec := leadersSpec(rng, input)
		gen := optest.Generator{Inputs: [][]types.Type{input}, Values: 2 + rng.Intn(9), Nulls: 15, AppendOnly: true}
		batches := gen.Batches(rng, 8, 40)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			leadersCase(spec, input, batches).Run(t)
			throughBatches(t, spec, input, batches)
		})
	}
}

// Rows that grow: each row of a key is taken back for one that does not come
// behind it, so that those that were behind never lead.
func TestLeadersOfRowsThatGrow(t *testing.T) {
	input := []types.Type{bigint, {Kind: types.BigInt, NotNull: true}, varchar}
	for seed := range int64(48) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.TopNSpec{
			Input: input, Func: operators.Rank, Limit: 1, Partition: [][]int{{}, {0}}[rng.Intn(2)], Order: []operators.OrderKey{{Col: 1, Desc: seed%2 == 0}},
		}
		batches := growing(rng, input, seed%2 == 0)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := leadersCase(spec, input, batches)
			c.Run(t)
			throughBatches(t, spec, input, batches)
		})
	}
}

// growing are batches in which each change of a row follows on the one before.
func growing(rng *rand.Rand, input []types.Type, up bool) [][]*batch.Chunk {
	type row struct {
		part, value int64
		other       string
	}
	var live []row
	var out [][]*batch.Chunk
	for range 10 {
		c := batch.New(input, 0)
		put := func(r row, w int64) {
			c.Cols[0].AppendInt(r.part)
			c.Cols[1].AppendInt(r.value)
			c.Cols[2].AppendString(r.other)
			c.PushWeight(w)
		}
		changed := map[int]bool{}
		for range rng.Intn(20) {
			if k := rng.Intn(len(live) + 3); k < len(live) && !changed[k] {
				put(live[k], -1)
				step := int64(rng.Intn(3))
				if !up {
					step = -step
				}
				live[k].value += step
				live[k].other = fmt.Sprint(rng.Intn(3))
				put(live[k], 1)
				changed[k] = true
			} else if k >= len(live) {
				r := row{int64(rng.Intn(3)), int64(rng.Intn(5)), fmt.Sprint(rng.Intn(3))}
				put(r, 1)
				changed[len(live)] = true
				live = append(live, r)
			}
		}
		out = append(out, []*batch.Chunk{c})
	}
	return out
}

// throughBatches runs a Leaders over what several LeadersOfBatch leave of each batch.
func throughBatches(t *testing.T, spec operators.TopNSpec, input []types.Type, batches [][]*batch.Chunk) {
	t.Helper()
	all := batch.New(input, 0)
	var left [][]*batch.Chunk
	for id, b := range batches {
		lead := operators.NewLeadersOfBatch(spec)
		some := batch.New(input, 0)
		budget := []int{1, 3, 1 << 30}[id%3]
		lead.Begin(&operators.Batch{ID: uint64(id)})
		for i := range b[0].N {
			all.AppendFrom(b[0], i, b[0].Weight(i))
		}
		half := b[0].N / 2
		lead.Push(0, b[0].Slice(0, half))
		lead.Push(0, b[0].Slice(half, b[0].N))
		lead.CloseInput(0)
		for s := operators.More; s == operators.More; {
			var err error
			if s, err = lead.Step(budget, func(c *batch.Chunk) {
				for i := range c.N {
					some.AppendFrom(c, i, c.Weight(i))
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
		left = append(left, []*batch.Chunk{some})
	}
	c := leadersCase(spec, input, left)
	c.Twin = func([]*batch.Chunk) *batch.Chunk { return topNTwin(spec)([]*batch.Chunk{all}) }
	c.Run(t)
}

// Leaders go with the window that is their partition, without a retraction, and
// what comes for it then changes nothing.
func TestLeadersExpiry(t *testing.T) {
	const table = 7
	in := []types.Type{bigint, bigint}
	spec := operators.TopNSpec{
		Input: in, Func: operators.Rank, Limit: 1, Partition: []int{0}, Order: []operators.OrderKey{{Col: 1, Desc: true}},
		Expiry: &operators.Expiry{Col: 0, Watermark: operators.Watermark{{Table: table}}},
	}
	for _, budget := range []int{1, 4, 1 << 30} {
		op := operators.NewLeaders(spec, operators.Env{})
		rng, all, sum := rand.New(rand.NewSource(1)), batch.New(in, 0), []*batch.Chunk{}
		for id := range 40 {
			rows := batch.New(in, 0)
			for range 6 {
				rows.Cols[0].AppendInt(int64(id + 1 + rng.Intn(3)))
				rows.Cols[1].AppendInt(int64(rng.Intn(4)))
				rows.PushWeight(1)
				all.AppendFrom(rows, rows.N-1, 1)
			}
			if id > 0 { // a row of a window that is over
				rows.Cols[0].AppendInt(int64(id - 1))
				rows.Cols[1].AppendInt(9)
				rows.PushWeight(1)
			}
			op.Begin(&operators.Batch{ID: uint64(id), Watermarks: map[uint64]int64{table: int64(id)}})
			op.Push(0, rows)
			op.CloseInput(0)
			for s := operators.More; s == operators.More; {
				var err error
				if s, err = op.Step(budget, func(c *batch.Chunk) { sum = append(sum, c) }); err != nil {
					t.Fatal(err)
				}
			}
			if n := op.States()[0].Rows(); n > 3 {
				t.Fatalf("%d partitions after batch %d", n, id)
			}
			op = optest.Restored(t, op, operators.NewLeaders(spec, operators.Env{}))
		}
		if got, want := batch.Text(sum...), batch.Text(topNTwin(spec)([]*batch.Chunk{all})); got != want {
			t.Fatalf("got\n%swant\n%s", got, want)
		}
	}
}
