package operators_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"sort"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// inOrder are the rows of a bag by partition, each in order and as often as it
// is there.
func inOrder(in *batch.Chunk, partition []int, order []operators.OrderKey) map[string][]row {
	parts := map[string][]row{}
	for _, r := range consolidated(in) {
		p := text(in, r.i, partition)
		for range r.n {
			parts[p] = append(parts[p], row{r.c, r.i, 1})
		}
	}
	for _, rows := range parts {
		sort.SliceStable(rows, func(i, j int) bool {
			a, b := orderKey(in, rows[i].i, order), orderKey(in, rows[j].i, order)
			if c := bytes.Compare(a, b); c != 0 {
				return c < 0
			}
			return bytes.Compare(rowKey(in, rows[i].i), rowKey(in, rows[j].i)) < 0
		})
	}
	return parts
}

func orderKey(c *batch.Chunk, i int, order []operators.OrderKey) (b []byte) {
	for _, k := range order {
		b = state.AppendOrderedKey(b, c.Cols[k.Col], i, k.Desc)
	}
	return b
}

func rowKey(c *batch.Chunk, i int) (b []byte) {
	for _, v := range c.Cols {
		b = state.AppendOrdered(b, v, i, false)
	}
	return b
}

func topNTwin(spec operators.TopNSpec) func([]*batch.Chunk) *batch.Chunk {
	out := append([]types.Type(nil), spec.Input...)
	if spec.Number {
		out = append(out, operators.NumberType())
	}
	return func(in []*batch.Chunk) *batch.Chunk {
		c := batch.New(out, 16)
		for _, rows := range inOrder(in[0], spec.Partition, spec.Order) {
			rank, dense := 0, 0
			for i, r := range rows {
				if i == 0 || !bytes.Equal(orderKey(r.c, r.i, spec.Order), orderKey(r.c, rows[i-1].i, spec.Order)) {
					rank, dense = i+1, dense+1
				}
				n := []int{i + 1, rank, dense}[spec.Func]
				if int64(n) <= spec.Offset || spec.Limit >= 0 && int64(n) > spec.Offset+spec.Limit {
					continue
				}
				for k := range spec.Input {
					c.Cols[k].AppendFrom(r.c.Cols[k], r.i)
				}
				if spec.Number {
					c.Cols[len(spec.Input)].AppendInt(int64(n))
				}
				c.PushWeight(1)
			}
		}
		return c
	}
}

func TestTopNAgainstTwin(t *testing.T) {
	input := []types.Type{bigint, varchar, dec, double}
	for seed := range int64(72) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.TopNSpec{
			Input: input, Func: operators.RankFunc(seed % 3), Number: seed/3%2 == 1, AppendOnly: seed/6%4 == 3,
			Limit: int64(rng.Intn(6)), Offset: int64(rng.Intn(3) * rng.Intn(5)), Partition: [][]int{{}, {0}, {1}, {1, 2}}[rng.Intn(4)],
		}
		if rng.Intn(8) == 0 {
			spec.Limit = -1
		}
		for range rng.Intn(3) {
			spec.Order = append(spec.Order, operators.OrderKey{Col: rng.Intn(4), Desc: rng.Intn(2) == 0})
		}
		t.Run(fmt.Sprintf("%d %v of %d", spec.Func, spec.Number, seed), func(t *testing.T) {
			gen := optest.Generator{Inputs: [][]types.Type{input}, Values: 2 + rng.Intn(6), Nulls: 15, AppendOnly: spec.AppendOnly}
			optest.Case{
				New:    func() (operators.Operator, error) { return operators.NewTopN(spec, operators.Env{Node: "TopN"}) },
				Inputs: gen.Inputs, Keys: partable(spec.Partition), Batches: gen.Batches(rng, 8, 40), Twin: topNTwin(spec),
			}.Run(t)
		})
	}
}

// TestFirstAgainstTwin: of an input that never retracts, the first row of each
// partition.
func TestFirstAgainstTwin(t *testing.T) {
	input := []types.Type{bigint, varchar, dec, double}
	for seed := range int64(48) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.TopNSpec{Input: input, AppendOnly: true, Limit: 1, Number: seed%4 == 1, Partition: [][]int{{}, {0}, {1}, {1, 2}}[seed/4%4]}
		for range rng.Intn(3) {
			spec.Order = append(spec.Order, operators.OrderKey{Col: rng.Intn(4), Desc: rng.Intn(2) == 0})
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gen := optest.Generator{Inputs: [][]types.Type{input}, Values: 2 + rng.Intn(6), Nulls: 15, AppendOnly: true}
			optest.Case{
				New:    func() (operators.Operator, error) { return operators.NewFirst(spec, operators.Env{Node: "TopN"}) },
				Inputs: gen.Inputs, Keys: partable(spec.Partition), Batches: gen.Batches(rng, 8, 40), Twin: topNTwin(spec),
			}.Run(t)
		})
	}
}

// TestFirstFewAgainstTwin: of an input that never retracts, some first rows of each
// partition.
func TestFirstFewAgainstTwin(t *testing.T) {
	input := []types.Type{bigint, varchar, dec, double}
	for seed := range int64(64) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.TopNSpec{
			Input: input, AppendOnly: true, Limit: 1 + int64(rng.Intn(5)), Offset: int64(rng.Intn(3) * rng.Intn(3)), Number: seed%2 == 1,
			Partition: [][]int{{}, {0}, {1}, {1, 2}}[seed/4%4],
		}
		for range rng.Intn(3) {
			spec.Order = append(spec.Order, operators.OrderKey{Col: rng.Intn(4), Desc: rng.Intn(2) == 0})
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gen := optest.Generator{Inputs: [][]types.Type{input}, Values: 2 + rng.Intn(6), Nulls: 15, AppendOnly: true}
			optest.Case{
				New:    func() (operators.Operator, error) { return operators.NewFirstFew(spec, operators.Env{Node: "TopN"}) },
				Inputs: gen.Inputs, Keys: partable(spec.Partition), Batches: gen.Batches(rng, 8, 40), Twin: topNTwin(spec),
			}.Run(t)
		})
	}
}

// served is an operator that is the result.
type served interface {
	operators.Operator
	Changes() []*batch.Chunk
	Snapshot() operators.Image
}

// TestServedFirst: first rows that are the result give the changes that a view
// would, and their image has what these add up to, by key too.
func TestServedFirst(t *testing.T) {
	input := []types.Type{bigint, varchar, dec}
	few := operators.TopNSpec{Input: input, AppendOnly: true, Limit: 3, Number: true, Order: []operators.OrderKey{{Col: 2, Desc: true}}}
	for name, c := range map[string]struct {
		partition, columns, key []int
		few                     bool
	}{
		"one":                {partition: []int{0, 1}, columns: []int{2, 1, 0}, key: []int{1, 2}},
		"one of an integer":  {partition: []int{0}, columns: []int{2, 1, 0}, key: []int{2}},
		"few":                {partition: []int{0, 1}, columns: []int{3, 1, 0, 2}, key: []int{0, 1, 2}, few: true},
		"few of an integer":  {partition: []int{0}, columns: []int{2, 1, 0, 3}, key: []int{3, 2}, few: true},
		"few of all":         {columns: []int{3, 2, 1}, key: []int{0}, few: true},
		"few without number": {partition: []int{1}, columns: []int{1, 0}, few: true},
	} {
		t.Run(name, func(t *testing.T) {
			spec := few
			spec.Partition = c.partition
			if !c.few {
				spec.Limit, spec.Number = 1, false
			}
			testServed(t, spec, c.columns, c.key, func() (served, error) {
				if c.few {
					return operators.NewServedFirstFew(spec, c.columns, c.key, operators.Env{})
				}
				return operators.NewServedFirst(spec, c.columns, c.key, operators.Env{})
			})
		})
	}
}

func testServed(t *testing.T, spec operators.TopNSpec, columns, key []int, build func() (served, error)) {
	pick := func(cols []*vector.Vector, at []int) (out []*vector.Vector) {
		for _, k := range at {
			out = append(out, cols[k])
		}
		return out
	}
	picked := func(in []*batch.Chunk) *batch.Chunk {
		c := topNTwin(spec)(in)
		return &batch.Chunk{Cols: pick(c.Cols, columns), N: c.N, Weights: c.Weights}
	}
	gen := optest.Generator{Inputs: [][]types.Type{spec.Input}, Values: 5, Nulls: 15, AppendOnly: true}
	batches := gen.Batches(rand.New(rand.NewSource(1)), 8, 40)
	optest.Case{
		New: func() (operators.Operator, error) { return build() }, Inputs: gen.Inputs, Batches: batches,
		Changes: func(op operators.Operator) []*batch.Chunk { return op.(served).Changes() }, Twin: picked,
	}.Run(t)
	s, err := build()
	if err != nil {
		t.Fatal(err)
	}
	all := batch.New(spec.Input, 0)
	for id, b := range batches { // nobody asks for changes
		s.Begin(&operators.Batch{ID: uint64(id)})
		s.Push(0, b[0])
		s.CloseInput(0)
		if _, err := s.Step(1<<30, func(*batch.Chunk) {}); err != nil {
			t.Fatal(err)
		}
		for i := range b[0].N {
			all.AppendFrom(b[0], i, b[0].Weight(i))
		}
	}
	im, want := s.Snapshot(), picked([]*batch.Chunk{all})
	defer im.Release()
	var rows []*batch.Chunk
	for scan := im.Scan(); ; {
		c := scan.Next(3)
		if c == nil {
			break
		}
		rows = append(rows, c)
	}
	if got := batch.Text(rows...); got != batch.Text(want) || im.Rows() != int64(want.N) {
		t.Fatalf("%d rows\n%swant\n%s", im.Rows(), got, batch.Text(want))
	}
	for i := range want.N {
		row, ok := im.Get(pick(want.Cols, key), i)
		if ok != (key != nil) || ok && (row == nil || batch.Text(row) != batch.Text(want.Slice(i, i+1))) {
			t.Fatalf("row %d is not found by its key", i)
		}
	}
}

// TestTopNExpiry numbers rows within windows, whose end is the partition. As
// windows close their rows go, and the output is as if all were there for ever.
func TestTopNExpiry(t *testing.T) {
	const table, second = 7, 1_000_000
	in := []types.Type{bigint, bigint}
	expiry := &operators.Expiry{Col: 0, Watermark: operators.Watermark{{Table: table}}}
	order := []operators.OrderKey{{Col: 1}}
	topN := operators.TopNSpec{Input: in, Partition: []int{0}, Order: order, Limit: 2, Number: true, Expiry: expiry}
	first := topN
	first.Limit, first.AppendOnly = 1, true
	over := operators.OverSpec{Input: in, Partition: []int{0}, Order: order, Expiry: expiry, Funcs: []operators.OverFunc{{Func: operators.WindowRowNumber, Type: operators.NumberType()}}}
	for name, c := range map[string]struct {
		make func() (operators.Stateful, error)
		twin func([]*batch.Chunk) *batch.Chunk
	}{
		"TopN":  {func() (operators.Stateful, error) { return operators.NewTopN(topN, operators.Env{}) }, topNTwin(topN)},
		"First": {func() (operators.Stateful, error) { return operators.NewFirst(first, operators.Env{}) }, topNTwin(first)},
		"Over":  {func() (operators.Stateful, error) { return operators.NewOver(over, operators.Env{}) }, overTwin(over)},
	} {
		for _, budget := range []int{1, 5, 1 << 30} {
			op, err := c.make()
			if err != nil {
				t.Fatal(err)
			}
			rng, all, sum := rand.New(rand.NewSource(1)), batch.New(in, 0), []*batch.Chunk{}
			for id := range 40 {
				rows := batch.New(in, 0)
				for range 5 {
					rows.Cols[0].AppendInt(int64(id+1+rng.Intn(3)) * second)
					rows.Cols[1].AppendInt(int64(rng.Intn(9)))
					rows.PushWeight(1)
					all.AppendFrom(rows, rows.N-1, 1)
				}
				late := batch.New(in, 0) // of a window that is over: it changes nothing
				late.Cols[0].AppendInt(int64(id-1) * second)
				late.Cols[1].AppendInt(-1)
				late.PushWeight(1)
				op.Begin(&operators.Batch{ID: uint64(id), Watermarks: map[uint64]int64{table: int64(id) * second}})
				op.Push(0, rows)
				if id > 1 {
					op.Push(0, late)
				}
				op.CloseInput(0)
				for s := operators.More; s == operators.More; {
					if s, err = op.Step(budget, func(c *batch.Chunk) { sum = append(sum, c) }); err != nil {
						t.Fatal(err)
					}
				}
				for k, s := range op.States()[:2] {
					if s.Rows() > 4*15 {
						t.Fatalf("%s: store %d has %d rows after batch %d", name, k, s.Rows(), id)
					}
				}
			}
			if got, want := batch.Text(sum...), batch.Text(c.twin([]*batch.Chunk{all})); got != want {
				t.Fatalf("%s: got\n%swant\n%s", name, got, want)
			}
		}
	}
}
