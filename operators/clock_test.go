package operators

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"streamsql/sql/types"
)

func zone(t testing.TB, name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// zones change their clocks at 2 or 3 o'clock, at midnight either way, by half an
// hour, and by a whole day.
var zones = []string{"Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kolkata"}

// Days are local days, also on those of 23 and 25 hours.
func TestWindowsOfDays(t *testing.T) {
	day := WindowSpec{Kind: Tumble, Size: types.Day, Slide: types.Day}
	for _, c := range []struct{ zone, at, start, end string }{
		{"Europe/Berlin", "2024-03-31T12:00:00+02:00", "2024-03-31T00:00:00+01:00", "2024-04-01T00:00:00+02:00"},
		{"Europe/Berlin", "2024-03-31T00:00:00+01:00", "2024-03-31T00:00:00+01:00", "2024-04-01T00:00:00+02:00"},
		{"Europe/Berlin", "2024-10-27T02:30:00+02:00", "2024-10-27T00:00:00+02:00", "2024-10-28T00:00:00+01:00"},
		{"Europe/Berlin", "2024-10-27T02:30:00+01:00", "2024-10-27T00:00:00+02:00", "2024-10-28T00:00:00+01:00"},
		{"America/Havana", "2024-11-03T00:30:00-04:00", "2024-11-03T00:00:00-04:00", "2024-11-04T00:00:00-05:00"},
		{"America/Havana", "2024-11-03T00:30:00-05:00", "2024-11-03T00:00:00-04:00", "2024-11-04T00:00:00-05:00"},
		{"America/Sao_Paulo", "2018-11-04T05:00:00-02:00", "2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"},
		{"America/Sao_Paulo", "2018-02-17T23:30:00-03:00", "2018-02-17T00:00:00-02:00", "2018-02-18T00:00:00-03:00"},
	} {
		loc := zone(t, c.zone)
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		got := newClock(day, loc).windows(nil, at.UnixMicro())
		for i, want := range []string{c.start, c.end} {
			us := []int64{got[0].start, got[0].end}[i]
			if text := time.UnixMicro(us).In(loc).Format(time.RFC3339); text != want {
				t.Errorf("%s %s: bound %d is %s, want %s", c.zone, c.at, i, text, want)
			}
		}
	}
}

func drawSpec(t *rapid.T) WindowSpec {
	unit := rapid.SampledFrom([]int64{types.Second, types.Minute, 15 * types.Minute, types.Hour, types.Day}).Draw(t, "unit")
	s := WindowSpec{Kind: rapid.SampledFrom([]WindowKind{Tumble, Hop, Cumulate}).Draw(t, "kind")}
	s.Slide = rapid.Int64Range(1, 4).Draw(t, "slide") * unit
	s.Size = s.Slide
	switch s.Kind {
	case Hop:
		s.Size = rapid.Int64Range(1, 9).Draw(t, "size") * unit
	case Cumulate:
		s.Size *= rapid.Int64Range(1, 5).Draw(t, "size")
	}
	s.Offset = rapid.Int64Range(-3, 3).Draw(t, "offset") * unit / 2
	return s
}

// On a clock that is never changed, the windows are those that hold the time,
// among all there are around it.
func TestWindowsHoldTheTime(t0 *testing.T) {
	rapid.Check(t0, func(t *rapid.T) {
		s := drawSpec(t)
		at := rapid.Int64Range(-40*types.Day, 40*types.Day).Draw(t, "at")
		step := s.Size
		if s.Kind == Hop {
			step = s.Slide
		}
		var want []bounds
		for k := (at-s.Offset-s.Size)/step - 2; k <= (at-s.Offset)/step+2; k++ {
			start := s.Offset + k*step
			lengths := []int64{s.Size}
			for l := s.Slide; s.Kind == Cumulate && l < s.Size; l += s.Slide {
				lengths = append(lengths, l)
			}
			for _, l := range lengths {
				if start <= at && at < start+l {
					want = append(want, bounds{start, start + l})
				}
			}
		}
		got := newClock(s, nil).windows(nil, at)
		order := func(a, b bounds) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.Equal(got, want) {
			t.Fatalf("%+v at %d: got %v, want %v", s, at, got, want)
		}
	})
}

// In any zone, each window holds the time, and whoever is in a window is in the
// very same one: the windows do not depend on which row finds them.
func TestWindowsAgreeInZones(t0 *testing.T) {
	rapid.Check(t0, func(t *rapid.T) {
		s := drawSpec(t)
		loc := zone(t0, rapid.SampledFrom(zones).Draw(t, "zone"))
		c := newClock(s, loc)
		year := time.Date(rapid.IntRange(2009, 2025).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
		at := year + rapid.Int64Range(0, 366*types.Day/types.Second).Draw(t, "at")*types.Second
		if rapid.Bool().Draw(t, "near a change") {
			if _, to, _ := period(at, loc); to != 1<<63-1 {
				at = to + rapid.Int64Range(-100, 100).Draw(t, "off")*15*types.Minute
			}
		}
		for _, w := range c.windows(nil, at) {
			if at < w.start || at >= w.end {
				t.Fatalf("%+v: %d is not in %v", s, at, w)
			}
			other := w.start + rapid.Int64Range(0, w.end-w.start-1).Draw(t, "other")
			if !slices.Contains(newClock(s, loc).windows(nil, other), w) {
				t.Fatalf("%+v in %s: %s is in %v, but %s is not", s, loc, time.UnixMicro(at).In(loc), w, time.UnixMicro(other).In(loc))
			}
		}
	})
}

// A pane is in the same windows from its beginning to its end, in any zone, and
// no pane is longer than it must be on a clock that is never changed.
func TestPanes(t0 *testing.T) {
	rapid.Check(t0, func(t *rapid.T) {
		s := drawSpec(t)
		loc := time.UTC
		if rapid.Bool().Draw(t, "in a zone") {
			loc = zone(t0, rapid.SampledFrom(zones).Draw(t, "zone"))
		}
		at := time.Date(rapid.IntRange(2009, 2025).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
		at += rapid.Int64Range(0, 366*types.Day/types.Second).Draw(t, "at") * types.Second
		if _, to, _ := period(at, loc); to != 1<<63-1 && rapid.Bool().Draw(t, "near a change") {
			at = to + rapid.Int64Range(-100, 100).Draw(t, "off")*15*types.Minute
		}
		var p, other pane
		p.find(newClock(s, loc), at)
		if at < p.from || at >= p.to {
			t.Fatalf("%+v: %d is not in its pane from %d to %d", s, at, p.from, p.to)
		}
		if !slices.IsSortedFunc(p.windows, func(a, b bounds) int { return cmp.Compare(b.end, a.end) }) {
			t.Fatalf("%+v: %v do not stand the latest first", s, p.windows)
		}
		for _, x := range []int64{p.from, p.to - 1, rapid.Int64Range(p.from, p.to-1).Draw(t, "other")} {
			if other.find(newClock(s, loc), x); !slices.Equal(other.windows, p.windows) || other.from != p.from || other.to != p.to {
				t.Fatalf("%+v in %s: %d is in %v, %d of the same pane is in %v", s, loc, at, p, x, other)
			}
		}
		if loc == time.UTC {
			if other.find(newClock(s, loc), p.to); slices.Equal(other.windows, p.windows) && len(p.windows) > 0 {
				t.Fatalf("%+v: the pane of %d ends at %d, its windows do not", s, at, p.to)
			}
		}
		mark := at + rapid.Int64Range(-2, 2).Draw(t, "mark")*s.Slide
		open := p.open(mark)
		for k, w := range p.windows {
			if (w.end > mark) != (k < open) {
				t.Fatalf("%d of %v are open at %d", open, p.windows, mark)
			}
		}
	})
}
