package operators_test

import (
	"fmt"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// TestJoinInterval joins two streams whose times are at most some seconds apart,
// with late rows on both sides. Whatever the batches, and though rows go as the
// watermarks pass, the output is as if all rows were there for ever.
func TestJoinInterval(t *testing.T) {
	for name, kind := range joinKinds {
		for _, budget := range []int{1, 7, 1 << 30} {
			for _, cut := range []int{1, 5, 40} {
				t.Run(fmt.Sprintf("%s/%d/%d", name, budget, cut), func(t *testing.T) { intervalJoin(t, kind, budget, cut) })
			}
		}
	}
}

const (
	seconds = 1_000_000
	before  = 4 * seconds // right.ts >= left.ts - before
	after   = 3 * seconds // right.ts <= left.ts + after
	delay   = 5 * seconds
)

// timed makes rows of a stream: key, time, the watermark before it. Times go up
// by and by; some are late, and some are NULL.
func timed(rng *rand.Rand, in []types.Type, n int, pace int64) *batch.Chunk {
	c, high := batch.New(in, n), int64(-1)
	for i := range n {
		c.Cols[0].AppendInt(int64(rng.Intn(3)))
		ts := (int64(i)*pace + rng.Int63n(20)*seconds) / 10
		if rng.Intn(9) == 0 {
			ts -= 20 * seconds
		}
		if high < 0 {
			c.Cols[2].AppendNull()
		} else {
			c.Cols[2].AppendInt(high - delay)
		}
		if rng.Intn(20) == 0 {
			c.Cols[1].AppendNull()
		} else {
			c.Cols[1].AppendInt(ts)
			high = max(high, ts)
		}
		c.PushWeight(1)
	}
	return c
}

func intervalJoin(t *testing.T, kind operators.JoinKind, budget, cut int) {
	in := []types.Type{bigint, bigint.Nullable(), bigint.Nullable()}
	col := func(i int) *expr.Expr { return expr.NewColumn(i, fmt.Sprint("c", i), bigint.Nullable()) }
	plus := func(e *expr.Expr, n int64) *expr.Expr { return fn(t, "+", e, expr.NewInt(n)) }
	inTime := func(mark int, e *expr.Expr) *expr.Expr {
		return fn(t, "or", fn(t, "is null", col(mark)), fn(t, "<=", col(mark), e))
	}
	spec := operators.JoinSpec{
		Kind: kind, Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}, OverMeet: true,
		LeftAppends: budget != 1, RightAppends: cut%2 == 0,
		LeftExpiry:  &operators.Expiry{Col: 1, Watermark: operators.Watermark{{Table: 2, Delay: after + 1}}},
		RightExpiry: &operators.Expiry{Col: 1, Watermark: operators.Watermark{{Table: 1, Delay: before + 1}}},
		Residual: []*expr.Expr{
			fn(t, "<=", col(1), plus(col(4), before)), fn(t, "<=", col(4), plus(col(1), after)),
			inTime(2, plus(col(4), before)), inTime(5, plus(col(1), after)),
		},
	}
	value := func(r row, c int) (int64, bool) { return r.c.Cols[c].I[r.i], !r.c.Cols[c].IsNull(r.i) }
	cond := func(l, r row) bool {
		a, okA := value(l, 1)
		b, okB := value(r, 1)
		if !okA || !okB || a > b+before || b > a+after {
			return false
		}
		markA, someA := value(l, 2)
		markB, someB := value(r, 2)
		return (!someA || markA <= b+before) && (!someB || markB <= a+after)
	}
	fresh := func() operators.Joining {
		j, err := operators.NewJoin(spec, operators.Env{})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j, rng := fresh(), rand.New(rand.NewSource(int64(cut)))
	// The left stream is the faster one, by ever more.
	all := []*batch.Chunk{timed(rng, in, 300, 15*seconds), timed(rng, in, 300, 10*seconds)}
	out, marks, at := batch.New(j.Types(), 0), map[uint64]int64{}, [2]int{}
	for id := 0; at[0] < all[0].N || at[1] < all[1].N; id++ {
		var chunks [2]*batch.Chunk
		for side := range chunks {
			c := batch.New(in, 0)
			for n := rng.Intn(cut + 1); n > 0 && at[side] < all[side].N; n-- {
				c.AppendFrom(all[side], at[side], 1)
				at[side]++
			}
			chunks[side] = c
			if k := at[side]; k < all[side].N && k > 0 && !all[side].Cols[2].IsNull(k) {
				marks[uint64(side+1)] = all[side].Cols[2].I[k]
			}
		}
		j.Begin(&operators.Batch{ID: uint64(id), Watermarks: marks})
		for side, c := range chunks {
			if c.N > 0 {
				j.Push(side, c)
			}
			j.CloseInput(side)
		}
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
		if id%7 == 6 {
			j = optest.Restored(t, j, fresh())
		}
	}
	if got, want := batch.Text(out), batch.Text(joinTwin(spec, cond)(all)); got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
	j.Begin(&operators.Batch{ID: 1 << 20, Watermarks: map[uint64]int64{1: 10000 * seconds, 2: 10000 * seconds}})
	j.CloseInput(0)
	j.CloseInput(1)
	for status := operators.More; status == operators.More; {
		status, _ = j.Step(budget, func(*batch.Chunk) { t.Error("rows that go are not taken back") })
	}
	if l, r := j.States()[0].Rows(), j.States()[2].Rows(); l+r > 0 {
		t.Errorf("when all is over %d and %d rows are left", l, r)
	}
}
