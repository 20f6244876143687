package operators_test

import (
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

// rising are watermarks that only go forward, for n batches.
func rising(rng *rand.Rand, n, most int) []int64 {
	out := make([]int64, n)
	at := int64(-most)
	for i := range out {
		at += int64(rng.Intn(2 * most / n * 2))
		out[i] = at
	}
	return out
}

// notOver leaves out of each batch the rows whose column col is not above the
// watermark before it, as windows do with late rows.
func notOver(batches [][]*batch.Chunk, in, col int, watermarks []int64) {
	for b := 1; b < len(batches); b++ {
		c := batches[b][in]
		var keep []int32
		for i := range c.N {
			if c.Cols[col].IsNull(i) || c.Cols[col].I[i] > watermarks[b-1] {
				keep = append(keep, int32(i))
			}
		}
		batches[b][in] = c.Gather(keep)
	}
}

func atWatermark(of []int64) func(int, *operators.Batch) {
	return func(last int, b *operators.Batch) { b.Watermarks = map[uint64]int64{1: of[last]} }
}

// Each row comes once, when the watermark has reached its column, as often as it
// is there by then.
func TestEmit(t *testing.T) {
	in := []types.Type{bigint, types.MakeVarChar(9), bigint}
	for seed := range int64(20) {
		rng := rand.New(rand.NewSource(seed))
		batches := optest.Generator{Inputs: [][]types.Type{in}, Values: 30, Nulls: 10}.Batches(rng, 12, 60)
		watermarks := rising(rng, 12, 15)
		notOver(batches, 0, 2, watermarks)
		optest.Case{
			New: func() (operators.Operator, error) {
				spec := operators.EmitSpec{Input: in, Col: 2, Watermark: operators.Watermark{{Table: 1}}}
				return operators.NewEmit(spec, operators.Env{Node: "Emit"}), nil
			},
			Inputs: [][]types.Type{in}, Keys: [][]int{{0, 1}}, Batches: batches, At: atWatermark(watermarks),
			Twin: func(all []*batch.Chunk) *batch.Chunk {
				out := batch.New(in, 16)
				for _, r := range consolidated(all[0]) {
					if v := r.c.Cols[2]; !v.IsNull(r.i) && v.I[r.i] <= watermarks[11] {
						out.AppendFrom(r.c, r.i, r.n)
					}
				}
				return out
			},
		}.Run(t)
	}
}

// Windows of the batch's own time end by themselves.
func TestEmitIsDue(t *testing.T) {
	in := []types.Type{bigint}
	e := operators.NewEmit(operators.EmitSpec{Input: in, Watermark: operators.Watermark{{Table: operators.BatchTime, Delay: 5}}}, operators.Env{})
	run := func(id uint64, now int64, rows ...int64) (out int) {
		e.Begin(&operators.Batch{ID: id, Now: now})
		c := batch.New(in, 1)
		for _, v := range rows {
			c.Cols[0].AppendInt(v)
			c.PushWeight(1)
		}
		e.Push(0, c)
		e.CloseInput(0)
		if _, err := e.Step(100, func(c *batch.Chunk) { out += c.N }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if e.Due() != operators.Never {
		t.Fatal("an empty Emit has nothing to do")
	}
	if n := run(1, 10, 20, 30); n != 0 || e.Due() != 25 {
		t.Fatalf("%d rows, due at %d", n, e.Due())
	}
	if n := run(2, 24); n != 0 {
		t.Fatalf("%d rows before their time", n)
	}
	if n := run(3, 25); n != 1 || e.Due() != 35 {
		t.Fatalf("%d rows, due at %d", n, e.Due())
	}
}
