package operators

import (
	"math/rand"
	"testing"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// The rows that are dropped are those whose time is over, each once, whatever
// has ended and been given again before, and over a restart.
func TestExpiring(t *testing.T) {
	for _, grain := range []int64{1, 10} {
		rng := rand.New(rand.NewSource(grain))
		s := state.NewStore(nil)
		value := func(r state.Ref) (int64, bool) {
			if !s.Has(r) {
				return 0, false
			}
			return getInt(s.Get(r)), true
		}
		x := newExpiring(Watermark{{Table: 1}}, grain, value, nil)
		there := map[state.Ref]int64{}
		for id := range 200 {
			for range rng.Intn(300) {
				if rng.Intn(2) == 0 {
					for r := range there {
						x.gone(r)
						s.Free(r)
						delete(there, r)
						break
					}
					continue
				}
				r, _ := s.Alloc(16)
				time := int64(id/10*10 + rng.Intn(40) - 20)
				putInt(s.Mutable(r), time)
				x.add(r)
				there[r] = time
			}
			if id%20 == 19 {
				y := newExpiring(Watermark{{Table: 1}}, grain, value, nil)
				y.over = x.over
				y.rebuild(s)
				x = y
			}
			at := int64(id - 5)
			if err := x.advance(&Batch{Watermarks: map[uint64]int64{1: at}}); err != nil {
				t.Fatal(err)
			}
			for {
				due := x.next(1 + rng.Intn(20))
				if due == nil {
					break
				}
				for _, r := range due {
					if there[r] > at {
						t.Fatalf("row of time %d is dropped at %d", there[r], at)
					}
					if _, ok := there[r]; !ok {
						t.Fatal("a row is dropped that is not there")
					}
					s.Free(r)
					delete(there, r)
				}
			}
			for _, time := range there {
				if time+grain-1 <= at {
					t.Fatalf("a row of time %d is there at %d", time, at)
				}
			}
		}
		if s.Rows() != int64(len(there)) {
			t.Fatalf("%d rows are kept, want %d", s.Rows(), len(there))
		}
	}
}

// What comes for rows that are gone is left out.
func TestExpiringLive(t *testing.T) {
	x := newExpiring(Watermark{{Table: 1}}, 1, nil, nil)
	c := batch.New([]types.Type{types.MakeBigInt()}, 4)
	for _, v := range []int64{5, 11, 10} {
		c.Cols[0].AppendInt(v)
		c.PushWeight(1)
	}
	c.Cols[0].AppendNull()
	c.PushWeight(1)
	if x.live(c, 0) != c {
		t.Fatal("without a watermark all is live")
	}
	if err := x.advance(&Batch{Watermarks: map[uint64]int64{1: 10}}); err != nil {
		t.Fatal(err)
	}
	if got := x.live(c, 0); got.N != 2 || got.Cols[0].I[0] != 11 || !got.Cols[0].IsNull(1) {
		t.Fatalf("%d rows are live", got.N)
	}
	if x.shrinks = true; x.live(c, 0) != c {
		t.Fatal("where rows can be over when they come, all are live")
	}
}
