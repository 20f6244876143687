package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

var groupBySortKey = Rule{
	Name: "group_by_sort_key",
	Reason: "values that are equal though not the same (letters of either case, 1 and 1.0 in JSON) meet by a key that is the same; " +
		"of them the least is shown, whatever order they come and go in",
	Late: true,
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.Aggregate:
			if folds(n.Keys) {
				return c.bySortKey(n, c.Derived.Props(n).Keys)
			}
		case *logical.Distinct:
			if cols := n.Columns(); folds(cols) {
				return c.bySortKey(&logical.Aggregate{Input: n.Input, Keys: cols}, c.Derived.Props(n).Keys)
			}
		}
		return n
	}),
}

var setOpBySortKey = Rule{
	Name:   "set_op_by_sort_key",
	Reason: "rows that are equal though not the same meet in a semi join, or in an anti join, by their keys",
	Late:   true,
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		s, ok := n.(*logical.SetOp)
		if !ok || s.All || !folds(s.Cols) {
			return n
		}
		kind := logical.SemiJoin
		if s.Kind == bind.Except {
			kind = logical.AntiJoin
		}
		out := named(s.Ins[0], s.From[0], s.Cols)
		for i, in := range s.Ins[1:] {
			theirs := slices.Clone(s.Cols)
			j := &logical.Join{Kind: kind, Left: out}
			all := map[int]logical.Col{}
			for _, col := range in.Columns() {
				all[col.ID] = col
			}
			for k := range theirs {
				theirs[k] = all[s.From[i+1][k]]
				theirs[k].ID = c.IDs.Next()
				j.Keys = append(j.Keys, logical.JoinKey{Left: s.Cols[k], Right: theirs[k], NullSafe: true})
			}
			j.Right = named(in, s.From[i+1], theirs)
			out = j
		}
		return &logical.Distinct{Input: out}
	}),
}

func folds(cols []logical.Col) bool {
	return slices.ContainsFunc(cols, func(c logical.Col) bool { return c.Type.Folds() })
}

// named is a projection of the columns of in with the ids from to cols.
func named(in logical.Node, from []int, cols []logical.Col) logical.Node {
	all := in.Columns()
	p := &logical.Project{Input: in}
	for k, id := range from {
		at := slices.IndexFunc(all, func(c logical.Col) bool { return c.ID == id })
		p.Items = append(p.Items, logical.Computed{Col: cols[k], Expr: logical.Ref(all[at])})
	}
	return p
}

// bySortKey is a by the sort keys of those of its keys that fold, of which an
// aggregate finds the value to show. The columns stay; unique are its unique keys.
func (c *Context) bySortKey(a *logical.Aggregate, unique [][]int) logical.Node {
	below := &logical.Project{Input: a.Input}
	for _, col := range a.Input.Columns() {
		below.Items = append(below.Items, logical.PassThrough(col))
	}
	out := *a
	out.Input, out.Keys, out.Aggs, out.TwoPhase = below, nil, slices.Clone(a.Aggs), false
	out.Unique = append(slices.Clone(a.Unique), unique...)
	for _, k := range a.Keys {
		if !k.Type.Folds() {
			out.Keys = append(out.Keys, k)
			continue
		}
		value := logical.Ref(k)
		key := logical.SortKey(k, c.IDs)
		below.Items = append(below.Items, key)
		out.Keys = append(out.Keys, key.Col)
		out.Aggs = append(out.Aggs, logical.Agg{Col: k, Call: agg.Call{Fn: "any_value", Args: []*expr.Expr{value}, Type: k.Type}})
	}
	above := &logical.Project{Input: &out}
	for _, col := range a.Columns() {
		above.Items = append(above.Items, logical.PassThrough(col))
	}
	return above
}
