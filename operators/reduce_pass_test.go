package operators_test

import (
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// TestReducePassesOnWhatItCannotCombine: keys that hardly repeat go through
// uncombined, and what comes out adds up to what went in, NULLs and
// retractions included.
func TestReducePassesOnWhatItCannotCombine(t *testing.T) {
	big := types.MakeBigInt()
	in := []types.Type{big, big}
	var calls []agg.Call
	for _, fn := range []string{"count", "sum"} {
		c, err := agg.Resolve(fn, []*expr.Expr{expr.NewColumn(1, "v", big)}, false)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c)
	}
	r, err := operators.NewReduce(operators.AggSpec{Input: in, Keys: []int{0}, Aggs: calls}, operators.Env{})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 1_500_000 // it passes on a million, beginning and ending within a chunk
	var rowsIn, sumIn, countIn, rowsOut, sumOut, countOut int64
	chunks := 0
	seen := map[int64]bool{}
	take := func(c *batch.Chunk) {
		chunks++
		for _, k := range c.Cols[0].I {
			seen[k] = true
		}
		for i := range c.N {
			rowsOut += c.Weight(i)
			countOut += c.Cols[1].I[i]
			n, _ := c.Cols[2].Wide(i).Int64()
			sumOut += n
		}
	}
	r.Begin(&operators.Batch{ID: 1})
	const size = 10_007
	for from := 0; from < rows; from += size {
		c := batch.New(in, size)
		for k := from; k < from+size; k++ {
			w := int64(1)
			if k%5 == 0 {
				w = -1
			}
			if c.Cols[0].AppendInt(int64(k)); k%7 == 0 {
				c.Cols[1].AppendNull()
			} else {
				c.Cols[1].AppendInt(int64(k % 100))
				sumIn, countIn = sumIn+w*int64(k%100), countIn+w
			}
			rowsIn += w
			c.PushWeight(w)
		}
		r.Push(0, c)
	}
	r.CloseInput(0)
	for {
		st, err := r.Step(700, take)
		if err != nil {
			t.Fatal(err)
		}
		if st == operators.Done {
			break
		}
	}
	if rowsIn != rowsOut || sumIn != sumOut || countIn != countOut {
		t.Errorf("rows %d, sum %d, count %d came out; %d, %d, %d went in", rowsOut, sumOut, countOut, rowsIn, sumIn, countIn)
	}
	if want := (rows + size - 1) / size * size; len(seen) != want {
		t.Errorf("%d keys came out, %d went in", len(seen), want)
	}
	// Combined, they would come in chunks of the budget until the end; passed on, in blocks.
	if chunks < rows/1024 {
		t.Errorf("only %d chunks", chunks)
	}
}
