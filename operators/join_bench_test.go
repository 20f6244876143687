package operators_test

import (
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// BenchmarkJoin probes 100 K right rows, one for each key, with left rows that
// come and go.
func BenchmarkJoin(b *testing.B) {
	for _, c := range []struct {
		name string
		kind operators.JoinKind
	}{{"inner", operators.InnerJoin}, {"left", operators.LeftJoin}} {
		b.Run(c.name, func(b *testing.B) { probe(b, c.kind) })
	}
}

func probe(b *testing.B, kind operators.JoinKind) {
	const rows = 100_000
	in := []types.Type{bigint, bigint}
	j, err := operators.NewJoin(operators.JoinSpec{Kind: kind, Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}}, operators.Env{})
	if err != nil {
		b.Fatal(err)
	}
	id := uint64(0)
	feed := func(side int, c *batch.Chunk) {
		id++
		j.Begin(&operators.Batch{ID: id})
		j.Push(side, c)
		j.CloseInput(0)
		j.CloseInput(1)
		for status := operators.More; status == operators.More; {
			if status, err = j.Step(4096, func(*batch.Chunk) {}); err != nil {
				b.Fatal(err)
			}
		}
	}
	chunk := func(first, n int, w int64) *batch.Chunk {
		c := batch.New(in, n)
		for i := range n {
			c.Cols[0].AppendInt(int64((first + i) * 7919 % rows))
			c.Cols[1].AppendInt(int64(i))
			c.PushWeight(w)
		}
		return c
	}
	for at := 0; at < rows; at += batch.TargetRows {
		feed(1, chunk(at, min(batch.TargetRows, rows-at), 1))
	}
	var come, leave []*batch.Chunk
	for k := range 8 {
		come = append(come, chunk(k*batch.TargetRows, batch.TargetRows, 1))
		leave = append(leave, chunk(k*batch.TargetRows, batch.TargetRows, -1))
	}
	b.ResetTimer()
	for k := range b.N {
		if k/8%2 == 0 {
			feed(0, come[k%8])
		} else {
			feed(0, leave[k%8])
		}
	}
	b.ReportMetric(float64(b.N)*batch.TargetRows/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
