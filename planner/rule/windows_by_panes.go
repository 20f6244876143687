package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/bind"
)

var windowsByPanes = Rule{
	Name: "windows_by_panes",
	Reason: "a row is in many windows that overlap, all rows of a pane in the same ones: combined per pane first, " +
		"they go into each window as one. Only where partial values can be combined again",
	Late: true, // filters and projections have found their places
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		a, ok := n.(*logical.Aggregate)
		if !ok || !a.TwoPhase || a.Panes {
			return n
		}
		w := c.windowBelow(a.Input)
		if w == nil || w.Kind != bind.Hop && w.Kind != bind.Cumulate || w.Slide >= w.Size || !aggregatesWindows(a, w) {
			return n
		}
		out := *a
		out.Input, out.Panes = w, true
		return &out
	}),
}

// windowBelow is n as a Window: n itself, or one under a projection that computes
// nothing of its bounds and goes below it then. Nil: n is none.
func (c *Context) windowBelow(n logical.Node) *logical.Window {
	p, ok := n.(*logical.Project)
	if !ok {
		w, _ := n.(*logical.Window)
		return w
	}
	w, ok := p.Input.(*logical.Window)
	if !ok {
		return nil
	}
	bounds := logical.SetOf([]logical.Col{w.Start, w.End})
	below, has := &logical.Project{Input: w.Input}, logical.ColSet{}
	for _, it := range p.Items {
		switch {
		case bounds[it.ID] && logical.IsPassThrough(it):
			continue
		case bounds.ReadsAny(it.Expr) || c.volatile(it.Expr):
			return nil
		}
		below.Items = append(below.Items, it)
		has[it.ID] = true
	}
	for _, col := range w.Reads() {
		if !has[col.ID] {
			below.Items = append(below.Items, logical.PassThrough(col))
			has[col.ID] = true
		}
	}
	return w.WithInputs([]logical.Node{below}).(*logical.Window)
}

// aggregatesWindows reports that the groups of a are told apart by a bound of w,
// which no aggregate reads.
func aggregatesWindows(a *logical.Aggregate, w *logical.Window) bool {
	bounds := logical.SetOf([]logical.Col{w.Start, w.End})
	for _, g := range a.Aggs {
		for _, e := range g.Call.Args {
			if bounds.ReadsAny(e) {
				return false
			}
		}
	}
	keys := logical.SetOf(a.Keys)
	return keys[w.Start.ID] || keys[w.End.ID]
}
