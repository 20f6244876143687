package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

var propagateEmpty = Rule{
	Name:   "propagate_empty",
	Reason: "what is computed of nothing is nothing, except an aggregate without keys and the rows that an outer or anti join gives for want of a match",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.Filter, *logical.Project, *logical.Distinct, *logical.Sort, *logical.Window, *logical.Unfold, *logical.Emit, *logical.Over:
			if logical.IsEmpty(n.Inputs()[0]) {
				return logical.Empty(n.Columns())
			}
			if s, ok := n.(*logical.Sort); ok && s.Limit == 0 {
				return logical.Empty(n.Columns())
			}
		case *logical.TopN:
			if n.Limit == 0 || logical.IsEmpty(n.Input) {
				return logical.Empty(n.Columns())
			}
		case *logical.Aggregate:
			if len(n.Keys) > 0 && logical.IsEmpty(n.Input) {
				return logical.Empty(n.Columns())
			}
		case *logical.Join:
			return emptyJoin(n)
		case *logical.Union:
			return emptyUnion(n)
		case *logical.SetOp:
			return emptySetOp(n)
		}
		return n
	}),
}

// emptyJoin: never is a condition that no pair of rows meets.
func emptyJoin(j *logical.Join) logical.Node {
	never := false
	for _, e := range j.On {
		t := constTruth(e)
		never = never || t == isFalse || t == isNull
	}
	noLeft, noRight := logical.IsEmpty(j.Left), logical.IsEmpty(j.Right)
	switch {
	case noLeft && (noRight || !j.Kind.PadsLeft()):
		return logical.Empty(j.Columns())
	case noLeft:
		return padded(j, j.Right)
	case !noRight && (!never || j.Kind == logical.FullJoin):
		return j
	case j.Kind == logical.AntiJoin:
		return j.Left
	case j.Kind.PadsRight():
		return padded(j, j.Left)
	}
	return logical.Empty(j.Columns())
}

// padded are the rows of one side of j with NULLs in the place of the other's columns.
func padded(j *logical.Join, side logical.Node) logical.Node {
	have := logical.SetOf(side.Columns())
	p := &logical.Project{Input: side}
	for _, c := range j.Columns() {
		if have[c.ID] {
			p.Items = append(p.Items, logical.PassThrough(c))
		} else {
			p.Items = append(p.Items, logical.Computed{Col: c, Expr: expr.NewConst(expr.Value{Null: true}, c.Type)})
		}
	}
	return p
}

func emptyUnion(u *logical.Union) logical.Node {
	out := &logical.Union{Cols: u.Cols}
	for i, in := range u.Ins {
		if !logical.IsEmpty(in) {
			out.Ins, out.From = append(out.Ins, in), append(out.From, u.From[i])
		}
	}
	switch len(out.Ins) {
	case 0:
		return logical.Empty(u.Cols)
	case len(u.Ins):
		return u
	}
	return out
}

// emptySetOp: an INTERSECT with nothing is nothing, an EXCEPT of nothing too.
// Without nothing, an EXCEPT of one input is what is left of it.
func emptySetOp(s *logical.SetOp) logical.Node {
	out := &logical.SetOp{Kind: s.Kind, All: s.All, Cols: s.Cols}
	for i, in := range s.Ins {
		switch {
		case !logical.IsEmpty(in):
			out.Ins, out.From = append(out.Ins, in), append(out.From, s.From[i])
		case i == 0 || s.Kind == bind.Intersect:
			return logical.Empty(s.Cols)
		}
	}
	switch {
	case len(out.Ins) == len(s.Ins):
		return s
	case len(out.Ins) > 1:
		return out
	}
	rest := &logical.Union{Ins: out.Ins, Cols: s.Cols, From: out.From}
	if s.All {
		return rest
	}
	return &logical.Distinct{Input: rest}
}
