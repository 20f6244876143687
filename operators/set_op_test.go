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

// setOpTwin counts each row in every input, and applies the definitions.
func setOpTwin(spec operators.SetOpSpec) func([]*batch.Chunk) *batch.Chunk {
	return func(in []*batch.Chunk) *batch.Chunk {
		counts := make([]map[string]int64, len(in))
		rows := map[string]row{}
		for k, c := range in {
			counts[k] = map[string]int64{}
			for _, r := range consolidated(c) {
				t := text(r.c, r.i, []int{0, 1}[:len(spec.Input)])
				counts[k][t], rows[t] = r.n, r
			}
		}
		out := batch.New(spec.Input, 16)
		for t, r := range rows {
			n := counts[0][t]
			rest := int64(0)
			for _, c := range counts[1:] {
				rest += c[t]
				if spec.Kind == operators.Intersect {
					n = min(n, c[t])
				}
			}
			switch {
			case spec.Kind == operators.Intersect:
			case spec.All:
				n = max(0, n-rest)
			case rest > 0:
				n = 0
			}
			if !spec.All {
				n = min(n, 1)
			}
			if n > 0 {
				out.AppendFrom(r.c, r.i, n)
			}
		}
		return out
	}
}

func TestSetOpAgainstTwin(t *testing.T) {
	for seed := range int64(12) {
		input := []types.Type{bigint, varchar}[:1+seed/6]
		spec := operators.SetOpSpec{Kind: operators.SetOpKind(seed % 2), All: seed/2%2 == 0, Input: input, Inputs: 2 + int(seed)%3}
		var inputs [][]types.Type
		var keys [][]int
		for range spec.Inputs {
			inputs, keys = append(inputs, input), append(keys, []int{0, 1}[:len(input)])
		}
		gen := optest.Generator{Inputs: inputs, Values: 3, Nulls: 20}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			optest.Case{
				New:    func() (operators.Operator, error) { return operators.NewSetOp(spec, operators.Env{Node: "SetOp"}) },
				Inputs: inputs, Keys: keys, Batches: gen.Batches(rand.New(rand.NewSource(seed)), 8, 20), Twin: setOpTwin(spec),
			}.Run(t)
		})
	}
}

// A row that no input has any more is forgotten.
func TestSetOpForgets(t *testing.T) {
	in := []types.Type{bigint}
	op, err := operators.NewSetOp(operators.SetOpSpec{Kind: operators.Except, Input: in, Inputs: 2}, operators.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for id, text := range []string{"+1 7", "-1 7"} {
		op.Begin(&operators.Batch{ID: uint64(id)})
		for k := range 2 {
			op.Push(k, batch.MustParse(in, text))
			op.CloseInput(k)
		}
		if _, err := op.Step(100, func(c *batch.Chunk) { t.Errorf("batch %d gives %s", id, c) }); err != nil {
			t.Fatal(err)
		}
		if n := op.States()[0].Rows(); n != int64(1-id) {
			t.Errorf("after batch %d there are %d rows of state", id, n)
		}
	}
}

func TestSetOpRefusesWhatWasNeverThere(t *testing.T) {
	in := []types.Type{bigint}
	op, err := operators.NewSetOp(operators.SetOpSpec{Input: in, Inputs: 2}, operators.Env{Node: "SetOp 3"})
	if err != nil {
		t.Fatal(err)
	}
	op.Begin(&operators.Batch{})
	op.Push(1, batch.MustParse(in, "-1 7"))
	op.CloseInput(0)
	op.CloseInput(1)
	_, err = op.Step(100, func(*batch.Chunk) {})
	if want := "SetOp 3: a row is -1 times in input 1: a retraction of what was never inserted"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
