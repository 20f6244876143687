package child

import (
	"os/exec"
	"testing"
)

// TestPeakIsTheProcessOwn: what this process has had is not told of one that it starts.
func TestPeakIsTheProcessOwn(t *testing.T) {
	const size = 256 << 20
	held := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		held[i] = 1
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	if own := OwnUsage().PeakRSS; own < size {
		t.Errorf("of its own, %d bytes are told", own)
	}
	if peak := peakRSS(cmd.Process.Pid, nil); peak <= 0 || peak > size/4 {
		t.Errorf("sleep has had %d bytes", peak)
	}
	held[0]++
}
