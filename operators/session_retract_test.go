package operators_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

// upserts is a log of n changes of rows with few keys: each row that comes takes
// back the one with its key. Columns: key, time, text, the watermark before the row
// came, and of one that is taken back the watermark by then. marks are the watermarks
// behind each change, None as long as there is none.
func upserts(rng *rand.Rand, n int) (in []types.Type, changes []*batch.Chunk, marks []int64) {
	in = []types.Type{bigint, moment, types.MakeVarChar(9), moment, moment}
	type version struct{ time, text, mark int64 }
	const none = -1
	rows, mark := map[int64]version{}, int64(none)
	for k := range n {
		c := batch.New(in, 2)
		push := func(id int64, v version, weight int64) {
			c.Cols[0].AppendInt(id)
			c.Cols[1].AppendInt(v.time)
			c.Cols[2].AppendBytes([]byte{byte('a' + v.text)})
			for col, at := range []int64{v.mark, mark} {
				if at == none || col == 1 && weight > 0 {
					c.Cols[3+col].AppendNull()
				} else {
					c.Cols[3+col].AppendInt(at)
				}
			}
			c.PushWeight(weight)
		}
		id := rng.Int63n(8)
		old, there := rows[id]
		if there {
			push(id, old, -1)
			delete(rows, id)
		}
		if !there || rng.Intn(5) > 0 {
			v := version{time: 100 + int64(k)/2 + rng.Int63n(12), text: rng.Int63n(2), mark: mark}
			push(id, v, 1)
			rows[id] = v
			mark = max(mark, v.time-3)
		}
		changes, marks = append(changes, c), append(marks, mark)
	}
	return in, changes, marks
}

// A row that is taken back leaves a session that is open, and stays in one that was
// over by then, wherever batches end: change by change, or many at once.
func TestSessionTakesBackByTheLog(t *testing.T) {
	for seed := range int64(200) {
		rng := rand.New(rand.NewSource(seed))
		in, changes, marks := upserts(rng, 80)
		gap, allowed := int64(1+rng.Intn(5)), int64(rng.Intn(3))
		spec := operators.SessionSpec{
			Input: in, Keys: [][]int{{2}, {}}[rng.Intn(2)], Time: 1, Gap: gap, Keep: []int{0, 1, 2}, Bound: moment,
			Lateness: operators.Lateness{Late: 3, Retracts: true, Retracted: 4, Allowed: allowed},
			Over:     operators.Watermark{{Table: 1, Delay: gap + allowed}},
		}
		run := func(most int) string {
			s, err := operators.NewSession(spec, operators.Env{Node: "Session"})
			if err != nil {
				t.Fatal(err)
			}
			given := batch.New(s.Types(), 64)
			for lo, id := 0, uint64(1); lo < len(changes); id++ {
				hi := min(lo+1+rng.Intn(most), len(changes))
				s.Begin(&operators.Batch{ID: id, Watermarks: map[uint64]int64{1: marks[hi-1]}})
				for _, c := range changes[lo:hi] {
					s.Push(0, c)
				}
				s.CloseInput(0)
				for status := operators.More; status == operators.More; {
					if status, err = s.Step(1+rng.Intn(9), func(c *batch.Chunk) {
						for i := range c.N {
							given.AppendFrom(c, i, c.Weight(i))
						}
					}); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
				}
				if rng.Intn(4) == 0 {
					again, _ := operators.NewSession(spec, operators.Env{Node: "Session"})
					s = optest.Restored(t, s, again)
				}
				lo = hi
			}
			var lines []string
			for _, r := range consolidated(given) {
				lines = append(lines, fmt.Sprintf("%d x %s", r.n, text(r.c, r.i, []int{0, 1, 2, 3, 4})))
			}
			slices.Sort(lines)
			return strings.Join(lines, "\n")
		}
		want := run(1)
		for _, most := range []int{3, 20, len(changes)} {
			if got := run(most); got != want {
				t.Fatalf("seed %d: in batches of up to %d changes, sessions are\n%s\nchange by change\n%s", seed, most, got, want)
			}
		}
	}
}
