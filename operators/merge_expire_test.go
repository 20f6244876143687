package operators_test

import (
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Groups that are over are forgotten without a word: what was given out is what a
// Merge that keeps all gives, and nothing is left in any store.
func TestMergeForgets(t *testing.T) {
	in := []types.Type{bigint, types.MakeVarChar(9), bigint, double}
	request := func(r agg.Request, k int) agg.Call {
		r.Args = []*expr.Expr{expr.NewColumn(k, "c", in[k])}
		c, err := r.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for seed := range int64(24) {
		rng := rand.New(rand.NewSource(seed))
		appendOnly := seed%2 == 0
		calls := []agg.Call{
			call(t, in, "count", false), call(t, in, "max", false, 1), call(t, in, "sum", false, 0), call(t, in, "count", true, 1),
			call(t, in, "count", true, 0), call(t, in, "sum", true, 0), call(t, in, "min", false, 2), request(agg.Request{Fn: "group_concat", Separator: ",", MaxLen: 1024}, 1),
			request(agg.Request{Fn: "median", Fraction: 0.5}, 3),
		}
		spec := operators.AggSpec{
			Input: in, Keys: []int{0, 2}, Aggs: calls, AppendOnly: appendOnly,
			Expiry: &operators.Expiry{Col: 1, Watermark: operators.Watermark{{Table: 1}}},
		}
		if seed%3 == 0 { // by a result that moves on
			spec.Keys, spec.Expiry.Col = []int{0}, 1+6
			spec.Aggs = append(calls[:6:6], call(t, in, "max", false, 2))
		}
		if seed%3 == 1 {
			spec.Bounds, spec.Step = []int{1}, 1+seed%4
		}
		batches := optest.Generator{Inputs: [][]types.Type{in}, Values: 30, AppendOnly: appendOnly}.Batches(rng, 10, 50)
		watermarks := rising(rng, 10, 15)
		keys := [][]int{{0}}
		if len(spec.Keys) == 2 {
			notOver(batches, 0, 2, watermarks)
		} else {
			watermarks = make([]int64, 10) // nothing is over before the end
			for i := range watermarks {
				watermarks[i] = -100
			}
		}
		var last *operators.Merge
		optest.Case{
			New: func() (operators.Operator, error) {
				var err error
				last, err = operators.NewMerge(spec, operators.Env{Node: "Merge"})
				return last, err
			},
			Inputs: [][]types.Type{in}, Keys: keys, Batches: batches, At: atWatermark(watermarks), Twin: mergeTwin(spec),
		}.Run(t)
		m, err := operators.NewMerge(spec, operators.Env{Node: "Merge"})
		if err != nil {
			t.Fatal(err)
		}
		for id, b := range batches {
			forgets(t, m, uint64(id), watermarks[id], b[0], 7)
		}
		forgets(t, m, 10, 100, batch.New(in, 0), 1)
		for k, s := range m.States()[:len(m.States())-1] {
			if s.Rows() != 0 {
				t.Fatalf("seed %d: store %d keeps %d rows", seed, k, s.Rows())
			}
		}
	}
}

// forgets runs a batch through op, and takes no notice of what comes out.
func forgets(t *testing.T, op operators.Operator, id uint64, watermark int64, c *batch.Chunk, budget int) {
	t.Helper()
	op.Begin(&operators.Batch{ID: id, Watermarks: map[uint64]int64{1: watermark}})
	op.Push(0, c)
	op.CloseInput(0)
	for {
		status, err := op.Step(budget, func(*batch.Chunk) {})
		if err != nil {
			t.Fatal(err)
		}
		if status == operators.Done {
			return
		}
	}
}

// A session is forgotten when no row can reach it any more, with its rows and its key.
func TestSessionForgets(t *testing.T) {
	in := sessionInput
	for seed := range int64(10) {
		rng := rand.New(rand.NewSource(seed))
		spec := sessionSpec(rng)
		spec.Over = operators.Watermark{{Table: 1}}
		s, err := operators.NewSession(spec, operators.Env{Node: "Session"})
		if err != nil {
			t.Fatal(err)
		}
		for id, b := range (optest.Generator{Inputs: [][]types.Type{in}, Values: 40}).Batches(rng, 8, 60) {
			forgets(t, s, uint64(id), -100, b[0], 1+rng.Intn(9))
		}
		kept := s.States()[2].Rows()
		forgets(t, s, 8, 5, batch.New(in, 0), 3)
		if n := s.States()[2].Rows(); kept > 40 && (n == 0 || n == kept) {
			t.Fatalf("of %d rows %d are kept at 5", kept, n)
		}
		forgets(t, s, 9, 100, batch.New(in, 0), 1)
		for k, st := range s.States()[:3] {
			if st.Rows() != 0 {
				t.Fatalf("seed %d: store %d keeps %d rows", seed, k, st.Rows())
			}
		}
	}
}
