package server

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// What may be allocated between two collections. A collection takes a core for
// some milliseconds, in which clients wait; but what must stay, once it is large, is
// pages of state, which hold no pointers and cost a collection next to nothing.
const (
	paceBytes  = 512 << 20
	minPercent = 8
	maxPercent = 1000

	idleBytes   = 8 << 20 // who allocates less in a second is idle
	settleTicks = 4       // seconds after which checkpoints have let go of what they held
)

// PaceGC keeps collections rare until ctx is done: it lets the heap grow by half
// a gigabyte, but at most tenfold, or by a twelfth of what must stay, whichever is
// more. A server that has become idle collects, at once and after the last
// checkpoint, and gives memory back to the system. GOGC in the environment overrules it.
func PaceGC(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	m := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	var before uint64
	busy, idle := true, 0
	set := maxPercent
	debug.SetGCPercent(set)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		metrics.Read(m)
		live, allocated := m[0].Value.Uint64(), m[1].Value.Uint64()
		busy, before = allocated-before >= idleBytes, allocated
		if idle++; busy {
			idle = 0
		}
		if idle == 1 || idle == settleTicks {
			debug.FreeOSMemory()
		}
		// Setting it stops the world for a moment: only when it makes a difference.
		if p := gcPercent(live); p*5 < set*4 || p*4 > set*5 {
			set = p
			debug.SetGCPercent(set)
		}
	}
}

// gcPercent is the growth for a heap of which so much must stay.
func gcPercent(live uint64) int {
	if live == 0 {
		return maxPercent
	}
	return int(max(minPercent, min(maxPercent, paceBytes*100/live)))
}
