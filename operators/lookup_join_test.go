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

// outside is a table outside: rows by their first column.
type outside struct {
	rows  *batch.Chunk
	later bool // it answers on another goroutine
	asked int  // keys
}

func (o *outside) Ask(keys *batch.Chunk, a *operators.Answer) {
	o.asked += keys.N
	var sel, of []int32
	for i := range keys.N {
		for r := range o.rows.N {
			if !o.rows.Cols[0].IsNull(r) && o.rows.Cols[0].I[r] == keys.Cols[0].I[i] {
				sel, of = append(sel, int32(r)), append(of, int32(i))
			}
		}
	}
	answer := func() { a.Set(o.rows.Gather(sel), of, nil) }
	if o.later {
		go answer()
	} else {
		answer()
	}
}

func TestLookupJoinAgainstTwin(t *testing.T) {
	for seed := range int64(64) {
		spec, residual := timedSpec(t, seed)
		spec.NullSafe = nil
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(seed))
			right := optest.Generator{Inputs: [][]types.Type{spec.Right}, Values: 4, Unique: []int{0}, AppendOnly: true}.Batches(rng, 1, 6)[0][0]
			gen := optest.Generator{Inputs: [][]types.Type{spec.Left}, Values: 1 + int(seed)%4, Nulls: 20, AppendOnly: spec.AppendOnly}
			twin := temporalTwin(spec, residual)
			optest.Case{
				New: func() (operators.Operator, error) {
					ask := &outside{rows: right, later: seed%3 == 0}
					return operators.NewLookupJoin(operators.LookupSpec{TimedSpec: spec, Columns: []int{0, 1, 2}, Ask: ask}, operators.Env{Node: "LookupJoin"})
				},
				Inputs: gen.Inputs, Keys: [][]int{{0}}, Batches: gen.Batches(rng, 10, 12),
				Replay: func(batches [][]*batch.Chunk) *batch.Chunk {
					none := batch.New(spec.Right, 0)
					both := make([][]*batch.Chunk, len(batches))
					for i, b := range batches {
						both[i] = []*batch.Chunk{b[0], none}
						if i == 0 {
							both[i][1] = right
						}
					}
					return twin(both)
				},
			}.Run(t)
		})
	}
}

// TestLookupJoinWaits: Step says so while the answer is not there, and goes on
// after whoever answers has called.
func TestLookupJoinWaits(t *testing.T) {
	in := []types.Type{bigint, bigint}
	ask := &held{}
	j, err := operators.NewLookupJoin(operators.LookupSpec{TimedSpec: operators.TimedSpec{
		Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}, AppendOnly: true,
	}, Columns: []int{0, 1}, Ask: ask}, operators.Env{})
	if err != nil {
		t.Fatal(err)
	}
	woken := 0
	j.OnAnswer(func() { woken++ })
	var out []*batch.Chunk
	step := func(want operators.Status) {
		t.Helper()
		if s, err := j.Step(1, func(c *batch.Chunk) { out = append(out, c) }); err != nil || s != want {
			t.Fatalf("got %v, %v, want %v", s, err, want)
		}
	}
	j.Begin(&operators.Batch{ID: 1})
	j.Push(0, batch.MustParse(in, "+1 1 10\n+1 2 20\n+2 1 30\n+1 NULL 40"))
	step(operators.Waiting)
	step(operators.Waiting)
	if text := ask.keys.String(); ask.keys.N != 2 {
		t.Fatalf("it asks for\n%s", text)
	}
	ask.answer.Set(batch.MustParse(in, "+1 1 100"), []int32{0}, nil)
	if woken != 1 {
		t.Errorf("woken %d times", woken)
	}
	j.CloseInput(0)
	step(operators.More)
	step(operators.Done)
	if got, want := batch.Text(out...), "+ 1 10 1 100\n+2 1 30 1 100\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// held keeps a question until the test answers it.
type held struct {
	keys   *batch.Chunk
	answer *operators.Answer
}

func (h *held) Ask(keys *batch.Chunk, a *operators.Answer) { h.keys, h.answer = keys, a }
