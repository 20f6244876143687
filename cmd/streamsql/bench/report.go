package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// Figure is one number that was measured; of what was measured several times, the
// median.
type Figure struct {
	Name   string  `json:"name"`
	Unit   string  `json:"unit,omitempty"`
	Value  float64 `json:"value"`
	Low    float64 `json:"low,omitempty"`  // the least and the most, if it was
	High   float64 `json:"high,omitempty"` // measured several times
	Better Better  `json:"better,omitempty"`
	Bar    *Bar    `json:"bar,omitempty"`
}

// Better says which values of a figure are good.
type Better string

// A figure without either only describes the run.
const (
	Higher Better = "higher"
	Lower  Better = "lower"
)

// Bar is what a figure should reach.
type Bar struct {
	Value  float64 `json:"value"`
	AtMost bool    `json:"at_most,omitempty"` // else at least
	Met    bool    `json:"met"`
}

// Result is what one measurement gave: of one query in one lane, say, or at one size.
type Result struct {
	Name    string   `json:"name"`
	Series  string   `json:"series,omitempty"` // of measurements that differ in X alone
	X       float64  `json:"x,omitempty"`
	Figures []Figure `json:"figures,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Wrong   string   `json:"wrong,omitempty"` // why there are no figures
}

// add appends a figure.
func (r *Result) add(name, unit string, value float64) *Figure {
	r.Figures = append(r.Figures, Figure{Name: name, Unit: unit, Value: value})
	return &r.Figures[len(r.Figures)-1]
}

// more and less append one of which more, or less, is better.
func (r *Result) more(name, unit string, value float64) *Figure {
	f := r.add(name, unit, value)
	f.Better = Higher
	return f
}

func (r *Result) less(name, unit string, value float64) *Figure {
	f := r.add(name, unit, value)
	f.Better = Lower
	return f
}

// atLeast and atMost give a figure its bar.
func (f *Figure) atLeast(v float64) { f.setBar(Bar{Value: v}) }

func (f *Figure) atMost(v float64) { f.setBar(Bar{Value: v, AtMost: true}) }

func (f *Figure) setBar(b Bar) {
	b.Met = f.Value >= b.Value
	if b.AtMost {
		b.Met = f.Value <= b.Value
	}
	f.Bar = &b
}

// figure finds one by its name.
func (r *Result) figure(name string) *Figure {
	for i := range r.Figures {
		if r.Figures[i].Name == name {
			return &r.Figures[i]
		}
	}
	return nil
}

// Report is a whole run.
type Report struct {
	Command string    `json:"command"`
	At      time.Time `json:"at"`
	Version string    `json:"version"`
	Machine string    `json:"machine"`
	Workers int       `json:"workers"`           // 0: one per core
	Repeats int       `json:"repeats,omitempty"` // how often each figure was measured
	Results []Result  `json:"results"`
}

func newReport(command, version string, o *options, results []Result) *Report {
	return &Report{
		Command: command, At: time.Now().UTC().Truncate(time.Second), Version: version, Workers: o.workers, Repeats: o.repeats, Results: results,
		Machine: fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version()),
	}
}

// missed counts the bars that were.
func (r *Report) missed() (n int) {
	for _, x := range r.Results {
		for _, f := range x.Figures {
			if f.Bar != nil && !f.Bar.Met {
				n++
			}
		}
	}
	return n
}

// put prints the report, saves it, and compares it with an earlier one (nil: none).
func (r *Report) put(o *options, before *Report) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if o.save != "" {
		if err := os.WriteFile(o.save, text, 0o644); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		if _, err := o.host.Stdout.Write(text); err != nil {
			return err
		}
	case o.markdown:
		if err := r.markdown(o.host.Stdout); err != nil {
			return err
		}
	default:
		if err := r.table(o.host.Stdout); err != nil {
			return err
		}
	}
	if before != nil {
		w := o.host.Stdout
		if o.json {
			w = o.host.Stderr
		}
		return r.against(w, before)
	}
	return nil
}

func readReport(path string) (*Report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s is no report of streamsql bench: %w", path, err)
	}
	return r, nil
}

// table prints results with the same figures below each other.
func (r *Report) table(w io.Writer) error {
	fmt.Fprintf(w, "streamsql bench %s · %s · %s\n", r.Command, r.Version, r.Machine)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := ""
	for _, x := range r.Results {
		if x.Wrong != "" {
			continue
		}
		names, cells := []string{""}, []string{x.Name}
		for _, f := range x.Figures {
			names = append(names, strings.TrimSpace(f.Name+" "+f.Unit))
			cells = append(cells, f.cell())
		}
		if h := strings.Join(names, "\t"); h != head {
			fmt.Fprintf(t, "\t\n%s\t\n", h)
			head = h
		}
		fmt.Fprintf(t, "%s\t\n", strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	bars := 0
	for _, x := range r.Results {
		for _, f := range x.Figures {
			if f.Bar != nil {
				bars++
			}
		}
		for _, n := range x.Notes {
			fmt.Fprintf(w, "%s: %s\n", x.Name, n)
		}
		if x.Wrong != "" {
			fmt.Fprintf(w, "%s: FAILED: %s\n", x.Name, x.Wrong)
		}
	}
	if bars > 0 {
		fmt.Fprintf(w, "bars: %d of %d met (✓ met, ✗ missed, with the bar)\n", bars-r.missed(), bars)
	}
	return nil
}

// cell is the figure with its bar.
func (f *Figure) cell() string {
	text := number(f.Value)
	if f.Bar == nil {
		return text
	}
	mark, sign := "✗", "≥"
	if f.Bar.Met {
		mark = "✓"
	}
	if f.Bar.AtMost {
		sign = "≤"
	}
	return fmt.Sprintf("%s %s%s%s", text, mark, sign, number(f.Bar.Value))
}

// number has three digits that count.
func number(v float64) string {
	switch a := max(v, -v); {
	case a == 0:
		return "0"
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3g", v)
	}
}
