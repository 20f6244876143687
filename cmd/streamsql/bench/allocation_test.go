package bench

import (
	"io"
	"testing"

	"streamsql/tests/servers"
)

// TestAllocation: of so many events more, the sparing queries allocate about what their
// bar says, beside what the state grows by. What a process takes once is in both runs.
// Checkpoints fall as they like in runs so short, hence twice the bar: chunks that are
// not used again make ten times as much.
func TestAllocation(t *testing.T) {
	const few, many = 500_000, 2_500_000
	o := &options{host: Host{Binary: servers.Binary(t)}, workers: 2, progress: newProgress(io.Discard)}
	for _, q := range sparing {
		c := nexmarkCase{q, "b"}
		var allocated [2]float64
		for k, events := range []int64{few, many} {
			run, err := o.timedRun(t.Context(), c, events, false)
			if err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			allocated[k] = float64(run.used.Allocated) - float64(run.memory)
		}
		each := (allocated[1] - allocated[0]) / (many - few)
		t.Logf("%s: %.1f bytes an event", c, each)
		if each > 2*allocation {
			t.Errorf("%s allocates %.1f bytes an event beside its state, more than %d", c, each, 2*allocation)
		}
	}
}
