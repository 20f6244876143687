package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var simplifyOuterJoin = Rule{
	Name:   "simplify_outer_join",
	Reason: "a filter, or a join above, that no NULL-padded row passes makes the padding, and the state for it, needless",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.Filter:
			if in := simplifyOuter(n.Input, func(padded logical.ColSet) bool { return rejects(n.Conds, padded) }); in != n.Input {
				return n.WithInputs([]logical.Node{in})
			}
		case *logical.Join:
			return simplifyBelow(n)
		}
		return n
	}),
}

// simplifyBelow simplifies the inputs of j whose rows count only if they match.
func simplifyBelow(j *logical.Join) logical.Node {
	left, right := j.Left, j.Right
	if j.Kind == logical.InnerJoin || j.Kind == logical.SemiJoin {
		left = simplifyOuter(left, func(padded logical.ColSet) bool {
			for _, k := range j.Keys {
				if padded[k.Left.ID] && !k.NullSafe {
					return true
				}
			}
			return rejects(j.On, padded)
		})
	}
	if j.Kind != logical.FullJoin {
		right = simplifyOuter(right, func(padded logical.ColSet) bool {
			for _, k := range j.Keys {
				if padded[k.Right.ID] && !k.NullSafe {
					return true
				}
			}
			return rejects(j.On, padded)
		})
	}
	return over(j, left, right)
}

// simplifyOuter makes n, if it is an outer join, one that pads less: rejected says
// that no row counts in which all of the given columns are NULL.
func simplifyOuter(n logical.Node, rejected func(padded logical.ColSet) bool) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || !j.Kind.PadsRight() {
		return n
	}
	noLeft := j.Kind == logical.LeftJoin || rejected(logical.SetOf(j.Left.Columns()))
	noRight := rejected(logical.SetOf(j.Right.Columns()))
	out := *j
	switch {
	case noLeft && noRight:
		out.Kind = logical.InnerJoin
	case j.Kind == logical.LeftJoin:
		return n
	case noLeft:
		out.Kind = logical.LeftJoin
	case noRight: // right's rows stay: it becomes the left one
		out.Kind = logical.LeftJoin
		out.Left, out.Right = j.Right, j.Left
		out.Keys = nil
		for _, k := range j.Keys {
			out.Keys = append(out.Keys, logical.JoinKey{Left: k.Right, Right: k.Left, NullSafe: k.NullSafe})
		}
	default:
		return n
	}
	return &out
}

// rejects reports that one of conds is never true when all columns of set are NULL.
func rejects(conds []*expr.Expr, set logical.ColSet) bool {
	for _, e := range conds {
		if t := overNulls(e, set); t == isFalse || t == isNull || t == notTrue {
			return true
		}
	}
	return false
}
