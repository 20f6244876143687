package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pruneColumns = Rule{
	Name:   "prune_columns",
	Reason: "a column that nobody reads is neither decoded, nor computed, nor kept",
	Apply: func(c *Context, t *logical.Tree) logical.Node {
		return prune(t.Root, logical.SetOf(t.Out))
	},
}

// prune narrows n and what is below to the columns in need, which it may change.
// Nodes that hand columns on keep what their inputs still give.
func prune(n logical.Node, need logical.ColSet) logical.Node {
	switch n := n.(type) {
	case *logical.Scan:
		if len(subset(n.Cols, need)) == len(n.Cols) {
			return n
		}
		return n.Keep(need)
	case *logical.Values:
		return pruneValues(n, need)
	case *logical.Project:
		return pruneProject(n, need)
	case *logical.Aggregate:
		return pruneAggregate(n, need)
	case *logical.Expand:
		for _, k := range n.Keys {
			need[k.From] = true
		}
	case *logical.Union:
		return pruneUnion(n, need)
	case *logical.Join:
		for _, k := range n.Keys {
			need[k.Left.ID], need[k.Right.ID] = true, true
		}
		reads(n.On, need)
		return over(n, prune(n.Left, copySet(need)), prune(n.Right, need))
	case *logical.SetOp:
		return pruneSetOp(n)
	case *logical.TimedJoin:
		return pruneTimedJoin(n, need)
	case *logical.Sort:
		for _, k := range n.Keys {
			need[k.Col] = true
		}
	case *logical.TopN:
		return pruneTopN(n, need)
	case *logical.Over:
		return pruneOver(n, need)
	case *logical.Distinct: // all columns make the row
		need = logical.SetOf(n.Columns())
	case *logical.Window, *logical.Unfold, *logical.Emit:
		reads(n.Exprs(), need)
	case *logical.Filter:
		reads(n.Conds, need)
	}
	in := n.Inputs()
	out := make([]logical.Node, len(in))
	for i, o := range in {
		out[i] = prune(o, copySet(need))
	}
	return over(n, out...)
}

func pruneValues(v *logical.Values, need logical.ColSet) logical.Node {
	keep := subset(v.Cols, need)
	if len(keep) == len(v.Cols) {
		return v
	}
	out := &logical.Values{}
	for _, i := range keep {
		out.Cols = append(out.Cols, v.Cols[i])
	}
	for _, r := range v.Rows {
		row := []*expr.Expr{}
		for _, i := range keep {
			row = append(row, r[i])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func pruneProject(p *logical.Project, need logical.ColSet) logical.Node {
	keep := subset(p.Columns(), need)
	items := p.Items
	if len(keep) < len(items) {
		items = nil
		for _, i := range keep {
			items = append(items, p.Items[i])
		}
	}
	below := logical.ColSet{}
	for _, it := range items {
		it.Expr.Columns(below)
	}
	in := prune(p.Input, below)
	if len(items) == len(p.Items) && in == p.Input {
		return p
	}
	return &logical.Project{Input: in, Items: items}
}

func pruneAggregate(a *logical.Aggregate, need logical.ColSet) logical.Node {
	out := *a
	out.Aggs = nil
	for _, g := range a.Aggs {
		if _, over := a.Times[g.ID]; need[g.ID] || over {
			out.Aggs = append(out.Aggs, g)
		}
	}
	below := logical.SetOf(a.Keys)
	for _, g := range out.Aggs {
		for _, e := range g.Call.Args {
			e.Columns(below)
		}
	}
	out.Input = prune(a.Input, below)
	if len(out.Aggs) == len(a.Aggs) && out.Input == a.Input {
		return a
	}
	return &out
}

func pruneTopN(t *logical.TopN, need logical.ColSet) logical.Node {
	for _, id := range t.Reads() {
		need[id] = true
	}
	out := *t
	if t.Number != nil && !need[t.Number.ID] {
		out.Number = nil
	}
	out.Input = prune(t.Input, need)
	if out.Number == t.Number && out.Input == t.Input {
		return t
	}
	return &out
}

func pruneOver(o *logical.Over, need logical.ColSet) logical.Node {
	out := *o
	out.Funcs = nil
	for _, f := range o.Funcs {
		if need[f.ID] {
			out.Funcs = append(out.Funcs, f)
			reads(f.Reads(), need)
		}
	}
	if len(out.Funcs) == 0 {
		return prune(o.Input, need)
	}
	for _, id := range o.Needs() {
		need[id] = true
	}
	out.Input = prune(o.Input, need)
	if len(out.Funcs) == len(o.Funcs) && out.Input == o.Input {
		return o
	}
	return &out
}

func pruneUnion(u *logical.Union, need logical.ColSet) logical.Node {
	keep := subset(u.Cols, need)
	out := &logical.Union{}
	for _, k := range keep {
		out.Cols = append(out.Cols, u.Cols[k])
	}
	changed := len(keep) < len(u.Cols)
	for i, in := range u.Ins {
		from, below := []int{}, logical.ColSet{}
		for _, k := range keep {
			from = append(from, u.From[i][k])
			below[u.From[i][k]] = true
		}
		pruned := prune(in, below)
		changed = changed || pruned != in
		out.Ins, out.From = append(out.Ins, pruned), append(out.From, from)
	}
	if !changed {
		return u
	}
	return out
}

// pruneSetOp keeps all columns, which make the row.
func pruneSetOp(s *logical.SetOp) logical.Node {
	ins := make([]logical.Node, len(s.Ins))
	for i, in := range s.Ins {
		need := logical.ColSet{}
		for _, id := range s.From[i] {
			need[id] = true
		}
		ins[i] = prune(in, need)
	}
	return over(s, ins...)
}

// subset are the positions of the columns in need.
func subset(cols []logical.Col, need logical.ColSet) []int {
	var keep []int
	for i, c := range cols {
		if need[c.ID] {
			keep = append(keep, i)
		}
	}
	return keep
}

func reads(list []*expr.Expr, set logical.ColSet) {
	for _, e := range list {
		e.Columns(set)
	}
}

func copySet(s logical.ColSet) logical.ColSet {
	out := make(logical.ColSet, len(s))
	for id := range s {
		out[id] = true
	}
	return out
}

// over is n over the inputs in, n itself if they are its own.
func over(n logical.Node, in ...logical.Node) logical.Node {
	for i, o := range n.Inputs() {
		if in[i] != o {
			return n.WithInputs(in)
		}
	}
	return n
}
