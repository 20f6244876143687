package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Each dimension runs at sizes that measure nothing, with its check and its
// charts. That a hundred views cost little more than one is seen even so.
func TestGrowth(t *testing.T) {
	growthEvents, wideRows, storedBids, batchesFor = 50_000, 2000, 20_000, 20*time.Millisecond
	small := map[string][]float64{"partitions": {8}, "keys": {1000}, "views": {1, 100}, "columns": {32}, "batches": {3000}}
	for _, d := range dimensions {
		defer func(all []float64) { d.sizes = all }(d.sizes)
		d.sizes = small[d.name]
	}
	dir := t.TempDir()
	code, out, errs := bench(t, "growth", "--json", "--svg="+dir)
	var r Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s\n%s", code, err, errs, out)
	}
	figures := map[string][]string{
		"partitions": {"events/s", "events/s/core", "cpu", "generator", "RSS"},
		"keys":       {"groups", "events/s", "cpu", "state", "RSS/group"},
		"views":      {"events/s", "cpu", "of one", "stored", "stored, of one"},
		"columns":    {"written", "read of 32"},
		"batches":    {"rows/s", "cpu", "view", "p50"},
	}
	for _, x := range r.Results {
		for _, name := range figures[x.Series] {
			if f := x.figure(name); f == nil || f.Value <= 0 {
				t.Errorf("%s: figure %s is %+v", x.Name, name, f)
			}
		}
	}
	if want := len(dimensions) + 1; len(r.Results) != want {
		t.Errorf("%d results, want %d", len(r.Results), want)
	}
	// Neighbours on the machine only ever add to what is measured.
	for attempt := 1; !r.result("views 100").figure("stored, of one").Bar.Met; attempt++ {
		if attempt == 3 {
			t.Errorf("a hundred views cost %+v times what one does", r.result("views 100").figure("stored, of one"))
			break
		}
		r = Report{}
		if code, out, errs = bench(t, "growth", "--of=views", "--json"); code != 0 || json.Unmarshal([]byte(out), &r) != nil {
			t.Fatalf("exit code %d\n%s\n%s", code, errs, out)
		}
	}
	for _, d := range dimensions {
		for _, c := range d.charts {
			svg, err := os.ReadFile(filepath.Join(dir, "growth-"+d.name+"-"+c.name+".svg"))
			if got, want := strings.Count(string(svg), "<circle"), len(d.sizes)*len(c.lines); err != nil || got != want {
				t.Errorf("chart %s of %s: %d points, want %d (%v)", c.name, d.name, got, want, err)
			}
		}
	}
}

// What measured several times lies wholly on one side of what was measured before is a
// change; what was measured once, beyond its noise.
func TestVerdicts(t *testing.T) {
	once := func(v float64, b Better) *Figure { return &Figure{Value: v, Better: b} }
	often := func(low, v, high float64) *Figure { return &Figure{Value: v, Low: low, High: high, Better: Lower} }
	for _, c := range []struct {
		was, is *Figure
		want    verdict
	}{
		{once(100, Higher), once(109, Higher), same},
		{once(100, Higher), once(112, Higher), better},
		{once(100, Lower), once(112, Lower), worse},
		{once(100, Lower), once(88, Lower), better},
		{often(10, 11, 12), often(12.1, 13, 14), worse},
		{often(10, 11, 12), often(11.9, 13, 14), same},
		{often(10, 11, 12), often(8, 9, 9.9), better},
	} {
		if got := c.is.verdict(c.was); got != c.want {
			t.Errorf("%s after %s is %s, want %s", c.is.ranged(), c.was.ranged(), got, c.want)
		}
	}
	if got := chance(5, 5); got != 126 {
		t.Errorf("one in %v by chance, want 126", got)
	}
}

func TestMedians(t *testing.T) {
	var runs [][]Result
	for _, v := range []float64{5, 1, 3, 4} {
		r := Result{Name: "a"}
		r.less("cpu", "s", v).atMost(3.6)
		runs = append(runs, []Result{r})
	}
	f := medians(runs)[0].figure("cpu")
	if f.Value != 3.5 || f.Low != 1 || f.High != 5 || !f.Bar.Met {
		t.Errorf("%+v, %+v", f, f.Bar)
	}
}
