package operators_test

import (
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

var moment = types.Type{Kind: types.DateTime, Scale: 6}

// windowTwin puts each row into every window that holds it, trying all.
func windowTwin(spec operators.WindowSpec, out []types.Type) func([]*batch.Chunk) *batch.Chunk {
	return func(in []*batch.Chunk) *batch.Chunk {
		c := batch.New(out, 16)
		for _, r := range consolidated(in[0]) {
			if r.c.Cols[spec.Time].IsNull(r.i) {
				continue
			}
			at := r.c.Cols[spec.Time].I[r.i]
			for start := spec.Offset - 50*spec.Size*spec.Slide; start <= at; start += spec.Slide {
				for end := start + spec.Slide; end <= start+spec.Size; end += spec.Slide {
					switch {
					case spec.Kind != operators.Cumulate && end != start+spec.Slide:
						continue
					case spec.Kind == operators.Cumulate && (start-spec.Offset)%spec.Size != 0:
						continue
					}
					last := end
					if spec.Kind != operators.Cumulate {
						last = start + spec.Size
					}
					late := spec.Late >= 0 && !r.c.Cols[spec.Late].IsNull(r.i) && last+spec.Allowed <= r.c.Cols[spec.Late].I[r.i]
					if at < start || at >= last || late {
						continue
					}
					for k, col := range spec.Keep {
						c.Cols[k].AppendFrom(r.c.Cols[col], r.i)
					}
					c.Cols[len(spec.Keep)].AppendInt(start)
					c.Cols[len(spec.Keep)+1].AppendInt(last)
					c.PushWeight(r.n)
				}
			}
		}
		return c
	}
}

func TestWindow(t *testing.T) {
	in := []types.Type{bigint, moment, types.MakeVarChar(9), moment}
	for seed := range int64(30) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.WindowSpec{
			Input: in, Kind: operators.WindowKind(rng.Intn(3)), Time: 1, Slide: int64(1 + rng.Intn(6)), Offset: int64(rng.Intn(5) - 2),
			Keep: [][]int{{0, 2, 1}, {}, {2}}[rng.Intn(3)], Bound: moment, Lateness: operators.Lateness{Late: 3, Allowed: int64(rng.Intn(8))},
		}
		switch spec.Size = spec.Slide; spec.Kind {
		case operators.Hop:
			spec.Size = int64(1 + rng.Intn(14))
		case operators.Cumulate:
			spec.Size *= int64(1 + rng.Intn(4))
		}
		out := []types.Type{}
		for _, k := range spec.Keep {
			out = append(out, in[k])
		}
		out = append(out, moment, moment)
		optest.Case{
			New:     func() (operators.Operator, error) { return operators.NewWindow(spec, operators.Env{}), nil },
			Inputs:  [][]types.Type{in},
			Keys:    [][]int{{0}},
			Batches: optest.Generator{Inputs: [][]types.Type{in}, Values: 25, Nulls: 15}.Batches(rng, 6, 40),
			Twin:    windowTwin(spec, out),
		}.Run(t)
	}
}

// Where rows do not tell, what was over before the batch is late, also after a restart.
func TestWindowClosed(t *testing.T) {
	in := []types.Type{moment}
	spec := operators.WindowSpec{
		Input: in, Slide: 10, Size: 10, Bound: moment, Keep: []int{0},
		Lateness: operators.Lateness{Late: -1, Allowed: 3, Closed: operators.Watermark{{Table: 1}}},
	}
	w := operators.NewWindow(spec, operators.Env{})
	for id, c := range []struct {
		watermark int64
		at        []int64
		given     int
	}{
		{8, []int64{5, 1}, 2}, {13, []int64{3}, 1}, {14, []int64{4, 15}, 1}, {23, nil, 0}, {30, []int64{9, 19, 20}, 1}, {30, []int64{29}, 1},
	} {
		in := batch.New(in, 4)
		for _, at := range c.at {
			in.Cols[0].AppendInt(at)
			in.PushWeight(1)
		}
		w.Begin(&operators.Batch{ID: uint64(id), Watermarks: map[uint64]int64{1: c.watermark}})
		w.Push(0, in)
		w.CloseInput(0)
		given := 0
		if _, err := w.Step(100, func(c *batch.Chunk) { given += c.N }); err != nil {
			t.Fatal(err)
		}
		if given != c.given {
			t.Errorf("batch %d: %d rows are in windows, want %d", id, given, c.given)
		}
		w = optest.Restored(t, w, operators.NewWindow(spec, operators.Env{}))
	}
}
