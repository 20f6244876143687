package timeline

import "testing"

func TestTimeNeverGoesBackwards(t *testing.T) {
	var tl Timeline
	tl.Add(tl.Next(3, 1000, nil))
	c := tl.Next(2, 900, nil)
	if c.ID != 2 || c.Time != 1000 || c.LogSeq != 3 {
		t.Errorf("after a cut at (3, 1000), a cut at (2, 900) is %+v; the clock and the log must not go back", c)
	}
}

func TestCovering(t *testing.T) {
	var tl Timeline
	if id, ok := tl.Covering(0); id != 0 || !ok {
		t.Errorf("nothing written is covered from the start, got %d, %v", id, ok)
	}
	for _, seq := range []uint64{2, 2, 7} {
		tl.Add(tl.Next(seq, 0, nil))
	}
	for _, x := range []struct{ seq, id uint64 }{{1, 1}, {2, 1}, {3, 3}, {7, 3}} {
		if id, ok := tl.Covering(x.seq); id != x.id || !ok {
			t.Errorf("sequence %d is first covered by batch %d, got %d, %v", x.seq, x.id, id, ok)
		}
	}
	if _, ok := tl.Covering(8); ok {
		t.Error("sequence 8 is not covered yet")
	}
}

func TestRecentCutsOnly(t *testing.T) {
	var tl Timeline
	for i := range uint64(3 * Keep) {
		tl.Add(tl.Next(i, 0, nil))
	}
	if _, ok := tl.Get(1); ok {
		t.Error("the first cut should be forgotten")
	}
	last := tl.Last().ID
	if c, ok := tl.Get(last - 10); !ok || c.ID != last-10 {
		t.Errorf("cut %d: got %+v, %v", last-10, c, ok)
	}
	if id, ok := tl.Covering(0); !ok || id == 0 {
		t.Errorf("a forgotten position is covered by the oldest cut, got %d, %v", id, ok)
	}
}
