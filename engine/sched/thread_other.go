//go:build !linux

package sched

import "time"

var start = time.Now()

func lowerPriority() {}

// threadCPU falls back to the clock on the wall where threads have none.
func threadCPU() time.Duration { return time.Since(start) }
