package dag

import (
	"testing"
	"time"

	"streamsql/operators"
	"streamsql/operators/batch"
)

// costly is an operator whose rows take a time, by a clock that it moves itself.
type costly struct {
	left    int
	perRow  time.Duration
	now     *int64
	longest int64
	steps   int
}

func (c *costly) Begin(*operators.Batch)      {}
func (c *costly) Push(_ int, ch *batch.Chunk) { c.left += ch.N }
func (c *costly) CloseInput(int)              {}
func (c *costly) Step(budget int, _ func(*batch.Chunk)) (operators.Status, error) {
	n := min(budget, c.left)
	c.left -= n
	took := int64(n) * int64(c.perRow)
	*c.now += took
	c.longest = max(c.longest, took)
	c.steps++
	if c.left > 0 {
		return operators.More, nil
	}
	return operators.Done, nil
}

// TestPace: what a row costs decides how many a Step takes, soon after it changes.
func TestPace(t *testing.T) {
	const budget = 4096
	var now int64
	op := &costly{now: &now}
	f := &Fragment{Nodes: []Node{{Op: op, Inputs: 1, To: -1}}, Ports: []Port{{}}}
	f.Metered(func() int64 { return now })
	for _, c := range []struct {
		perRow   time.Duration
		settled  time.Duration // the longest Step, once the pace is found
		maxSteps int
	}{
		{10 * time.Nanosecond, 45 * time.Microsecond, 110},       // all that may be: few Steps
		{10 * time.Microsecond, 2 * time.Millisecond, 6000},      // a hundred rows a Step
		{time.Millisecond, leastBudget * time.Millisecond, 7000}, // never fewer than the least
		{10 * time.Nanosecond, 45 * time.Microsecond, 110},
	} {
		op.perRow = c.perRow
		for round := range 2 {
			op.longest, op.steps = 0, 0
			f.Begin(&operators.Batch{ID: 1})
			f.Push(0, &batch.Chunk{N: 400_000})
			f.ClosePort(0)
			for !f.Applied() {
				if _, err := f.Step(budget, func(*batch.Chunk) {}); err != nil {
					t.Fatal(err)
				}
			}
			if round == 1 && (op.longest > int64(c.settled) || op.steps > c.maxSteps) {
				t.Errorf("%v a row: Steps of up to %v, %d of them", c.perRow, time.Duration(op.longest), op.steps)
			}
		}
	}
}
