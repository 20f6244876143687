package dag

import "time"

// A Step is the shortest time for which an operator can hold a worker. How much a
// row costs depends on the operator, on its state and on what it is at, so each
// node's budget follows the time that its Steps take. Results do not depend on it.
const (
	stepTime    = int64(time.Millisecond)
	leastBudget = 64
	firstBudget = 1024
)

// paced is the budget of a node whose last Step, with budget rows, took a time in ns.
func paced(budget int, took int64) int {
	switch {
	case took > 2*stepTime:
		return max(int(int64(budget)*stepTime/took), leastBudget)
	case took < stepTime/2:
		return budget * 2
	}
	return budget
}

// monotonic is the clock of a fragment that has no other.
func monotonic() int64 { return int64(time.Since(began)) }

var began = time.Now()
