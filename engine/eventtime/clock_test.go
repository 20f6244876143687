package eventtime

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestClock runs testdata/clock: a story a test, a line a step.
//
//	new partitions delay timeout
//	stamp partition high        the block waits then
//	cut moment [partition…]     takes in the oldest waiting block of each
//	fail partition              its newest waiting block is not to be
//	restart                     to the state as of the last cut, with what waits
func TestClock(t *testing.T) {
	datadriven.RunTest(t, "testdata/clock", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		var c *Clock
		var waiting [][][2]int64
		var size [3]int64
		for line := range strings.Lines(d.Input) {
			f := strings.Fields(line)
			n := make([]int64, len(f))
			for i := 1; i < len(f); i++ {
				if f[i] == "none" {
					n[i] = None
				} else if _, err := fmt.Sscan(f[i], &n[i]); err != nil {
					t.Fatal(err)
				}
			}
			switch f[0] {
			case "new":
				copy(size[:], n[1:])
				c, waiting = New(int(n[1]), n[2], n[3], 0), make([][][2]int64, n[1])
			case "stamp":
				before, woke := c.Stamp(int(n[1]), n[2])
				waiting[n[1]] = append(waiting[n[1]], [2]int64{before, n[2]})
				fmt.Fprintf(&out, "stamp %d: %s woke=%t\n", n[1], text(before), woke)
			case "fail":
				w := waiting[n[1]]
				waiting[n[1]] = w[:len(w)-1]
				c.Unstamp(int(n[1]))
			case "cut":
				for _, p := range n[2:] {
					w := waiting[p][0]
					waiting[p] = waiting[p][1:]
					c.Take(int(p), w[0], w[1], n[1])
				}
				moved, turned := c.Advance(n[1])
				fmt.Fprintf(&out, "cut %d: watermark %s moved=%t turned=%t idle=%v next=%s\n", n[1], text(c.Watermark()), moved, turned, c.Idle(), text(c.IdleAt()))
			case "restart":
				s := c.State()
				c = New(int(size[0]), size[1], size[2], 0)
				c.Restore(s)
				for p, ws := range waiting {
					for _, w := range ws {
						c.Restamped(p, w[0], w[1])
					}
				}
			default:
				t.Fatalf("what is %q?", f[0])
			}
		}
		return out.String()
	})
}

func text(x int64) string {
	switch x {
	case None:
		return "none"
	case Never:
		return "never"
	}
	return fmt.Sprint(x)
}

// TestNothingComesBehind: whatever the order of stamps and cuts, no row is stamped
// as in time for what the watermark had already closed, also across restarts, and
// the watermark never goes back.
func TestNothingComesBehind(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		parts := 1 + r.IntN(4)
		delay, timeout := int64(r.IntN(10)), int64(r.IntN(3)*r.IntN(40))
		c := New(parts, delay, timeout, 0)
		type block struct {
			part         int
			before, high int64
		}
		var log []block // stamped, not cut
		now, last := int64(0), None
		for range 300 {
			switch r.IntN(4) {
			case 0, 1:
				b := block{part: r.IntN(parts), high: int64(r.IntN(500)) + now}
				if r.IntN(10) == 0 {
					b.high = None
				}
				b.before, _ = c.Stamp(b.part, b.high)
				if b.before < last {
					t.Fatalf("seed %d: stamped %s behind the watermark %s", seed, text(b.before), text(last))
				}
				log = append(log, b)
			case 2:
				now += int64(r.IntN(30))
				for n := r.IntN(len(log) + 1); n > 0; n-- {
					if log[0].before < last {
						t.Fatalf("seed %d: a row that saw %s is cut behind the watermark %s", seed, text(log[0].before), text(last))
					}
					c.Take(log[0].part, log[0].before, log[0].high, now)
					log = log[1:]
				}
				c.Advance(now)
				if c.Watermark() < last {
					t.Fatalf("seed %d: the watermark went back from %s to %s", seed, text(last), text(c.Watermark()))
				}
				last = c.Watermark()
			case 3:
				s := c.State()
				c = New(parts, delay, timeout, 0)
				c.Restore(s)
				for _, b := range log {
					c.Restamped(b.part, b.before, b.high)
				}
			}
		}
	}
}
