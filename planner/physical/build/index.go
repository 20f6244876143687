package build

import (
	"slices"

	"streamsql/catalog"
	"streamsql/planner/physical"
	"streamsql/sql/expr"
)

// chooseIndexes names for each Source under a Map that filters the index that its rows
// are to be looked up in: the one with the most first columns that must equal constants,
// of such the one whose next column has bounds. A row that is found by its key needs none.
func (b *builder) chooseIndexes(root *physical.Node) {
	physical.Walk(root, func(n *physical.Node) bool {
		if n.Kind != physical.Map || n.Inputs[0].Kind != physical.Source {
			return true
		}
		src := n.Inputs[0].Source
		t := b.tables[src.Table]
		if t == nil || len(t.Indexes) == 0 || src.Changes != nil || len(t.Primary) > 0 && equalUpTo(src, t.Primary) == len(t.Primary) {
			return true
		}
		best := 0
		for _, x := range t.Indexes {
			if use := useOf(n, x); score(use) > best {
				best, src.Index = score(use), use
			}
		}
		return true
	})
}

// useOf is what an index is good for to the Source under a Map.
func useOf(n *physical.Node, x catalog.SecondaryIndex) *physical.IndexUse {
	src := n.Inputs[0].Source
	k := equalUpTo(src, x.Columns)
	use := &physical.IndexUse{Name: x.Name, Object: uint64(x.Object), Columns: x.Columns[:k]}
	if k == len(x.Columns) {
		return use
	}
	for _, f := range n.Map.Filter {
		for _, b := range bounds(f) {
			if b.Column = src.Columns[b.Column]; b.Column == x.Columns[k] {
				use.Bounds = append(use.Bounds, b)
			}
		}
	}
	return use
}

// bounds are those that a condition puts on a column of its input, by comparing or by
// BETWEEN. Text has none: its order is not that of its bytes.
func bounds(f *expr.Expr) (out []physical.ColumnBound) {
	add := func(f *expr.Expr) {
		if col, op, value, ok := comparison(f); ok && op != "=" && !value.Type.IsText() {
			out = append(out, physical.ColumnBound{Column: col, Op: op, Value: value})
		}
	}
	if f.Op == expr.OpCall && f.Fn == "between" && len(f.Args) == 3 {
		for k, op := range []string{">=", "<="} {
			add(&expr.Expr{Op: expr.OpCall, Fn: op, Args: []*expr.Expr{f.Args[0], f.Args[k+1]}})
		}
		return out
	}
	add(f)
	return out
}

func score(use *physical.IndexUse) int { return 2*len(use.Columns) + min(len(use.Bounds), 1) }

// equalUpTo is how many columns from the first on must equal constants.
func equalUpTo(s *physical.SourceSpec, columns []int) int {
	for k, c := range columns {
		if !slices.ContainsFunc(s.Equals, func(e physical.ColumnValue) bool { return e.Column == c }) {
			return k
		}
	}
	return len(columns)
}
