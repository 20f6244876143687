package operators_test

import (
	"math/rand"
	"testing"
	"time"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// After each batch those rows are given for which the conditions are true then,
// as anybody would compute them.
func TestTimeFilter(t *testing.T) {
	in := []types.Type{bigint, moment, moment}
	for seed := range int64(40) {
		rng := rand.New(rand.NewSource(seed))
		var conds []operators.TimeCond
		for range 1 + rng.Intn(3) {
			k := 1 + rng.Intn(2)
			conds = append(conds, operators.TimeCond{
				Value: expr.NewColumn(k, "c", in[k]), Less: rng.Intn(2) == 0, Equal: rng.Intn(2) == 0, Shift: int64(rng.Intn(11) - 5), Grain: int64(1 + rng.Intn(4)),
			})
		}
		nows := rising(rng, 10, 20)
		last := nows[9]
		optest.Case{
			New: func() (operators.Operator, error) {
				return operators.NewTimeFilter(conds, in, operators.Env{Node: "TimeFilter"})
			},
			Inputs: [][]types.Type{in}, Keys: [][]int{{0}},
			Batches: optest.Generator{Inputs: [][]types.Type{in}, Values: 30, Nulls: 8}.Batches(rng, 10, 40),
			At:      func(last int, b *operators.Batch) { b.Now = nows[last] },
			Twin: func(all []*batch.Chunk) *batch.Chunk {
				out := batch.New(in, 16)
			rows:
				for _, r := range consolidated(all[0]) {
					for _, c := range conds {
						if v := r.c.Cols[c.Value.Col]; v.IsNull(r.i) || !holds(c, v.I[r.i], last) {
							continue rows
						}
					}
					out.AppendFrom(r.c, r.i, r.n)
				}
				return out
			},
		}.Run(t)
	}
}

func holds(c operators.TimeCond, value, now int64) bool {
	for now%c.Grain != 0 {
		now--
	}
	now += c.Shift
	return c.Equal && value == now || c.Less && value < now || !c.Less && value > now
}

// A row comes and goes on the clock of the query's zone.
func TestTimeFilterInZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	local := time.Date(2024, 7, 1, 12, 0, 0, 0, time.UTC).UnixMicro()
	for _, c := range []struct {
		t    types.Type
		utc  bool
		hour int
	}{{moment, false, 10}, {moment, true, 12}, {types.Type{Kind: types.Timestamp}, false, 12}} {
		in := []types.Type{c.t}
		f, err := operators.NewTimeFilter([]operators.TimeCond{{Value: expr.NewColumn(0, "ts", c.t), Grain: types.Second, UTC: c.utc}}, in, operators.Env{Location: berlin})
		if err != nil {
			t.Fatal(err)
		}
		chunk := batch.New(in, 1)
		chunk.Cols[0].AppendInt(local)
		chunk.PushWeight(1)
		f.Begin(&operators.Batch{Now: local - types.Day})
		f.Push(0, chunk)
		f.CloseInput(0)
		if _, err := f.Step(10, func(*batch.Chunk) {}); err != nil {
			t.Fatal(err)
		}
		if got := time.UnixMicro(f.Due()).UTC().Hour(); got != c.hour {
			t.Errorf("a %v goes at %d o'clock UTC, want %d", c.t.Kind, got, c.hour)
		}
	}
}
