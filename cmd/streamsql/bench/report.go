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

// Figure is one number that was measured.
type Figure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit,omitempty"`
	Value float64 `json:"value"`
	Bar   *Bar    `json:"bar,omitempty"`
}

// Bar is what a figure should reach.
type Bar struct {
	Value  float64 `json:"value"`
	AtMost bool    `json:"at_most,omitempty"` // else at least
	Met    bool    `json:"met"`
}

// Result is what one measurement gave: of one query in one lane, say.
type Result struct {
	Name    string   `json:"name"`
	Figures []Figure `json:"figures,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Wrong   string   `json:"wrong,omitempty"` // why there are no figures
}

// add appends a figure.
func (r *Result) add(name, unit string, value float64) *Figure {
	r.Figures = append(r.Figures, Figure{Name: name, Unit: unit, Value: value})
	return &r.Figures[len(r.Figures)-1]
}

// atLeast and atMost give a figure its bar.
func (f *Figure) atLeast(v float64) {
	f.Bar = &Bar{Value: v, Met: f.Value >= v}
}

func (f *Figure) atMost(v float64) {
	f.Bar = &Bar{Value: v, AtMost: true, Met: f.Value <= v}
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
	Workers int       `json:"workers"` // 0: one per core
	Results []Result  `json:"results"`
}

func newReport(command, version string, o *options, results []Result) *Report {
	return &Report{
		Command: command, At: time.Now().UTC().Truncate(time.Second), Version: version, Workers: o.workers, Results: results,
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
	if o.json {
		if _, err := o.host.Stdout.Write(text); err != nil {
			return err
		}
	} else if err := r.table(o.host.Stdout); err != nil {
		return err
	}
	if before != nil {
		w := o.host.Stdout
		if o.json {
			w = o.host.Stderr
		}
		return r.ratios(w, before)
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

// ratios prints what each figure is of the earlier one.
func (r *Report) ratios(w io.Writer, before *Report) error {
	fmt.Fprintf(w, "\nagainst %s of %s:\n", before.Version, before.At.Format(time.DateTime))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range r.Results {
		x := &r.Results[i]
		for k := range before.Results {
			old := &before.Results[k]
			if old.Name != x.Name {
				continue
			}
			for _, f := range x.Figures {
				was := old.figure(f.Name)
				if was == nil || was.Value == 0 || was.Unit != f.Unit {
					continue
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t→ %s %s\t× %.2f\n", x.Name, f.Name, number(was.Value), number(f.Value), f.Unit, f.Value/was.Value)
			}
		}
	}
	return t.Flush()
}
