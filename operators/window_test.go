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
				for end := start + spec.Slide; end <= start+max(spec.Size, spec.Slide); end += spec.Slide {
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

// Rows put into panes, and these into windows, are in the windows that they would
// be in by themselves, also where a part of these is over.
func TestPanesOfRows(t *testing.T) {
	in := []types.Type{bigint, moment, moment}
	for seed := range int64(60) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.WindowSpec{
			Input: in, Kind: operators.WindowKind(rng.Intn(3)), Form: operators.IntoPanes, Time: 1, Slide: int64(1 + rng.Intn(6)), Offset: int64(rng.Intn(5) - 2),
			Keep: []int{0}, Bound: moment, Lateness: operators.Lateness{Late: 2, Allowed: int64(rng.Intn(8))},
		}
		switch spec.Size = spec.Slide; spec.Kind {
		case operators.Hop:
			spec.Size = int64(1 + rng.Intn(14))
		case operators.Cumulate:
			spec.Size *= int64(1 + rng.Intn(4))
		}
		batches := optest.Generator{Inputs: [][]types.Type{in}, Values: 25, Nulls: 15}.Batches(rng, 6, 40)
		panes := optest.Case{
			New:    func() (operators.Operator, error) { return operators.NewWindow(spec, operators.Env{}), nil },
			Inputs: [][]types.Type{in}, Keys: [][]int{{0}}, Batches: batches,
		}
		panes.Run(t)
		between := []types.Type{bigint, moment, {Kind: types.BigInt, NotNull: true}}
		back := spec
		back.Input, back.Form, back.Count, back.Late = between, operators.OfPanes, 2, -1
		rows := spec
		rows.Form = operators.OfRows
		optest.Case{
			New:    func() (operators.Operator, error) { return operators.NewWindow(back, operators.Env{}), nil },
			Inputs: [][]types.Type{between}, Keys: [][]int{{0}}, Batches: outputs(t, operators.NewWindow(spec, operators.Env{}), batches),
			Twin: func([]*batch.Chunk) *batch.Chunk {
				all := batch.New(in, 0)
				for _, b := range batches {
					for i := range b[0].N {
						all.AppendFrom(b[0], i, b[0].Weight(i))
					}
				}
				return windowTwin(rows, []types.Type{bigint, moment, moment})([]*batch.Chunk{all})
			},
		}.Run(t)
	}
}

// outputs are what op makes of each batch, in one chunk.
func outputs(t *testing.T, op *operators.Window, batches [][]*batch.Chunk) [][]*batch.Chunk {
	var out [][]*batch.Chunk
	for id, b := range batches {
		all := batch.New(op.Types(), 0)
		op.Begin(&operators.Batch{ID: uint64(id)})
		op.Push(0, b[0])
		op.CloseInput(0)
		if _, err := op.Step(1<<30, func(c *batch.Chunk) {
			for i := range c.N {
				all.AppendFrom(c, i, c.Weight(i))
			}
		}); err != nil {
			t.Fatal(err)
		}
		out = append(out, []*batch.Chunk{all})
	}
	return out
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
