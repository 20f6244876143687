package operators_test

import (
	"maps"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

// Whatever the pieces in which a batch comes, a sink has what it changes, each row
// once, and counts it.
func TestSink(t *testing.T) {
	in := []types.Type{bigint, types.MakeVarChar(9), bigint} // the last one is hidden
	shown := in[:2]
	for seed := range int64(20) {
		rng := rand.New(rand.NewSource(seed))
		batches := optest.Generator{Inputs: [][]types.Type{in}, Values: 4, Nulls: 10}.Batches(rng, 6, 40)
		for _, budget := range []int{1, 7, 4096} {
			net := operators.NewSink(operators.SinkSpec{Input: shown, Net: true}, operators.Env{Node: "Sink"})
			count := operators.NewSink(operators.SinkSpec{Input: shown, Net: true, Count: true}, operators.Env{Node: "Sink"})
			plain := operators.NewSink(operators.SinkSpec{Input: shown}, operators.Env{Node: "Sink"})
			for id, b := range batches {
				want := netText(&batch.Chunk{Cols: b[0].Cols[:2], N: b[0].N, Weights: b[0].Weights})
				for _, s := range []*operators.Sink{net, count, plain} {
					stepSink(t, s, uint64(id+1), budget, b[0], rng.Intn(b[0].N+1))
				}
				var came, went int64
				for _, n := range want {
					came, went = came+max(n, 0), went-min(n, 0)
				}
				got := joined(shown, net.Changes())
				if got.N != len(want) || !maps.Equal(netText(got), want) {
					t.Fatalf("seed %d, budget %d: got %s, want %v", seed, budget, got, want)
				}
				if got := joined(shown, plain.Changes()); !maps.Equal(netText(got), want) {
					t.Fatalf("seed %d, budget %d: not consolidated: got %s, want %v", seed, budget, got, want)
				}
				if c, w := count.Counts(); c != came || w != went || count.Changes() != nil {
					t.Fatalf("seed %d, budget %d: counted %d and %d, want %d and %d", seed, budget, c, w, came, went)
				}
			}
		}
	}
}

// stepSink gives a batch to a sink in two chunks.
func stepSink(t *testing.T, s *operators.Sink, id uint64, budget int, c *batch.Chunk, at int) {
	t.Helper()
	s.Begin(&operators.Batch{ID: id})
	for _, piece := range []*batch.Chunk{c.Slice(0, at), c.Slice(at, c.N)} {
		if piece.N > 0 {
			s.Push(0, piece)
		}
		for st := operators.More; st == operators.More; {
			var err error
			if st, err = s.Step(budget, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.CloseInput(0)
	for st := operators.More; st == operators.More; {
		var err error
		if st, err = s.Step(budget, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// netText is how often each row is there.
func netText(c *batch.Chunk) map[string]int64 {
	out := map[string]int64{}
	for _, r := range consolidated(c) {
		out[string(r.c.AppendRow(nil, r.i))] = r.n
	}
	return out
}

func joined(ts []types.Type, chunks []*batch.Chunk) *batch.Chunk {
	out := batch.New(ts, 16)
	for _, c := range chunks {
		for i := range c.N {
			out.AppendFrom(c, i, c.Weight(i))
		}
	}
	return out
}
