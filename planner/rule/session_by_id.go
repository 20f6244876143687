package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var sessionByID = Rule{
	Name:   "session_by_id",
	Reason: "sessions that are only aggregated are told apart by an id: a row that comes changes the bounds of all rows of its session, but an id of few",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		a, ok := n.(*logical.Aggregate)
		if !ok {
			return n
		}
		p, w := sessionBelow(a)
		if w == nil || !groupsSessions(a, p, w) {
			return n
		}
		return aggregateByID(c, a, p, w)
	}),
}

// sessionBelow finds the sessions under an aggregate, and the projection that may
// stand between.
func sessionBelow(a *logical.Aggregate) (*logical.Project, *logical.Window) {
	in := a.Input
	p, ok := in.(*logical.Project)
	if ok {
		in = p.Input
	}
	w, ok := in.(*logical.Window)
	if !ok || w.Kind != bind.Session || w.IDs || w.Time.ID == 0 {
		return nil, nil
	}
	return p, w
}

// groupsSessions reports that the groups of a are the sessions of w: grouped by
// what these are parted by and by a bound, and nothing else reads the bounds.
func groupsSessions(a *logical.Aggregate, p *logical.Project, w *logical.Window) bool {
	bounds := logical.SetOf([]logical.Col{w.Start, w.End})
	keys, bound := logical.SetOf(a.Keys), 0
	for id := range keys {
		if bounds[id] {
			bound++
		}
	}
	for _, c := range w.Partition {
		if !keys[c.ID] {
			return false
		}
	}
	if bound == 0 || len(keys) != bound+len(logical.SetOf(w.Partition)) {
		return false
	}
	for _, g := range a.Aggs {
		for _, e := range g.Call.Args {
			if bounds.ReadsAny(e) {
				return false
			}
		}
	}
	if p != nil {
		for _, it := range p.Items {
			if !logical.IsPassThrough(it) && bounds.ReadsAny(it.Expr) {
				return false
			}
		}
	}
	return true
}

// aggregateByID is a over the sessions' ids: a session begins with its first row
// and ends where its last row does by itself.
func aggregateByID(c *Context, a *logical.Aggregate, p *logical.Project, w *logical.Window) logical.Node {
	ids := *w
	ids.IDs = true
	ids.Start = logical.Col{ID: c.IDs.Next(), Name: "end of the row", Type: w.End.Type}
	ids.End = logical.Col{ID: c.IDs.Next(), Name: "session", Type: types.Type{Kind: types.BigInt, NotNull: true}}
	var in logical.Node = &ids
	if p != nil {
		q := &logical.Project{Input: in}
		seen := logical.ColSet{}
		for _, it := range p.Items {
			if it.ID != w.Start.ID && it.ID != w.End.ID {
				q.Items = append(q.Items, it)
				seen[it.ID] = true
			}
		}
		for _, col := range []logical.Col{w.Time, ids.Start, ids.End} {
			if !seen[col.ID] {
				q.Items = append(q.Items, logical.PassThrough(col))
			}
		}
		in = q
	}
	first, err := agg.Resolve("min", []*expr.Expr{logical.Ref(w.Time)}, false)
	if err != nil {
		return a
	}
	last, err := agg.Resolve("max", []*expr.Expr{logical.Ref(ids.Start)}, false)
	if err != nil {
		return a
	}
	first.Type, last.Type = w.Start.Type, w.End.Type // of one row at least
	out := &logical.Aggregate{Input: in, Aggs: append([]logical.Agg(nil), a.Aggs...), Times: map[int]physical.Time{}}
	out.Aggs = append(out.Aggs, logical.Agg{Col: w.Start, Call: first}, logical.Agg{Col: w.End, Call: last})
	unique := []int{w.Start.ID}
	for _, k := range a.Keys {
		if k.ID != w.Start.ID && k.ID != w.End.ID {
			out.Keys = append(out.Keys, k)
			unique = append(unique, k.ID)
		}
	}
	slices.Sort(unique)
	out.Keys, out.Unique = append(out.Keys, ids.End), [][]int{unique}
	if t, ok := c.Derived.Props(w).Times[w.End.ID]; ok {
		out.Times[w.End.ID] = t
	}
	return out
}
