package sched

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// workerNice is the workers' priority: a step below the threads that answer clients.
const workerNice = 10

// lowerPriority makes the calling thread yield to the others. On Linux a
// priority is a thread's own. Failing is harmless: the server is only less even.
func lowerPriority() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, unix.Gettid(), workerNice)
}

// threadCPU is the CPU time that the calling thread has used.
func threadCPU() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano())
}
