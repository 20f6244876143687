package rule

import (
	"slices"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var lookupJoin = Rule{
	Name:   "lookup_join",
	Reason: "a dimension table is asked for the keys that come: it is elsewhere, may be large, and tells nobody of its changes",
	Late:   true, // once joins have their order
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || j.Kind != logical.InnerJoin && j.Kind != logical.LeftJoin {
			return n
		}
		if out := lookUp(j); out != nil {
			return out
		}
		if j.Kind == logical.InnerJoin {
			exchanged := &logical.Join{Kind: j.Kind, Left: j.Right, Right: j.Left, On: j.On}
			for _, k := range j.Keys {
				exchanged.Keys = append(exchanged.Keys, logical.JoinKey{Left: k.Right, Right: k.Left, NullSafe: k.NullSafe})
			}
			if out := lookUp(exchanged); out != nil {
				return out
			}
		}
		return n
	}),
}

// dimensionOf is the dimension table that n reads, filtered or not; nil: it is something else.
func dimensionOf(n logical.Node) *logical.Scan {
	if f, ok := n.(*logical.Filter); ok {
		n = f.Input
	}
	if s, ok := n.(*logical.Scan); ok && s.Table.Kind == catalog.DimensionTable {
		return s
	}
	return nil
}

// lookUp is j as a look-up of its right side, nil if that is no dimension table
// or its key is not among the join's. A filter of that side is a condition of the join.
func lookUp(j *logical.Join) logical.Node {
	s, on := dimensionOf(j.Right), slices.Clip(j.On)
	if s == nil {
		return nil
	}
	if f, ok := j.Right.(*logical.Filter); ok {
		on = append(on, f.Conds...)
	}
	out := &logical.TimedJoin{Timing: logical.Outside, Outer: j.Kind == logical.LeftJoin, Left: j.Left, Right: s, On: on}
	keys := slices.Clone(j.Keys)
	for _, pos := range s.Table.Primary {
		at := slices.Index(s.Positions, pos)
		if at < 0 {
			return nil
		}
		k := slices.IndexFunc(keys, func(k logical.JoinKey) bool { return k.Right.ID == s.Cols[at].ID })
		if k < 0 {
			return nil
		}
		out.Keys = append(out.Keys, keys[k])
		keys = slices.Delete(keys, k, k+1)
	}
	for _, k := range keys {
		fn := "="
		if k.NullSafe {
			fn = "<=>"
		}
		out.On = append(out.On, expr.NewCall(fn, types.MakeBool(), logical.Ref(k.Left), logical.Ref(k.Right)))
	}
	return out
}
