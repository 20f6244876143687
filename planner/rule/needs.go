package rule

import "streamsql/planner/logical"

// needs calls f on n and all below with the columns of each that are read above
// it, of n itself those in need.
func needs(n logical.Node, need logical.ColSet, f func(n logical.Node, need logical.ColSet)) {
	f(n, need)
	switch n := n.(type) {
	case *logical.Filter:
		below := copySet(need)
		reads(n.Conds, below)
		needs(n.Input, below, f)
	case *logical.Project:
		below := logical.ColSet{}
		for _, it := range n.Items {
			if need[it.ID] {
				it.Expr.Columns(below)
			}
		}
		needs(n.Input, below, f)
	case *logical.Join:
		below := copySet(need)
		for _, k := range n.Keys {
			below[k.Left.ID], below[k.Right.ID] = true, true
		}
		reads(n.On, below)
		needs(n.Left, below, f)
		needs(n.Right, below, f)
	case *logical.Aggregate:
		below := logical.ColSet{}
		reads(n.Exprs(), below)
		needs(n.Input, below, f)
	default: // all of what is below may count
		for _, in := range n.Inputs() {
			needs(in, logical.SetOf(in.Columns()), f)
		}
	}
}
