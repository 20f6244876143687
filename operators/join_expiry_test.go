package operators_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// TestJoinExpiry joins two inputs within windows, whose end is the second key. As
// windows close their rows go, and the output is as if all were there for ever.
func TestJoinExpiry(t *testing.T) {
	for name, kind := range joinKinds {
		for _, residual := range []bool{false, true} {
			for _, budget := range []int{1, 7, 1 << 30} {
				t.Run(fmt.Sprintf("%s/%v/%d", name, residual, budget), func(t *testing.T) { windowJoin(t, kind, residual, budget) })
			}
		}
	}
}

func windowJoin(t *testing.T, kind operators.JoinKind, residual bool, budget int) {
	const table, second = 7, 1_000_000
	in := []types.Type{bigint, bigint, bigint} // key, window's end, value
	expiry := &operators.Expiry{Col: 1, Watermark: operators.Watermark{{Table: table, Delay: 5 * second}}}
	spec := operators.JoinSpec{
		Kind: kind, Left: in, Right: in, LeftKeys: []int{0, 1}, RightKeys: []int{0, 1}, LeftExpiry: expiry, RightExpiry: expiry,
	}
	var cond func(l, r row) bool
	if residual {
		spec.Residual = []*expr.Expr{fn(t, "<", expr.NewColumn(2, "l2", bigint), expr.NewColumn(5, "r2", bigint))}
		cond = func(l, r row) bool { return l.c.Cols[2].I[l.i] < r.c.Cols[2].I[r.i] }
	}
	fresh := func() operators.Joining {
		j, err := operators.NewJoin(spec, operators.Env{})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j, rng := fresh(), rand.New(rand.NewSource(1))
	all := []*batch.Chunk{batch.New(in, 0), batch.New(in, 0)}
	out := batch.New(j.Types(), 0)
	step := func(id int, watermark int64, push func()) {
		j.Begin(&operators.Batch{ID: uint64(id), Watermarks: map[uint64]int64{table: watermark}})
		push()
		j.CloseInput(0)
		j.CloseInput(1)
		for status := operators.More; status == operators.More; {
			var err error
			status, err = j.Step(budget, func(c *batch.Chunk) {
				for i := range c.N {
					out.AppendFrom(c, i, c.Weight(i))
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for id := range 40 {
		step(id, int64(id*10)*second, func() {
			for side := range 2 {
				c := batch.New(in, 0)
				for range rng.Intn(8) {
					c.Cols[0].AppendInt(int64(rng.Intn(3)))
					c.Cols[1].AppendInt(int64(id*10+rng.Intn(4)*10) * second) // none is over: the watermark was (id−1)·10−5
					c.Cols[2].AppendInt(int64(rng.Intn(3)))
					c.PushWeight(int64(1 + rng.Intn(2)))
				}
				for range rng.Intn(4) { // retractions of what is there still
					if a := all[side]; a.N > 0 {
						if i := rng.Intn(a.N); a.Cols[1].I[i] > int64(id*10-15)*second && a.Weight(i) > 0 && live(a, i) {
							c.AppendFrom(a, i, -1)
						}
					}
				}
				for i := range c.N {
					all[side].AppendFrom(c, i, c.Weight(i))
				}
				j.Push(side, c)
			}
		})
		if id%7 == 6 {
			j = optest.Restored(t, j, fresh())
		}
	}
	if got, want := batch.Text(out), batch.Text(joinTwin(spec, cond)(all)); got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
	step(40, 1000*second, func() {})
	if rows := []int64{j.States()[0].Rows(), j.States()[2].Rows()}; slices.Max(rows) > 0 {
		t.Errorf("when all windows are closed %v rows are left", rows)
	}
	before := out.N
	step(41, 1000*second, func() { j.Push(0, all[0]); j.Push(1, all[1]) })
	if out.N != before {
		t.Error("rows that are over count still")
	}
}

// live reports that row i of c is there at least once, all its changes counted.
func live(c *batch.Chunk, i int) bool {
	n := int64(0)
	for k := range c.N {
		if text(c, k, []int{0, 1, 2}) == text(c, i, []int{0, 1, 2}) {
			n += c.Weight(k)
		}
	}
	return n > 0
}
