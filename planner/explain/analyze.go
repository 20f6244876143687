package explain

import (
	"fmt"
	"strings"
	"time"

	"streamsql/planner/physical"
)

// Figures is what a plan node has done.
type Figures struct {
	In         int64         `json:"rows_in"` // of the changelog
	Out        int64         `json:"rows_out"`
	CPU        time.Duration `json:"cpu_ns"`
	StateRows  int64         `json:"state_rows,omitempty"`
	StateBytes int64         `json:"state_bytes,omitempty"`
	Tasks      int           `json:"tasks"`
}

// Analysis is a plan with what has come of it.
type Analysis struct {
	Plan *physical.Plan
	// Head says something of the whole, a line each; Facts the same for programs.
	Head  []string
	Facts map[string]any
	// By are the figures of nodes, by their ids. A node that needs no operator of its
	// own has none; 0 is the view behind the plan.
	By map[int]Figures
	// Shared are nodes whose rows come from another query, by their ids, with its name.
	Shared map[int]string
}

// Text is the tree of Text with the figures of each node, and the head before it.
func (a *Analysis) Text() string {
	var b strings.Builder
	for _, line := range a.Head {
		b.WriteString(line + "\n")
	}
	if f, ok := a.By[0]; ok {
		b.WriteString("View" + figures(f) + "\n")
	}
	b.WriteString(tree(a.Plan, func(n *physical.Node) string {
		if f, ok := a.By[n.ID]; ok {
			return line(n) + sharedText(a.Shared, n) + figures(f)
		}
		return line(n) + sharedText(a.Shared, n)
	}))
	return b.String()
}

func figures(f Figures) string {
	s := fmt.Sprintf("  (in %d, out %d, cpu %s", f.In, f.Out, f.CPU.Round(time.Microsecond))
	if f.StateRows > 0 || f.StateBytes > 0 {
		s += fmt.Sprintf(", state %d rows, %s", f.StateRows, Size(f.StateBytes))
	}
	return s + ")"
}

// Size is a number of bytes for people.
func Size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// JSON is the facts, the figures by node, and the plan.
func (a *Analysis) JSON() string {
	return asJSON(struct {
		Facts     map[string]any  `json:"query"`
		Operators map[int]Figures `json:"operators"`
		Shared    map[int]string  `json:"shared,omitempty"`
		Plan      *physical.Plan  `json:"plan"`
	}{a.Facts, a.By, a.Shared, a.Plan})
}

// Dot is the plan as a Graphviz graph, with the figures in the boxes.
func (a *Analysis) Dot() string {
	return dot(a.Plan, strings.Join(a.Head, "\n"), func(n *physical.Node) string {
		if f, ok := a.By[n.ID]; ok {
			return "\n" + strings.TrimSpace(sharedText(a.Shared, n)+figures(f))
		}
		return sharedText(a.Shared, n)
	})
}
