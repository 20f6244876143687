package child

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"
)

// Usage is what a process has used since its start.
type Usage struct {
	CPU       time.Duration `json:"cpu_ns"` // user and system
	PeakRSS   int64         `json:"peak_rss_bytes"`
	Allocated int64         `json:"allocated_bytes"` // on the heap, in all
	Heap      int64         `json:"heap_bytes"`      // that live there
	// LongestQuantum is the most CPU time for which a worker was held since this was
	// last asked.
	LongestQuantum time.Duration `json:"longest_quantum_ns"`
}

// Usage asks the server, which must have been started with --debug.
func (s *Server) Usage(ctx context.Context) (u Usage, err error) {
	err = s.debug(ctx, "/usage", func(r io.Reader) error { return json.NewDecoder(r).Decode(&u) })
	return u, err
}

// Profile writes a CPU profile of so many seconds to w, of a server with --debug.
func (s *Server) Profile(ctx context.Context, seconds int, w io.Writer) error {
	return s.debug(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%d", seconds), func(r io.Reader) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// Allocations writes a profile of all that the process has allocated to w, of a server
// with --debug.
func (s *Server) Allocations(ctx context.Context, w io.Writer) error {
	return s.debug(ctx, "/debug/pprof/allocs", func(r io.Reader) error {
		_, err := io.Copy(w, r)
		return err
	})
}

func (s *Server) debug(ctx context.Context, path string, read func(io.Reader) error) error {
	if s.ready.Debug == "" {
		return fmt.Errorf("the server has no address for debugging (--debug)")
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.ready.Debug+path, nil)
	if err != nil {
		return err
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, a.Status)
	}
	return read(a.Body)
}

// Spent is the CPU time and the largest resident size of the last process, which is gone:
// by Kill, where its system does not tell the size afterwards.
func (s *Server) Spent() (cpu time.Duration, peak int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
		peak = max(s.peak, peakRSS(s.cmd.Process.Pid, u))
	}
	return cpu, peak
}

// OwnUsage is Usage of this process, without the heap.
func OwnUsage() (u Usage) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.CPU = time.Duration(r.Utime.Nano() + r.Stime.Nano())
		u.PeakRSS = peakRSS(os.Getpid(), &r)
	}
	return u
}
