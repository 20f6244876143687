package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"streamsql/tests/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// bench runs the command, and returns its exit code and what it printed.
func bench(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), args, Host{Binary: servers.Binary(t), Version: "test", Stdout: &stdout, Stderr: &stderr})
	return code, stdout.String(), stderr.String()
}

// Each lane runs at a size that measures nothing, with all that a run has: the small
// set of events, the kill, the check of the result, freshness, a file to compare with.
func TestNexmark(t *testing.T) {
	warmUp, sampleFor = 100*time.Millisecond, time.Second
	saved := filepath.Join(t.TempDir(), "saved")
	code, out, errs := bench(t, "nexmark", "--queries=q2", "--lane=a,b,c", "--events=20000", "--json", "--save="+saved)
	if code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, errs, out)
	}
	var r Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 3 {
		t.Fatalf("%d results:\n%s", len(r.Results), out)
	}
	for _, x := range r.Results {
		names := []string{"events", "rows/s", "events/s/core", "alloc", "RSS", "restart"}
		if !strings.HasSuffix(x.Name, " c") {
			names = append(names, "generator", "p50", "p99")
		}
		for _, name := range names {
			if f := x.figure(name); f == nil || f.Value <= 0 {
				t.Errorf("%s: figure %s is %v", x.Name, name, f)
			}
		}
	}
	code, out, errs = bench(t, "nexmark", "--queries=q2", "--lane=b", "--events=5000", "--against="+saved)
	if code != 0 || !strings.Contains(out, "against test of") || !strings.Contains(out, "ratio") || !strings.Contains(out, "✗") {
		t.Errorf("exit code %d\n%s\n%s", code, errs, out)
	}
}

// The others run at a size that measures nothing.
func TestEveryMeasurement(t *testing.T) {
	lookupKeys, startKeys, startTimes, stallRows = 2000, 2000, 1, 20_000
	for _, c := range []struct {
		args    string
		results int
		figures []string
	}{
		{"ingest --length=300ms", 3, []string{"rows/s", "cpu", "p50", "p99"}},
		{"lookup --length=300ms", 3, []string{"look-ups/s", "cpu", "p50", "p99"}},
		{"freshness --length=500ms", 2, []string{"p50", "p99"}},
		{"start", 2, []string{"start"}},
		{"stall", 6, []string{"change", "longest wait", "longest quantum"}},
	} {
		code, out, errs := bench(t, append(strings.Fields(c.args), "--json")...)
		var r Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || len(r.Results) != c.results {
			t.Errorf("bench %s: exit code %d, %v\n%s\n%s", c.args, code, err, errs, out)
			continue
		}
		for _, x := range r.Results {
			for _, name := range c.figures {
				if f := x.figure(name); f == nil || f.Value <= 0 {
					t.Errorf("bench %s: %s: figure %s is %v", c.args, x.Name, name, f)
				}
			}
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "usage"},
		{"nothing", `no measurement "nothing"`},
		{"nexmark --queries=q77", `there is no query "q77"`},
		{"nexmark --lane=x", `there is no lane "x"`},
		{"nexmark --against=/nowhere", "no such file"},
		{"growth --of=hair", `nothing called "hair"`},
		{"nexmark q5", `unexpected argument "q5"`},
	} {
		code, _, errs := bench(t, strings.Fields(c.args)...)
		if code == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("bench %s: exit code %d, %s", c.args, code, errs)
		}
	}
}

func TestMissedBars(t *testing.T) {
	r := &Report{Results: make([]Result, 1)}
	r.Results[0].add("a", "M", 2).atLeast(3)
	r.Results[0].add("b", "M", 3).atLeast(3)
	r.Results[0].add("c", "ms", 2).atMost(3)
	r.Results[0].add("d", "ms", 4).atMost(3)
	if r.missed() != 2 {
		t.Errorf("%d bars missed, want 2", r.missed())
	}
	var out bytes.Buffer
	if err := r.table(&out); err != nil || !strings.Contains(out.String(), "2.00 ✗≥3.00") || !strings.Contains(out.String(), "2 of 4 met") {
		t.Errorf("%v\n%s", err, &out)
	}
}

func TestMarkdown(t *testing.T) {
	r := &Report{Command: "nexmark", Results: make([]Result, 3)}
	for k := range r.Results[:2] {
		x := &r.Results[k]
		x.Name = []string{"q1 b", "q2 b"}[k]
		x.add("events", "M", 30)
		x.add("events/s/core", "M", 2+float64(k)).atLeast(3)
		x.add("alloc", "B/ev", 15).atMost(16)
	}
	r.Results[2] = Result{Name: "q3 b", Wrong: "gone"}
	var out bytes.Buffer
	want := `
|  | events/s/core M | alloc B/ev |
|---|---|---|
| q1 b | 2.00 ✗≥3.00 | 15.0 |
| q2 b | 3.00 | 15.0 |
| q3 b | FAILED: gone |
`
	if err := r.markdown(&out); err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, &out)
	}
}

// What comes at a moment is in the next cut, and as old as that when it is seen.
func TestFreshnessOfMoments(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(1_000_000 + ms)) }
	s := &sampler{
		cuts: []sight{{1, at(0)}, {2, at(10)}, {3, at(20)}, {4, at(120)}},
		seen: []sight{{1, at(1)}, {2, at(12)}, {3, at(21)}, {4, at(130)}},
	}
	f, err := s.freshness()
	if err != nil || f.p50 < 45*time.Millisecond || f.p50 > 55*time.Millisecond || f.p99 < 100*time.Millisecond || f.p99 > 110*time.Millisecond {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestLonger: a run that was too short is followed by one that is long enough in both
// events and time.
func TestLonger(t *testing.T) {
	for _, c := range []struct {
		events, at int64
		took       time.Duration
	}{
		{leastEvents, 112_500_000, 10 * time.Second}, {leastEvents, 1_125_000_000, time.Second}, {60_000_000, 75_000_000, 30 * time.Second},
	} {
		if got := longer(c.events, c.took); got != c.at {
			t.Errorf("after %d events in %v: %d, want %d", c.events, c.took, got, c.at)
		}
	}
}
