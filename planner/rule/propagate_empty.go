package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var propagateEmpty = Rule{
	Name:   "propagate_empty",
	Reason: "what is computed of nothing is nothing, except an aggregate without keys and the left side of a left join",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.Filter, *logical.Project, *logical.Distinct, *logical.Sort:
			if logical.IsEmpty(n.Inputs()[0]) {
				return logical.Empty(n.Columns())
			}
			if s, ok := n.(*logical.Sort); ok && s.Limit == 0 {
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
		}
		return n
	}),
}

func emptyJoin(j *logical.Join) logical.Node {
	never := false
	for _, e := range j.On {
		t := constTruth(e)
		never = never || t == isFalse || t == isNull
	}
	switch {
	case logical.IsEmpty(j.Left), j.Kind == logical.InnerJoin && (never || logical.IsEmpty(j.Right)):
		return logical.Empty(j.Columns())
	case j.Kind == logical.LeftJoin && (never || logical.IsEmpty(j.Right)):
		p := &logical.Project{Input: j.Left}
		for i, c := range j.Columns() {
			if i < len(j.Left.Columns()) {
				p.Items = append(p.Items, logical.PassThrough(c))
			} else {
				p.Items = append(p.Items, logical.Computed{Col: c, Expr: expr.NewConst(expr.Value{Null: true}, c.Type)})
			}
		}
		return p
	}
	return j
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
