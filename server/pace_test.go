package server

import "testing"

func TestGCPercent(t *testing.T) {
	for _, x := range []struct {
		live uint64
		want int
	}{{0, 1000}, {10 << 20, 1000}, {64 << 20, 800}, {256 << 20, 200}, {1 << 30, 50}, {4 << 30, 12}, {16 << 30, 8}} {
		if got := gcPercent(x.live); got != x.want {
			t.Errorf("with %d MB alive the heap may grow by %d %%, want %d", x.live>>20, got, x.want)
		}
	}
}
