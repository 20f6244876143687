//go:build !linux

package child

import (
	"runtime"
	"syscall"
)

// peakRSS is the largest resident size of a process, in bytes, of which r is the usage;
// nil: it is not known yet.
func peakRSS(_ int, r *syscall.Rusage) int64 {
	switch {
	case r == nil:
		return 0
	case runtime.GOOS == "darwin": // alone it counts bytes
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) << 10
}
