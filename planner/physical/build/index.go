package build

import (
	"slices"

	"streamsql/planner/physical"
)

// chooseIndexes names for each Source the index that its rows are to be looked up in: of
// those whose first columns must equal constants the one with the most such columns. A
// row that is found by its key needs none.
func (b *builder) chooseIndexes(root *physical.Node) {
	physical.Walk(root, func(n *physical.Node) bool {
		if n.Kind != physical.Source || len(n.Source.Equals) == 0 {
			return true
		}
		t := b.tables[n.Source.Table]
		if t == nil || len(t.Primary) > 0 && equalUpTo(n.Source, t.Primary) == len(t.Primary) {
			return true
		}
		best := 0
		for _, x := range t.Indexes {
			if k := equalUpTo(n.Source, x.Columns); k > best {
				best = k
				n.Source.Index = &physical.IndexUse{Name: x.Name, Object: uint64(x.Object), Columns: x.Columns[:k]}
			}
		}
		return true
	})
}

// equalUpTo is how many columns from the first on must equal constants.
func equalUpTo(s *physical.SourceSpec, columns []int) int {
	for k, c := range columns {
		if !slices.ContainsFunc(s.Equals, func(e physical.ColumnValue) bool { return e.Column == c }) {
			return k
		}
	}
	return len(columns)
}
