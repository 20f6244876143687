package bench

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// shown are the figures of a measurement that its table in Markdown has; of one that is
// not named, all.
var shown = map[string][]string{
	"nexmark": {"events/s/core", "cpu", "alloc", "RSS", "state", "restart", "p50", "p99"},
}

// markdown prints results with the same figures as a table of Markdown. A figure that
// misses its bar is followed by it.
func (r *Report) markdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	head := ""
	for _, x := range r.Results {
		if x.Wrong != "" {
			fmt.Fprintf(out, "| %s | FAILED: %s |\n", x.Name, x.Wrong)
			continue
		}
		names, cells := []string{""}, []string{x.Name}
		for _, f := range x.Figures {
			if only := shown[r.Command]; only != nil && !slices.Contains(only, f.Name) {
				continue
			}
			names = append(names, strings.TrimSpace(f.Name+" "+f.Unit))
			if f.Bar != nil && f.Bar.Met {
				f.Bar = nil
			}
			cells = append(cells, f.cell())
		}
		if h := strings.Join(names, " | "); h != head {
			fmt.Fprintf(out, "\n| %s |\n|%s\n", h, strings.Repeat("---|", len(names)))
			head = h
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
	return out.Flush()
}
