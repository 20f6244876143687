package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/agg"
)

var twoPhaseAggregate = Rule{
	Name:   "two_phase_aggregate",
	Reason: "rows of a key combined before the shuffle cross it as one; not where each key has one row, nor where a partial value could not be taken back",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		a, ok := n.(*logical.Aggregate)
		if !ok || a.TwoPhase {
			return n
		}
		in := c.Derived.Props(a.Input)
		if len(a.Keys) > 0 && in.HasKeyIn(logical.SetOf(a.Keys)) || !combinable(a, in.AppendOnly) {
			return n
		}
		out := *a
		out.TwoPhase = true
		return &out
	}),
}

// combinable reports that each aggregate has a partial value: totals can be
// added and taken back, a least or greatest value only stands while nothing is
// retracted, and distinct values must all be seen.
func combinable(a *logical.Aggregate, appendOnly bool) bool {
	for _, g := range a.Aggs {
		if !agg.Splits(g.Call, appendOnly) {
			return false
		}
	}
	return true
}
