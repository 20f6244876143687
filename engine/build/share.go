package build

import (
	"fmt"
	"slices"

	"streamsql/catalog"
	"streamsql/planner"
	"streamsql/planner/physical"
	"streamsql/sql/expr"
)

// Offers are the sub-plans of a continuous query whose rows are all in its result, by
// what they compute, each with the places of its fields among the result's columns:
// the whole plan, and what lies under Maps that only put columns in another order.
func Offers(p *physical.Plan) map[string][]int {
	signatures := planner.Signatures(p.Root)
	offers := map[string][]int{}
	n := p.Root
	at := make([]int, len(n.Fields)) // where a field of n is in the result; −1: nowhere
	for i := range at {
		if at[i] = i; i >= len(p.Output) {
			at[i] = -1
		}
	}
	for {
		if s, ok := signatures[n]; ok && !slices.Contains(at, -1) {
			offers[s] = at
		}
		if n.Kind != physical.Map || len(n.Map.Filter) > 0 || n.Map.Project == nil {
			return offers
		}
		below := slices.Repeat([]int{-1}, len(n.Inputs[0].Fields))
		for i, e := range n.Map.Project {
			if e.Op == expr.OpColumn && at[i] >= 0 && e.Type == n.Inputs[0].Fields[e.Col].Type {
				below[e.Col] = at[i]
			}
		}
		n, at = n.Inputs[0], below
	}
}

// Parts are the nodes of a continuous plan that another query could compute for it and
// others, by what they compute: operators whose result takes about the room that their
// state does, since whoever computes them for others keeps it. Left out is what it
// takes from others already, and what is below that.
func Parts(p *physical.Plan, shares []catalog.Share) map[string]*physical.Node {
	signatures, bound := planner.Signatures(p.Root), bound(p.Root)
	parts := map[string]*physical.Node{}
	physical.Walk(p.Root, func(n *physical.Node) bool {
		if slices.ContainsFunc(shares, func(s catalog.Share) bool { return s.Node == n.ID }) {
			return false
		}
		if s, ok := signatures[n]; ok && !bound[n] && compact(n) {
			parts[s] = n
		}
		return true
	})
	return parts
}

// compact reports an operator whose result has no more rows than its state: of a join,
// that each row of one side meets one of the other at most.
func compact(n *physical.Node) bool {
	switch n.Kind {
	case physical.Merge, physical.Distinct, physical.TopN:
		return true
	case physical.Join:
		return len(n.Props.Keys) > 0
	}
	return false
}

// Part is the plan that computes a node of another.
func Part(p *physical.Plan, n *physical.Node) *physical.Plan {
	part := &physical.Plan{Version: p.Version, Root: n, Output: n.Fields, AppendOnly: n.Props.AppendOnly, Grows: p.Grows}
	if len(n.Props.Keys) > 0 {
		part.Key = n.Props.Keys[0]
	}
	return part
}

// Node is that with an id.
func Node(p *physical.Plan, id int) (found *physical.Node) {
	physical.Walk(p.Root, func(n *physical.Node) bool {
		if n.ID == id {
			found = n
		}
		return found == nil
	})
	return found
}

// Signature says what a continuous plan computes; empty: it hangs on more than what is
// in its sources, or keeps nothing.
func Signature(p *physical.Plan) string { return planner.Signatures(p.Root)[p.Root] }

// Match finds the nodes of a continuous plan that offer, which is asked for what they
// compute, has the rows of: those nearest to the root.
func Match(p *physical.Plan, offer func(signature string) (by catalog.ID, columns []int, ok bool)) []catalog.Share {
	signatures, bound := planner.Signatures(p.Root), bound(p.Root)
	var shares []catalog.Share
	physical.Walk(p.Root, func(n *physical.Node) bool {
		s, ok := signatures[n]
		if !ok || bound[n] {
			return true
		}
		by, columns, ok := offer(s)
		if ok {
			shares = append(shares, catalog.Share{Node: n.ID, Object: by, Columns: columns})
		}
		return !ok
	})
	return shares
}

// bound are the nodes of a plan that cannot be read from elsewhere: between them and
// the next Shuffle stands an operator that keeps something of the rows, or one that
// counts on how its input takes rows back. The rows of a view come to any task.
func bound(root *physical.Node) map[*physical.Node]bool {
	type place struct {
		n     *physical.Node
		bound bool
	}
	out, seen := map[*physical.Node]bool{}, map[place]bool{}
	var visit func(n *physical.Node, is bool)
	visit = func(n *physical.Node, is bool) {
		if seen[place{n, is}] {
			return
		}
		seen[place{n, is}] = true
		out[n] = out[n] || is
		for _, in := range n.Inputs {
			switch {
			case n.Kind == physical.TopN && n.TopN.Leaders:
				physical.Walk(in, func(x *physical.Node) bool { out[x] = true; return true })
			case n.Kind == physical.Shuffle:
				visit(in, false)
			case n.Kind == physical.Map || n.Kind == physical.Union || n.Kind == physical.Expand || n.Kind == physical.Reduce:
				visit(in, is)
			default:
				visit(in, true)
			}
		}
	}
	visit(root, false)
	return out
}

// Shared is the plan that is left to a query which takes rows from others: in the place
// of each such node a Source of the other's result. name says what that is called.
func Shared(p *physical.Plan, shares []catalog.Share, name func(catalog.ID) string) (*physical.Plan, error) {
	if len(shares) == 0 {
		return p, nil
	}
	by, found := map[int]catalog.Share{}, 0
	for _, s := range shares {
		by[s.Node] = s
	}
	made := map[*physical.Node]*physical.Node{}
	var put func(n *physical.Node) *physical.Node
	put = func(n *physical.Node) *physical.Node {
		s, ok := by[n.ID]
		if ok { // each reader has a Source of its own
			found++
			return &physical.Node{
				ID: n.ID, Kind: physical.Source, Fields: n.Fields[:len(s.Columns)],
				Source: &physical.SourceSpec{Table: uint64(s.Object), Name: name(s.Object), Columns: s.Columns},
				Props:  physical.Props{Keys: n.Props.Keys, AppendOnly: n.Props.AppendOnly},
			}
		}
		if m := made[n]; m != nil {
			return m
		}
		c := *n
		c.Inputs = make([]*physical.Node, len(n.Inputs))
		for i, in := range n.Inputs {
			c.Inputs[i] = put(in)
		}
		made[n] = &c
		return &c
	}
	out := *p
	out.Root = put(p.Root)
	if found < len(shares) {
		return nil, fmt.Errorf("%d nodes are shared, of which the plan has %d", len(shares), found)
	}
	return &out, nil
}

// Reread makes a plan read another object instead of one, and returns the nodes that do.
func Reread(p *physical.Plan, old, next catalog.ID) (nodes []*physical.Node) {
	physical.Walk(p.Root, func(n *physical.Node) bool {
		if n.Kind == physical.Source && n.Source.Table == uint64(old) {
			n.Source.Table = uint64(next)
			nodes = append(nodes, n)
		}
		return true
	})
	return nodes
}

// Tables are the objects that the nodes of a plan which are shared would read.
func Tables(p *physical.Plan, shares []catalog.Share) map[catalog.ID][]int {
	out := map[catalog.ID][]int{}
	physical.Walk(p.Root, func(n *physical.Node) bool {
		if !slices.ContainsFunc(shares, func(s catalog.Share) bool { return s.Node == n.ID }) {
			return true
		}
		physical.Walk(n, func(x *physical.Node) bool {
			if x.Kind == physical.Source {
				out[catalog.ID(x.Source.Table)] = append(out[catalog.ID(x.Source.Table)], x.Source.Columns...)
			}
			return true
		})
		return false
	})
	return out
}

// Below reports that a node of a plan is one that is shared, or below one.
func Below(p *physical.Plan, node int, shares []catalog.Share) bool {
	found := false
	physical.Walk(p.Root, func(n *physical.Node) bool {
		if slices.ContainsFunc(shares, func(s catalog.Share) bool { return s.Node == n.ID }) {
			physical.Walk(n, func(x *physical.Node) bool {
				found = found || x.ID == node
				return !found
			})
			return false
		}
		return true
	})
	return found
}
