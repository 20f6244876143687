package routine

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Limits bound what a function may use.
type Limits struct {
	// Time is how long one row may take, in processor time of the thread.
	Time time.Duration
	// Memory is what an instance of a function may hold, in bytes.
	Memory int64
}

// DefaultLimits hold until SetLimits.
var DefaultLimits = Limits{Time: 20 * time.Millisecond, Memory: 64 << 20}

var limits atomic.Pointer[Limits]

// SetLimits is for main to call, before anything is opened.
func SetLimits(l Limits) { limits.Store(&l) }

// CurrentLimits are those that hold.
func CurrentLimits() Limits {
	if l := limits.Load(); l != nil {
		return *l
	}
	return DefaultLimits
}

// overTime and overMemory say why a call was stopped.
func overTime(l Limits) string {
	return fmt.Sprintf("it ran for longer than %v on one row", l.Time)
}

func overMemory(l Limits) string {
	return fmt.Sprintf("it used more than %d MB of memory", l.Memory>>20)
}
