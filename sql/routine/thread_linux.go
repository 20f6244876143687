package routine

import (
	"time"

	"golang.org/x/sys/unix"
)

// currentThread names the thread that the goroutine runs on.
func currentThread() int { return unix.Gettid() }

// threadTime is the processor time that a thread of this process has used; 0 if it
// is gone. Linux makes the id of a thread's clock of the thread's id (the lowest
// bits say: of one thread, time on the processor).
func threadTime(thread int) time.Duration {
	const ofThread, onProcessor = 4, 2
	var ts unix.Timespec
	if unix.ClockGettime(int32(^thread<<3|ofThread|onProcessor), &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
