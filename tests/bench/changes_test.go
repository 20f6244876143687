package main

import (
	"testing"
	"time"
)

// A one-row change costs the same whatever the state, end to end. make bench
// measures it at 10 K and 1 M rows; here the sizes are what a test can wait for.
func TestOneRowChanges(t *testing.T) {
	const small, large = 2_000, 50_000
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			least, most := time.Hour, time.Hour
			for attempt := 0; ; attempt++ {
				a, err := c.cost(small)
				if err != nil {
					t.Fatal(err)
				}
				b, err := c.cost(large)
				if err != nil {
					t.Fatal(err)
				}
				// Neighbours on the machine only ever add to what is measured.
				least, most = min(least, a), min(most, b)
				if most <= 2*least {
					t.Logf("%v at %d rows, %v at %d", least, small, most, large)
					return
				}
				if attempt == 3 {
					t.Fatalf("a one-row change takes %v of CPU at %d rows, %v at %d", least, small, most, large)
				}
			}
		})
	}
}
