package checkpoint

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRound writes rounds of 64 MB of dirty pages of 16 KiB, out of 256 MB
// of state: wall time, CPU time, and the disk's use afterwards.
func BenchmarkRound(b *testing.B) {
	const pageSize, dirty, total = 16 << 10, 4096, 16384
	dir := b.TempDir()
	d := open(b, dir)
	page := make([]byte, pageSize)
	_, _ = rand.NewChaCha8([32]byte{}).Read(page)
	cpu := cpuTime()
	b.SetBytes(dirty * pageSize)
	for b.Loop() {
		_, cur := d.bounds()
		change := map[uint64][]byte{}
		for len(change) < dirty {
			change[1+rand.Uint64N(total)] = page
		}
		w, err := d.Begin(cur + 1)
		if err != nil {
			b.Fatal(err)
		}
		if err := w.PutPages(1, 1, 0, 0, seq(change)); err != nil {
			b.Fatal(err)
		}
		if err := w.Commit(&Manifest{Jobs: []Job{{ID: 1, Stores: []Store{{Op: 1}}}}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime()-cpu)/1e6/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(diskUse(dir))/(1<<20), "MB-on-disk")
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	d = open(b, dir)
	m, err := d.Latest()
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	err = d.LoadPages(m.Round, 1, m.Jobs[0].Stores[0], func(_ uint64, data []byte) error { n += len(data); return nil })
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n)/1e6/time.Since(start).Seconds(), "load-MB/s")
	_ = d.Close()
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// diskUse returns the blocks in use, in bytes: Badger's files have holes.
func diskUse(dir string) int64 {
	total := int64(0)
	_ = filepath.Walk(dir, func(_ string, i os.FileInfo, err error) error {
		if err != nil {
			return fmt.Errorf("walk: %w", err)
		}
		if st, ok := i.Sys().(*syscall.Stat_t); ok && !i.IsDir() {
			total += st.Blocks * 512
		}
		return nil
	})
	return total
}
