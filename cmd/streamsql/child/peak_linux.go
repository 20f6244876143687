package child

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// peakRSS is the largest resident size of a living process, in bytes. Linux lets ru_maxrss
// begin with that of the process which started this one, so it is not of use.
func peakRSS(pid int, _ *syscall.Rusage) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("\nVmHWM:"))
	line, _, _ := bytes.Cut(rest, []byte(" kB"))
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
