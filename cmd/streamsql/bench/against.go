package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// noise is how far a figure that was measured once is taken to be from the true one,
// as a share. On a quiet machine it is nearer, on a busy one it may not be: --repeats
// measures that instead of assuming it.
const noise = 0.05

// against prints, for each figure that both runs have, what it was and is, their
// ratio, and whether that means anything.
func (r *Report) against(w io.Writer, before *Report) error {
	fmt.Fprintf(w, "\nagainst %s of %s", before.Version, before.At.Format(time.DateTime))
	if before.Machine != r.Machine || before.Workers != r.Workers {
		fmt.Fprintf(w, ", on another machine or with other workers: %s, %d workers", before.Machine, before.Workers)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tfigure\tbefore\tnow\t\tratio\tverdict")
	counts := map[verdict]int{}
	for i := range r.Results {
		x := &r.Results[i]
		old := before.result(x.Name)
		if old == nil {
			continue
		}
		for k := range x.Figures {
			f := &x.Figures[k]
			was := old.figure(f.Name)
			if was == nil || was.Value == 0 || was.Unit != f.Unit || f.Better == "" {
				continue
			}
			v := f.verdict(was)
			counts[v]++
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.2f\t%s\n", x.Name, f.Name, was.ranged(), f.ranged(), f.Unit, f.Value/was.Value, v)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Repeats < 2 || before.Repeats < 2 {
		fmt.Fprintf(w, "what was measured once is taken to be right within %.0f %%; --repeats=5, both times, measures how far it is\n", 100*noise)
	} else {
		fmt.Fprintf(w, "of figures that did not change, one in %.0f looks better or worse by chance\n", chance(r.Repeats, before.Repeats))
	}
	_, err := fmt.Fprintf(w, "%d better, %d worse, %d the same\n", counts[better], counts[worse], counts[same])
	return err
}

// verdict says what became of a figure.
type verdict string

const (
	better verdict = "better"
	worse  verdict = "worse"
	same   verdict = "same"
)

// verdict compares with an earlier figure. Both were measured several times: they
// differ if all of one's values lie beyond all of the other's. Else there is nothing to
// tell a change from noise by, save its size.
func (f *Figure) verdict(was *Figure) verdict {
	low, high := f.bounds()
	wasLow, wasHigh := was.bounds()
	switch {
	case low > wasHigh:
		if f.Better == Higher {
			return better
		}
		return worse
	case high < wasLow:
		if f.Better == Lower {
			return better
		}
		return worse
	}
	return same
}

// chance is in how many pairs of samples of the same the values of one all lie beyond
// those of the other, on either side: of all ways to mix n and m values, two.
func chance(n, m int) float64 {
	ways := 1.0
	for k := 1; k <= m; k++ {
		ways *= float64(n+k) / float64(k)
	}
	return ways / 2
}

// bounds are between what values the figure lies.
func (f *Figure) bounds() (low, high float64) {
	if f.Low < f.High {
		return f.Low, f.High
	}
	return f.Value * (1 - noise), f.Value * (1 + noise)
}

// ranged is the figure with how far it went.
func (f *Figure) ranged() string {
	if f.Low < f.High {
		return fmt.Sprintf("%s (%s–%s)", number(f.Value), number(f.Low), number(f.High))
	}
	return number(f.Value)
}

// result finds one by its name; one without figures does not count.
func (r *Report) result(name string) *Result {
	for i := range r.Results {
		if x := &r.Results[i]; x.Name == name && x.Wrong == "" {
			return x
		}
	}
	return nil
}
