package operators_test

import (
	"math/rand"
	"runtime"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// bidsInTime are n bids from number first on, 10 000 in a second: each for the hot
// auction or one of the hundred newest, of which there is one in 16 bids.
func bidsInTime(rng *rand.Rand, first, n int) []*batch.Chunk {
	var out []*batch.Chunk
	for at := first; at < first+n; at += batch.TargetRows {
		c := batch.New([]types.Type{bigint, bigint, moment, moment}, batch.TargetRows)
		for i := at; i < at+batch.TargetRows; i++ {
			auction := i / 16
			if rng.Intn(2) == 0 {
				auction -= auction % 100
			} else {
				auction -= rng.Intn(100)
			}
			c.Cols[0].AppendInt(int64(auction))
			c.Cols[1].AppendInt(rng.Int63n(10_000_000))
			c.Cols[2].AppendInt(int64(i) * 100)
			c.Cols[3].AppendInt(int64(i)*100 - 4_000_000)
			c.N++
		}
		out = append(out, c)
	}
	return out
}

// chain runs operators one behind the other, each batch to its end.
type chain []operators.Operator

func (ops chain) run(b testing.TB, at *operators.Batch, in []*batch.Chunk) (rows int) {
	for _, op := range ops {
		op.Begin(at)
		for _, c := range in {
			op.Push(0, c)
		}
		op.CloseInput(0)
		in = nil
		for s := operators.More; s == operators.More; {
			var err error
			if s, err = op.Step(1<<14, func(c *batch.Chunk) { in = append(in, c) }); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, c := range in {
		rows += c.N
	}
	return rows
}

const benchTable = 7

func made[T operators.Operator](op T, err error) operators.Operator {
	if err != nil {
		panic(err)
	}
	return op
}

// BenchmarkHotItems is Nexmark's q5: the auctions with the most bids of each
// hopping window, batch by batch. The time is that of one bid.
func BenchmarkHotItems(b *testing.B) {
	const second = 1_000_000
	env := operators.Env{}
	closes := operators.Watermark{{Table: benchTable, Delay: 0}}
	in := []types.Type{bigint, bigint, moment, moment}
	number := types.Type{Kind: types.BigInt, NotNull: true}
	count := []agg.Call{{Fn: "count", Type: number}}
	panes := operators.WindowSpec{
		Input: in, Kind: operators.Hop, Form: operators.IntoPanes, Time: 2, Size: 10 * second, Slide: 2 * second, Keep: []int{0}, Bound: moment,
		Lateness: operators.Lateness{Late: 3},
	}
	of := panes
	of.Input, of.Form, of.Time, of.Count, of.Keep = []types.Type{bigint, moment, number, number}, operators.OfPanes, 1, 2, []int{0, 3}
	keyed := []types.Type{bigint, number, moment, moment}
	counted := []types.Type{bigint, moment, moment, number}
	top := operators.TopNSpec{Input: counted, Partition: []int{1, 2}, Order: []operators.OrderKey{{Col: 3, Desc: true}}, Func: operators.Rank, Limit: 1,
		Expiry: &operators.Expiry{Col: 2, Watermark: closes}}
	ops := chain{
		operators.NewWindow(panes, env),
		made(operators.NewReduce(operators.AggSpec{Input: []types.Type{bigint, moment, number}, Keys: []int{0, 1, 2}, Aggs: count, AppendOnly: true}, env)),
		operators.NewWindow(of, env),
		made(operators.NewMap(operators.MapSpec{Project: columnsAt(keyed, 0, 2, 3, 1)}, keyed, env)),
		made(operators.NewMerge(operators.AggSpec{Input: counted, Keys: []int{0, 1, 2}, Aggs: count, Partial: true, AppendOnly: true,
			Expiry: &operators.Expiry{Col: 2, Watermark: closes}}, env)),
		operators.NewLeadersOfBatch(top),
		operators.NewLeaders(top, env),
	}
	runBids(b, ops)
}

// BenchmarkHighestBids is Nexmark's q7: the highest bids of each tumbling window.
func BenchmarkHighestBids(b *testing.B) {
	const second = 1_000_000
	in := []types.Type{bigint, bigint, moment, moment}
	spec := operators.WindowSpec{
		Input: in, Kind: operators.Tumble, Time: 2, Size: 10 * second, Slide: 10 * second, Keep: []int{0, 1, 2}, Bound: moment, Lateness: operators.Lateness{Late: 3},
	}
	top := operators.TopNSpec{
		Input: []types.Type{bigint, bigint, moment, moment, moment}, Partition: []int{3, 4}, Order: []operators.OrderKey{{Col: 1, Desc: true}}, Func: operators.Rank, Limit: 1,
		Expiry: &operators.Expiry{Col: 4, Watermark: operators.Watermark{{Table: benchTable}}},
	}
	runBids(b, chain{operators.NewWindow(spec, operators.Env{}), operators.NewLeadersOfBatch(top), operators.NewLeaders(top, operators.Env{})})
}

// columnsAt are the columns of ts at the positions at.
func columnsAt(ts []types.Type, at ...int) []*expr.Expr {
	var list []*expr.Expr
	for _, k := range at {
		list = append(list, expr.NewColumn(k, "c", ts[k]))
	}
	return list
}

// runBids feeds b.N bids in batches of about what a loaded engine cuts.
func runBids(b *testing.B, ops chain) {
	const perBatch = 32 * batch.TargetRows
	rng := rand.New(rand.NewSource(1))
	runtime.LockOSThread() // the time is that of the thread
	defer runtime.UnlockOSThread()
	b.ReportAllocs()
	at, spent := 0, int64(0)
	for id := uint64(0); at < b.N; id++ {
		b.StopTimer()
		in := bidsInTime(rng, at, perBatch)
		b.StartTimer()
		at += perBatch
		before := optest.ThreadTime()
		ops.run(b, &operators.Batch{ID: id, Watermarks: map[uint64]int64{benchTable: int64(at)*100 - 4_000_000}}, in)
		spent += int64(optest.ThreadTime() - before)
	}
	b.ReportMetric(float64(spent)/float64(at), "cpu-ns/bid")
}
