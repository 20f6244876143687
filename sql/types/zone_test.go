package types

import (
	"testing"
	"time"
)

func TestZone(t *testing.T) {
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]int{ // seconds east of UTC in July
		"": 0, "utc": 0, "+00:00": 0, "+02:00": 7200, "-13:59": -50340, "+14:00": 50400, "+5:30": 19800, "Europe/Berlin": 7200,
		"europe/berlin": 7200, "us/eastern": -14400, "est": -18000,
	} {
		loc, ok := Zone(name)
		if !ok {
			t.Errorf("%q is not known", name)
			continue
		}
		if _, got := noon.In(loc).Zone(); got != want {
			t.Errorf("%q is %d s east, want %d", name, got, want)
		}
	}
	if loc, ok := Zone("system"); !ok || loc != time.Local {
		t.Errorf("SYSTEM is %v", loc)
	}
	for _, name := range []string{"Local", "+14:01", "-14:00", "+1", "+01:60", "+01:0", "+-1:00", "Mars/Olympus"} {
		if loc, ok := Zone(name); ok {
			t.Errorf("%q is %v", name, loc)
		}
	}
}
