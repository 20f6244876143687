package operators_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// asofTwin finds for each left row the closest right row by looking at all.
func asofTwin(spec operators.TimedSpec) func([]*batch.Chunk) *batch.Chunk {
	out := append([]types.Type(nil), spec.Left...)
	for _, t := range spec.Right {
		out = append(out, t.Nullable())
	}
	return func(in []*batch.Chunk) *batch.Chunk {
		sum := batch.New(out, 16)
		right := consolidated(in[1])
		for _, l := range consolidated(in[0]) {
			var best *row
			for _, r := range right {
				if meetsAsof(spec, l, r) && (best == nil || closer(spec, r, *best)) {
					best = &r
				}
			}
			if best != nil || spec.Outer {
				addTimed(sum, l, best, l.n)
			}
		}
		return sum
	}
}

func meetsAsof(spec operators.TimedSpec, l, r row) bool {
	a, b := l.c.Cols[spec.LeftTime], r.c.Cols[spec.RightTime]
	if a.IsNull(l.i) || b.IsNull(r.i) || len(spec.LeftKeys) > 0 && !sameTimedKey(spec, l, r) {
		return false
	}
	switch x, y := a.I[l.i], b.I[r.i]; spec.Order {
	case ">=":
		return x >= y
	case ">":
		return x > y
	case "<=":
		return x <= y
	default:
		return x < y
	}
}

// closer reports that a right row is closer to its left rows than another one.
func closer(spec operators.TimedSpec, r, than row) bool {
	x, y := r.c.Cols[spec.RightTime].I[r.i], than.c.Cols[spec.RightTime].I[than.i]
	if x != y {
		return x > y == (spec.Order[0] == '>')
	}
	var a, b []byte
	for k := range r.c.Cols {
		a, b = state.AppendOrdered(a, r.c.Cols[k], r.i, false), state.AppendOrdered(b, than.c.Cols[k], than.i, false)
	}
	return bytes.Compare(a, b) < 0
}

func asofSpec(seed int64) operators.TimedSpec {
	spec := operators.TimedSpec{
		Left: []types.Type{bigint, varchar, bigint}, Right: []types.Type{bigint, bigint, varchar},
		Outer: seed%2 == 1, Order: []string{">=", ">", "<=", "<"}[seed/2%4], LeftTime: 2, RightTime: 1,
	}
	if seed/8%4 > 0 {
		spec.LeftKeys, spec.RightKeys = []int{0}, []int{0}
	}
	if seed/8%4 == 2 {
		spec.NullSafe = []bool{true}
	}
	return spec
}

func TestAsofJoinAgainstTwin(t *testing.T) {
	for seed := range int64(128) {
		spec := asofSpec(seed)
		batches := 8
		if seed/32%2 == 1 {
			spec.OneBatch, batches = true, 1
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gen := optest.Generator{Inputs: [][]types.Type{spec.Left, spec.Right}, Values: 3 + int(seed)%5, Nulls: 10}
			c := optest.Case{
				New: func() (operators.Operator, error) {
					return operators.NewAsofJoin(spec, operators.Env{Node: "AsofJoin"})
				},
				Inputs: gen.Inputs, Batches: gen.Batches(rand.New(rand.NewSource(seed)), batches, 14), Twin: asofTwin(spec),
			}
			if spec.LeftKeys != nil {
				c.Keys = [][]int{{0}, {0}}
			}
			c.Run(t)
		})
	}
}

// TestAsofJoinRepointsOnlyNeighbours counts what a right row in the middle of
// many makes be given: the rows between it and the one before.
func TestAsofJoinRepointsOnlyNeighbours(t *testing.T) {
	two := []types.Type{bigint, bigint}
	j, err := operators.NewAsofJoin(operators.TimedSpec{Left: two, Right: two, LeftKeys: []int{0}, RightKeys: []int{0}, LeftTime: 1, RightTime: 1, Order: ">="}, operators.Env{})
	if err != nil {
		t.Fatal(err)
	}
	left, right := batch.New(two, 1000), batch.New(two, 100)
	for i := range int64(1000) {
		left.Cols[0].AppendInt(1)
		left.Cols[1].AppendInt(i)
		left.PushWeight(1)
		if i%10 == 0 {
			right.Cols[0].AppendInt(1)
			right.Cols[1].AppendInt(i)
			right.PushWeight(1)
		}
	}
	feed := func(id uint64, l, r *batch.Chunk) (rows int) {
		j.Begin(&operators.Batch{ID: id})
		j.Push(0, l)
		j.Push(1, r)
		j.CloseInput(0)
		j.CloseInput(1)
		for status := operators.More; status == operators.More; {
			if status, err = j.Step(3, func(c *batch.Chunk) { rows += c.N }); err != nil {
				t.Fatal(err)
			}
		}
		return rows
	}
	if n := feed(1, left, right); n != 1000 {
		t.Errorf("%d rows at first", n)
	}
	none := batch.New(two, 0)
	if n := feed(2, none, batch.MustParse(two, "+1 1 505")); n != 10 {
		t.Errorf("a right row that comes makes %d changes, want 5 retractions and 5 new rows", n)
	}
	if n := feed(3, none, batch.MustParse(two, "-1 1 505\n-1 1 500")); n != 20 {
		t.Errorf("two that go make %d changes, want 10 retractions and 10 new rows", n)
	}
}

// Over streams whose watermarks move on, an AsofJoin gives what it would with all rows
// that are not late, and keeps few of them: however many windows of time go by.
func TestAsofJoinForgets(t *testing.T) {
	side := []types.Type{bigint, moment, types.MakeVarChar(9), moment}
	for seed := range int64(12) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.TimedSpec{
			Left: side, Right: side, Outer: seed%2 == 1, Order: []string{">=", ">"}[seed/2%2], LeftTime: 1, RightTime: 1,
			LeftWatermark: operators.Watermark{{Table: 1}}, RightWatermark: operators.Watermark{{Table: 2}},
			Lateness: operators.Lateness{Late: 3}, RightLateness: operators.Lateness{Late: 3},
		}
		if seed/4%3 > 0 {
			spec.LeftKeys, spec.RightKeys = []int{0}, []int{0}
		}
		join := func() *operators.AsofJoin {
			j, err := operators.NewAsofJoin(spec, operators.Env{Node: "AsofJoin"})
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		j, twin, most := join(), asofTwin(spec), int64(0)
		var streams [2]partitioned
		all, given := [2]*batch.Chunk{batch.New(side, 64), batch.New(side, 64)}, batch.New(j.Types(), 64)
		for in := range streams {
			streams[in] = partitioned{marks: make([]int64, 1+rng.Intn(2)), delay: int64(rng.Intn(5)) * second, step: second}
		}
		for id := range 42 {
			b := &operators.Batch{ID: uint64(id), Watermarks: map[uint64]int64{}}
			j.Begin(b)
			for in := range streams {
				c := batch.New(side, 8)
				for range rng.Intn(6) {
					streams[in].row(rng, c)
					if last := c.N - 1; c.Cols[3].IsNull(last) || c.Cols[1].I[last] >= c.Cols[3].I[last] {
						all[in].AppendFrom(c, last, 1)
					}
				}
				if w := streams[in].watermark(); w > unmarked {
					b.Watermarks[uint64(in+1)] = w
				}
				j.Push(in, c)
				j.CloseInput(in)
			}
			for status := operators.More; status == operators.More; {
				var err error
				status, err = j.Step(1+rng.Intn(9), func(c *batch.Chunk) { driven{c}.appendTo(given) })
				if err != nil {
					t.Fatal(err)
				}
			}
			if rng.Intn(4) == 0 {
				j = optest.Restored(t, j, join())
			}
			most = max(most, j.States()[1].Rows()+j.States()[2].Rows())
			if id%6 != 5 {
				continue
			}
			if got, want := mergedText(given, positionsOf(given)), mergedText(twin(all[:]), positionsOf(given)); got != want {
				t.Fatalf("seed %d, batch %d: given is\n%swant\n%s", seed, id, got, want)
			}
		}
		if n := int64(all[0].N + all[1].N); 2*most > n {
			t.Fatalf("seed %d: of %d rows, up to %d are kept", seed, n, most)
		}
	}
}

const second = 1_000_000

func positionsOf(c *batch.Chunk) (list []int) {
	for k := range c.Cols {
		list = append(list, k)
	}
	return list
}
