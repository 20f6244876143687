//go:build !linux

package routine

import "time"

var start = time.Now()

// currentThread names nothing where the time of threads cannot be told.
func currentThread() int { return 0 }

// threadTime is the time on the wall, which stands for that of the thread.
func threadTime(int) time.Duration { return time.Since(start) }
