package sched

import (
	"time"

	"golang.org/x/sys/unix"
)

// workerNice is how far the workers' priority lies below that of the threads
// that answer clients.
const workerNice = 8

// lowerPriority makes the calling thread yield to the others. On Linux a
// priority is a thread's own. Failing is harmless: the server is only less even.
func lowerPriority() {
	// The system call answers 20 − nice.
	own, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), min(20-own+workerNice, 19))
	}
}

// threadCPU is the CPU time that the calling thread has used.
func threadCPU() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano())
}
