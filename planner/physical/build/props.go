package build

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// propsOf are logical properties as they show on a node that gives cols.
func propsOf(p *logical.Props, cols []logical.Col) physical.Props {
	return physical.Props{Keys: positions(p.Keys, cols), AppendOnly: p.AppendOnly}
}

// positions are the keys whose columns are all among cols, as positions there.
func positions(keys [][]int, cols []logical.Col) [][]int {
	var out [][]int
next:
	for _, key := range keys {
		at := make([]int, len(key))
		for i, id := range key {
			if at[i] = indexOf(cols, id); at[i] < 0 {
				continue next
			}
		}
		slices.Sort(at)
		out = append(out, at)
	}
	return out
}
