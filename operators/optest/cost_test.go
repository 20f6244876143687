package optest_test

import (
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

// growing is an operator whose work on a one-row change grows with its state.
type growing struct {
	rows    []record
	changes []int64
	work    func(rows []record, value int64) int64
	sum     int64
}

// record is as long as a line of a cache.
type record [8]int64

func (g *growing) Begin(*operators.Batch) {}
func (g *growing) CloseInput(int)         {}

func (g *growing) Push(_ int, c *batch.Chunk) {
	if c.N > 1 {
		for _, x := range c.Cols[0].I {
			g.rows = append(g.rows, record{x})
		}
		return
	}
	g.changes = append(g.changes, c.Cols[0].I[0])
}

func (g *growing) Step(int, func(*batch.Chunk)) (operators.Status, error) {
	for _, x := range g.changes {
		g.sum += g.work(g.rows, x)
	}
	g.changes = g.changes[:0]
	return operators.Done, nil
}

// TestCostThatGrowsIsFound holds that the check of costs fails for what grows
// with the state, in a line, by its root, or by its logarithm where each step of
// many waits for memory; and not for what does not grow.
func TestCostThatGrowsIsFound(t *testing.T) {
	in := []types.Type{types.MakeBigInt()}
	load := func(work func([]record, int64) int64) func() optest.Load {
		return func() optest.Load {
			rows := func(first, n int) *batch.Chunk {
				c := batch.New(in, n)
				for i := range n {
					c.Cols[0].AppendInt(int64(first + i))
					c.PushWeight(1)
				}
				return c
			}
			return optest.Load{
				Op: &growing{work: work}, Inputs: 1,
				Fill:   func(_, first, n int) *batch.Chunk { return rows(first, n) },
				Change: func(_, k, size int) *batch.Chunk { return rows(k*7919%size, 1) },
			}
		}
	}
	touch := func(rows []record, value int64, n int) (sum int64) {
		for k := range int64(n) {
			sum += rows[(value+k*104729)%int64(len(rows))][0]
		}
		return sum
	}
	for _, c := range []struct {
		name  string
		grows bool
		work  func([]record, int64) int64
	}{
		{"a scan", true, func(rows []record, value int64) (sum int64) {
			for i := range rows {
				sum += rows[i][0] ^ value
			}
			return sum
		}},
		{"a scan of a list as long as the root", true, func(rows []record, value int64) (sum int64) {
			n := 1
			for n*n < len(rows) {
				n++
			}
			return touch(rows, value, n)
		}},
		{"a walk down a tree for each of 20 columns", true, func(rows []record, value int64) (sum int64) {
			for k := range int64(20) {
				want := (value + k*104729) % int64(len(rows))
				lo, hi := 0, len(rows)
				for lo < hi {
					if mid := (lo + hi) / 2; rows[mid][0] < want {
						lo = mid + 1
					} else {
						hi = mid
					}
				}
				sum += int64(lo)
			}
			return sum
		}},
		{"four rows anywhere", false, func(rows []record, value int64) int64 { return touch(rows, value, 4) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			cost := optest.MeasureCost(t, load(c.work))
			if err := cost.Err(); (err != nil) != c.grows {
				t.Fatalf("grows: %v, but %v at %d rows, %v at 10000; a load from memory takes %v", c.grows, cost.Large, cost.Rows, cost.Small, cost.Load)
			}
			t.Logf("%v at 10000 rows, %v at %d; a load from memory takes %v", cost.Small, cost.Large, cost.Rows, cost.Load)
		})
	}
}
