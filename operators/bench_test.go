package operators_test

import (
	"math/rand"
	"runtime"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/agg"
	"streamsql/sql/types"
)

// bids are chunks of (key, price), as a generator makes them.
func bids(keys, chunks int) []*batch.Chunk {
	rng := rand.New(rand.NewSource(1))
	out := make([]*batch.Chunk, chunks)
	for k := range out {
		c := batch.New([]types.Type{bigint, bigint}, batch.TargetRows)
		for range batch.TargetRows {
			c.Cols[0].AppendInt(int64(rng.Intn(keys)))
			c.Cols[1].AppendInt(int64(rng.Intn(1000)))
			c.PushWeight(1)
		}
		out[k] = c
	}
	return out
}

func drive(b testing.TB, op operators.Operator, id uint64, in []*batch.Chunk, emit func(*batch.Chunk)) {
	op.Begin(&operators.Batch{Changes: true, ID: id})
	step := func() {
		for {
			s, err := op.Step(16384, emit)
			if err != nil {
				b.Fatal(err)
			}
			if s == operators.Done {
				return
			}
		}
	}
	for _, c := range in {
		op.Push(0, c)
		step()
	}
	op.CloseInput(0)
	step()
}

// perRow reports CPU time per row of this thread.
func perRow(b *testing.B, rows int, f func()) {
	start := optest.ThreadTime()
	f()
	b.ReportMetric(float64(optest.ThreadTime()-start)/float64(rows), "cpu-ns/row")
}

func benchSpec(b *testing.B) operators.AggSpec {
	in := []types.Type{bigint, bigint}
	return operators.AggSpec{Input: in, Keys: []int{0}, Aggs: []agg.Call{call(b, in, "count", false), call(b, in, "sum", false, 1)}}
}

// BenchmarkReduce combines batches of 64 K rows over 10 K keys.
func BenchmarkReduce(b *testing.B) {
	r, err := operators.NewReduce(benchSpec(b), operators.Env{})
	if err != nil {
		b.Fatal(err)
	}
	in := bids(10_000, 16)
	rows := int64(0)
	id := uint64(0)
	run := func(n int) {
		for range n {
			id++
			drive(b, r, id, in, func(c *batch.Chunk) {
				for i := range c.N {
					rows += c.Weight(i)
				}
			})
		}
	}
	run(1)
	rows = 0
	b.ReportAllocs()
	runtime.LockOSThread() // its CPU time is measured
	defer runtime.UnlockOSThread()
	b.ResetTimer()
	perRow(b, b.N*16*batch.TargetRows, func() { run(b.N) })
	if rows != int64(b.N*16*batch.TargetRows) {
		b.Fatalf("%d rows in the partials, want %d", rows, b.N*16*batch.TargetRows)
	}
}

// mergeInput are partials of 8 K rows a batch over the keys.
func mergeInput(b *testing.B, keys, batches int) (operators.AggSpec, [][]*batch.Chunk) {
	spec := benchSpec(b)
	r, err := operators.NewReduce(spec, operators.Env{})
	if err != nil {
		b.Fatal(err)
	}
	all := bids(keys, 2*batches)
	out := make([][]*batch.Chunk, batches)
	for k := range out {
		drive(b, r, uint64(k), all[2*k:2*k+2], func(c *batch.Chunk) { out[k] = append(out[k], c) })
	}
	spec.Input, spec.Partial = r.Types(), true
	return spec, out
}

func benchmarkMerge(b *testing.B, keys int) {
	spec, in := mergeInput(b, keys, 64)
	m, err := operators.NewMerge(spec, operators.Env{})
	if err != nil {
		b.Fatal(err)
	}
	count := int64(0) // of all groups: the sum of the count column of the changelog
	id := uint64(0)
	partials := 0
	run := func(c []*batch.Chunk) {
		id++
		drive(b, m, id, c, func(c *batch.Chunk) {
			for i := range c.N {
				count += c.Weight(i) * c.Cols[1].I[i]
			}
		})
	}
	fill := batch.New(spec.Input, keys)
	for k := range keys {
		fill.Cols[0].AppendInt(int64(k))
		fill.Cols[1].AppendInt(1)
		fill.Cols[2].AppendInt(5)
		fill.Cols[3].AppendInt(1)
		fill.PushWeight(1)
	}
	run([]*batch.Chunk{fill})
	count = 0
	b.ReportAllocs()
	runtime.LockOSThread() // its CPU time is measured
	defer runtime.UnlockOSThread()
	b.ResetTimer()
	start := optest.ThreadTime()
	for k := range b.N {
		for _, c := range in[k%len(in)] {
			partials += c.N
		}
		run(in[k%len(in)])
	}
	b.ReportMetric(float64(optest.ThreadTime()-start)/float64(partials), "cpu-ns/partial")
	if count != int64(b.N*2*batch.TargetRows) {
		b.Fatalf("the counts grew by %d, want %d", count, b.N*2*batch.TargetRows)
	}
}

func BenchmarkMerge10K(b *testing.B) { benchmarkMerge(b, 10_000) }
func BenchmarkMerge1M(b *testing.B)  { benchmarkMerge(b, 1_000_000) }

// BenchmarkView1M applies retractions and insertions, as a Merge gives them, to
// a keyed view of 1 M rows.
func BenchmarkView1M(b *testing.B) {
	const keys = 1_000_000
	in := []types.Type{bigint, bigint}
	v, err := operators.NewView(operators.ViewSpec{Input: in, Key: []int{0}}, operators.Env{})
	if err != nil {
		b.Fatal(err)
	}
	value := make([]int64, keys)
	fill := batch.New(in, keys)
	for k := range keys {
		fill.Cols[0].AppendInt(int64(k))
		fill.Cols[1].AppendInt(0)
		fill.PushWeight(1)
	}
	drive(b, v, 0, []*batch.Chunk{fill}, nil)
	rng := rand.New(rand.NewSource(1))
	b.ReportAllocs()
	runtime.LockOSThread() // its CPU time is measured
	defer runtime.UnlockOSThread()
	b.ResetTimer()
	b.StopTimer()
	var spent int64
	for k := range b.N {
		c := batch.New(in, 8192)
		for range 4096 {
			key := rng.Intn(keys)
			c.Cols[0].AppendInt(int64(key))
			c.Cols[1].AppendInt(value[key])
			c.PushWeight(-1)
			value[key]++
			c.Cols[0].AppendInt(int64(key))
			c.Cols[1].AppendInt(value[key])
			c.PushWeight(1)
		}
		b.StartTimer()
		start := optest.ThreadTime()
		drive(b, v, uint64(k+1), []*batch.Chunk{c}, nil)
		spent += int64(optest.ThreadTime() - start)
		b.StopTimer()
	}
	b.ReportMetric(float64(spent)/float64(b.N*8192), "cpu-ns/row")
	if v.Rows() != keys {
		b.Fatalf("%d rows", v.Rows())
	}
}
