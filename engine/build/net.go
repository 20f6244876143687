package build

import (
	"slices"

	"streamsql/planner/physical"
	"streamsql/sql/expr"
)

// net reports that within a batch no two rows of a plan's result cancel each other
// out: it only grows, or above an operator that gives only what is different in the
// end nothing is computed that could make different rows the same.
func net(p *physical.Plan) bool {
	if p.AppendOnly {
		return true
	}
	n := p.Root
	need := make([]int, len(p.Output)) // columns of n that the result shows
	for i := range need {
		need[i] = i
	}
	for ; n.Kind == physical.Map; n = n.Inputs[0] {
		if n.Map.Project == nil {
			continue
		}
		for k, c := range need {
			e := n.Map.Project[c]
			if e.Op != expr.OpColumn {
				return false
			}
			need[k] = e.Col
		}
	}
	switch n.Kind {
	case physical.Merge, physical.Distinct:
	default:
		return false
	}
	for c := range n.Fields {
		if !slices.Contains(need, c) {
			return false
		}
	}
	return true
}
