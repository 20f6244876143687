package operators_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// overTwin numbers, looks up and adds up each row's frame anew.
func overTwin(spec operators.OverSpec) func([]*batch.Chunk) *batch.Chunk {
	out := append([]types.Type(nil), spec.Input...)
	for _, f := range spec.Funcs {
		out = append(out, f.Type)
	}
	return func(in []*batch.Chunk) *batch.Chunk {
		c := batch.New(out, 16)
		for _, rows := range inOrder(in[0], spec.Partition, spec.Order) {
			keys := make([][]byte, len(rows))
			for i, r := range rows {
				keys[i] = orderKey(r.c, r.i, spec.Order)
			}
			for i, r := range rows {
				for k := range spec.Input {
					c.Cols[k].AppendFrom(r.c.Cols[k], r.i)
				}
				for k, f := range spec.Funcs {
					overResult(spec, f, rows, keys, i, c.Cols[len(spec.Input)+k])
				}
				c.PushWeight(1)
			}
		}
		return c
	}
}

func overResult(spec operators.OverSpec, f operators.OverFunc, rows []row, keys [][]byte, i int, out *vector.Vector) {
	n := len(rows)
	lo, hi, dense := i, i+1, 0 // peers
	for lo > 0 && bytes.Equal(keys[lo-1], keys[i]) {
		lo--
	}
	for hi < n && bytes.Equal(keys[hi], keys[i]) {
		hi++
	}
	for k := 1; k <= lo; k++ {
		if !bytes.Equal(keys[k], keys[k-1]) {
			dense++
		}
	}
	value := func(at, arg int) { out.AppendFrom(rows[at].c.Cols[f.Args[arg]], rows[at].i) }
	var frame []int
	for k := range rows {
		if inFrame(spec, f.Frame, rows, keys, i, k) {
			frame = append(frame, k)
		}
	}
	pick := func(at int) {
		if at < 0 || at >= len(frame) {
			out.AppendNull()
		} else {
			value(frame[at], 0)
		}
	}
	neighbour := func(at int) {
		switch {
		case at >= 0 && at < n:
			value(at, 0)
		case len(f.Args) > 1:
			value(i, 1)
		default:
			out.AppendNull()
		}
	}
	switch f.Func {
	case operators.WindowRowNumber:
		out.AppendInt(int64(i + 1))
	case operators.WindowRank:
		out.AppendInt(int64(lo + 1))
	case operators.WindowDenseRank:
		out.AppendInt(int64(dense + 1))
	case operators.WindowPercentRank:
		out.AppendFloat(float64(lo) / float64(max(n-1, 1)))
	case operators.WindowCumeDist:
		out.AppendFloat(float64(hi) / float64(n))
	case operators.WindowNtile:
		tile, left := 1, 0
		for k := 0; k <= i; k++ {
			if left == 0 && k > 0 {
				tile++
			}
			if left == 0 {
				left = n / int(f.N)
				if tile <= n%int(f.N) {
					left++
				}
			}
			left--
		}
		out.AppendInt(int64(tile))
	case operators.WindowLag:
		neighbour(i - int(f.N))
	case operators.WindowLead:
		neighbour(i + int(f.N))
	case operators.WindowFirst:
		pick(0)
	case operators.WindowLast:
		pick(len(frame) - 1)
	case operators.WindowNth:
		pick(int(f.N) - 1)
	default:
		var in []row
		for _, k := range frame {
			in = append(in, rows[k])
		}
		aggregateTwin(f.Call, in, out)
	}
}

// inFrame reports whether row k is in the frame of row i.
func inFrame(spec operators.OverSpec, f operators.Frame, rows []row, keys [][]byte, i, k int) bool {
	group := func(i int) int {
		g := 0
		for j := 1; j <= i; j++ {
			if !bytes.Equal(keys[j], keys[j-1]) {
				g++
			}
		}
		return g
	}
	// side is how k stands to the bound: −1 before it, 1 behind it.
	side := func(b operators.Bound) int {
		at, to := k, i
		switch {
		case b.Kind == operators.UnboundedPreceding:
			return 1
		case b.Kind == operators.UnboundedFollowing:
			return -1
		case f.Unit == operators.FrameGroups:
			at, to = group(k), group(i)
		case f.Unit == operators.FrameRange && b.Kind == operators.CurrentRow:
			return bytes.Compare(keys[k], keys[i])
		case f.Unit == operators.FrameRange:
			moved := &batch.Chunk{Cols: append([]*vector.Vector(nil), rows[i].c.Cols...)}
			moved.Cols[spec.Order[0].Col] = moved.Cols[b.Col]
			return bytes.Compare(keys[k], orderKey(moved, rows[i].i, spec.Order))
		}
		switch b.Kind {
		case operators.Preceding:
			to -= int(b.N)
		case operators.Following:
			to += int(b.N)
		}
		return at - to
	}
	return side(f.Start) >= 0 && side(f.End) <= 0
}

// overInput are the columns of the tests: partition, key, key − 1, key + 2, text,
// decimal, double. randomOver makes functions over them.
var overInput = []types.Type{bigint, bigint, bigint, bigint, varchar, dec, double}

func randomFrame(rng *rand.Rand, order []operators.OrderKey) operators.Frame {
	f := operators.Frame{Unit: operators.FrameUnit(rng.Intn(3))}
	byKey := len(order) == 1 && order[0].Col == 1
	kind := func() operators.Bound {
		b := operators.Bound{Kind: operators.BoundKind(rng.Intn(5)), N: int64(rng.Intn(4))}
		if f.Unit == operators.FrameRange && !byKey && (b.Kind == operators.Preceding || b.Kind == operators.Following) {
			b.Kind = operators.CurrentRow
		}
		if back := b.Kind == operators.Preceding; byKey && back != order[0].Desc {
			b.Col = 2
		} else {
			b.Col = 3
		}
		return b
	}
	for {
		f.Start, f.End = kind(), kind()
		if f.Start.Kind <= f.End.Kind && f.Start.Kind != operators.UnboundedFollowing && f.End.Kind != operators.UnboundedPreceding {
			return f
		}
	}
}

func randomOver(t testing.TB, rng *rand.Rand) operators.OverSpec {
	spec := operators.OverSpec{Input: overInput, Partition: [][]int{{}, {0}, {4}}[rng.Intn(3)]}
	switch rng.Intn(4) {
	case 0:
	case 1:
		spec.Order = []operators.OrderKey{{Col: 4, Desc: true}, {Col: 1}}
	default:
		spec.Order = []operators.OrderKey{{Col: 1, Desc: rng.Intn(2) == 0}}
	}
	number, share := operators.NumberType(), types.MakeDouble()
	for range 1 + rng.Intn(4) {
		f := operators.OverFunc{Func: operators.WindowFunc(rng.Intn(12)), N: int64(rng.Intn(4)), Frame: randomFrame(rng, spec.Order)}
		arg := rng.Intn(len(overInput))
		f.Args, f.Type = []int{arg}, overInput[arg]
		switch f.Func {
		case operators.WindowAggregate:
			name := []string{"count", "sum", "avg", "min", "max", "bit_or"}[rng.Intn(6)]
			if arg = []int{1, 5, 6}[rng.Intn(3)]; name == "bit_or" {
				arg = 1
			} else if name == "max" || name == "min" {
				arg = 1 + rng.Intn(6)
			}
			f.Args, f.Call = nil, call(t, overInput, name, false, arg)
			f.Type = f.Call.Type
		case operators.WindowPercentRank, operators.WindowCumeDist:
			f.Type = share
		case operators.WindowRowNumber, operators.WindowRank, operators.WindowDenseRank:
			f.Type = number
		case operators.WindowNtile:
			f.Type, f.N = number, f.N+1
		case operators.WindowNth:
			f.N++
		case operators.WindowLag, operators.WindowLead:
			if rng.Intn(2) == 0 {
				f.Args = append(f.Args, arg)
			}
		}
		spec.Funcs = append(spec.Funcs, f)
	}
	return spec
}

// keyed sets columns 2 and 3 to the key less 1 and more 2.
func keyed(batches [][]*batch.Chunk) [][]*batch.Chunk {
	for _, b := range batches {
		key := b[0].Cols[1]
		for k, d := range map[int]int64{2: -1, 3: 2} {
			v := vector.New(bigint, b[0].N)
			for i := range b[0].N {
				if key.IsNull(i) {
					v.AppendNull()
				} else {
					v.AppendInt(key.I[i] + d)
				}
			}
			b[0].Cols[k] = v
		}
	}
	return batches
}

func TestOverAgainstTwin(t *testing.T) {
	for seed := range int64(150) {
		rng := rand.New(rand.NewSource(seed))
		spec := randomOver(t, rng)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gen := optest.Generator{Inputs: [][]types.Type{overInput}, Values: 2 + rng.Intn(8), Nulls: 15}
			optest.Case{
				New:    func() (operators.Operator, error) { return operators.NewOver(spec, operators.Env{Node: "Over"}) },
				Inputs: gen.Inputs, Keys: partable(spec.Partition), Batches: keyed(gen.Batches(rng, 6, 30)), Twin: overTwin(spec),
			}.Run(t)
		})
	}
}

// fewChanges are a batch of about rows rows, and n of few changes each: rows come and
// go, and often one is replaced by one that differs in one column.
func fewChanges(rng *rand.Rand, gen optest.Generator, rows, n int) [][]*batch.Chunk {
	ts := gen.Inputs[0]
	live := batch.New(ts, rows)
	fresh := func() *batch.Chunk {
		for {
			if c := gen.Batches(rng, 1, 3)[0][0]; c.N > 0 {
				return c.Gather([]int32{0})
			}
		}
	}
	for range rows {
		live.AppendFrom(fresh(), 0, 1)
	}
	out := [][]*batch.Chunk{{live.Gather(numbers(live.N))}}
	for range n {
		c := batch.New(ts, 8)
		for range 1 + rng.Intn(3) {
			now := fresh()
			if kind := rng.Intn(4); kind > 0 && live.N > 0 { // a row goes, or is replaced
				i := rng.Intn(live.N)
				c.AppendFrom(live, i, -1)
				if kind == 2 {
					col := rng.Intn(len(ts))
					changed := batch.New(ts, 1)
					for k, v := range changed.Cols {
						if from := live; k == col {
							v.AppendFrom(now.Cols[k], 0)
						} else {
							v.AppendFrom(from.Cols[k], i)
						}
					}
					changed.PushWeight(1)
					now = changed
				}
				live = live.Gather(append(numbers(i), numbers(live.N)[i+1:]...))
				if kind == 3 {
					continue
				}
			}
			c.AppendFrom(now, 0, 1)
			live.AppendFrom(now, 0, 1)
		}
		out = append(out, []*batch.Chunk{c})
	}
	return out
}

func numbers(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// TestOverFewChanges changes few rows of larger partitions, so that it matters which
// rows are looked at.
func TestOverFewChanges(t *testing.T) {
	for seed := range int64(60) {
		rng := rand.New(rand.NewSource(seed))
		spec := randomOver(t, rng)
		spec.Partition = [][]int{{}, {}, {0}}[rng.Intn(3)]
		for i := range spec.Funcs { // mostly aggregates
			if f := &spec.Funcs[i]; rng.Intn(3) > 0 {
				name := []string{"sum", "avg", "min", "max", "bit_or"}[rng.Intn(5)]
				f.Func, f.Args, f.Call = operators.WindowAggregate, nil, call(t, overInput, name, false, 1)
				f.Type = f.Call.Type
			}
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gen := optest.Generator{Inputs: [][]types.Type{overInput}, Values: []int{3, 10, 1000}[rng.Intn(3)], Nulls: 10}
			optest.Case{
				New:    func() (operators.Operator, error) { return operators.NewOver(spec, operators.Env{Node: "Over"}) },
				Inputs: gen.Inputs, Keys: partable(spec.Partition), Batches: keyed(fewChanges(rng, gen, 70, 8)), Twin: overTwin(spec),
			}.Run(t)
		})
	}
}

// TestOverLargePartitions has partitions of some pages, whose frames are put
// together from the tree.
func TestOverLargePartitions(t *testing.T) {
	for seed := range int64(4) {
		rng := rand.New(rand.NewSource(seed))
		spec := randomOver(t, rng)
		spec.Partition, spec.Order = nil, []operators.OrderKey{{Col: 1}}
		spec.Funcs = nil
		for _, name := range []string{"sum", "max", "count"} {
			c := call(t, overInput, name, false, []int{5, 6}[seed%2])
			spec.Funcs = append(spec.Funcs, operators.OverFunc{Call: c, Type: c.Type, Frame: randomFrame(rng, spec.Order)})
		}
		gen := optest.Generator{Inputs: [][]types.Type{overInput}, Values: 5000, Nulls: 5}
		batches := append(keyed(gen.Batches(rng, 2, 1200)), keyed(gen.Batches(rng, 1, 3))...)
		want := overTwin(spec)
		var all []*batch.Chunk
		sum := batch.New(overInput, 16)
		op, err := operators.NewOver(spec, operators.Env{Node: "Over"})
		if err != nil {
			t.Fatal(err)
		}
		for id, b := range batches[:2] {
			op.Begin(&operators.Batch{ID: uint64(id)})
			op.Push(0, b[0])
			op.CloseInput(0)
			if _, err := op.Step(1<<30, func(c *batch.Chunk) { all = append(all, c) }); err != nil {
				t.Fatal(err)
			}
			for i := range b[0].N {
				sum.AppendFrom(b[0], i, b[0].Weight(i))
			}
			if got, want := batch.Text(all...), batch.Text(want([]*batch.Chunk{sum})); got != want {
				t.Fatalf("seed %d batch %d: other results", seed, id)
			}
		}
	}
}
