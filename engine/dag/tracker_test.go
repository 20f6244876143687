package dag

import (
	"math/rand/v2"
	"testing"
)

// TestTrackerAnyOrder sends a batch through stages of tasks; however their
// reports are ordered, the batch is complete exactly once, at the last of them.
func TestTrackerAnyOrder(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		done := 0
		tr := NewTracker(func(uint64) { done++ })
		var start uint64
		edges := make([]uint64, 3) // into stage 1
		for i := range edges {
			edges[i] = NewToken()
			start ^= edges[i]
		}
		tr.Apply(7, start)
		var reports []uint64
		for range 3 { // stages
			next := make([]uint64, 3)
			for i := range edges {
				next[i] = NewToken()
				reports = append(reports, edges[i]^next[i])
			}
			edges = next
		}
		reports = append(reports, edges...)
		rnd.Shuffle(len(reports), func(a, b int) { reports[a], reports[b] = reports[b], reports[a] })
		for i, r := range reports {
			if done != 0 {
				t.Fatalf("seed %d: complete after %d of %d reports", seed, i, len(reports))
			}
			tr.Apply(7, r)
		}
		if done != 1 || tr.Open() != 0 {
			t.Fatalf("seed %d: complete %d times, %d batches open", seed, done, tr.Open())
		}
	}
}
