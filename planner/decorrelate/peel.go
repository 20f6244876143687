package decorrelate

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

// hoist computes on the left what the conditions of right compare, when it reads
// nothing but the left: `t.a + 1 = u.b` then has a parameter on one side.
func (u *unnester) hoist(left, right logical.Node) (logical.Node, logical.Node) {
	have := logical.SetOf(left.Columns())
	p := &logical.Project{Input: left}
	for _, c := range left.Columns() {
		p.Items = append(p.Items, logical.PassThrough(c))
	}
	n := len(p.Items)
	side := func(e *expr.Expr) *expr.Expr {
		if e.Op != expr.OpCall || !have.ReadsAny(e) || !have.Has(e) {
			return e
		}
		for _, it := range p.Items[n:] {
			if expr.Equal(it.Expr, e) {
				return logical.Ref(it.Col)
			}
		}
		c := logical.Col{ID: u.ids.Next(), Name: e.String(), Type: e.Type}
		p.Items = append(p.Items, logical.Computed{Col: c, Expr: e})
		return logical.Ref(c)
	}
	right = logical.Rewrite(right, func(n logical.Node) logical.Node {
		switch n.(type) {
		case *logical.Filter, *logical.Join:
			return n.WithExprs(func(e *expr.Expr) *expr.Expr {
				if !isEquality(e) {
					return e
				}
				l, r := side(e.Args[0]), side(e.Args[1])
				if l == e.Args[0] && r == e.Args[1] {
					return e
				}
				return expr.NewCall(e.Fn, e.Type, l, r)
			})
		}
		return n
	})
	if len(p.Items) == n {
		return left, right
	}
	return p, right
}

func isEquality(e *expr.Expr) bool {
	return e.Op == expr.OpCall && (e.Fn == "=" || e.Fn == "<=>") && len(e.Args) == 2
}

// asked is n without what does not matter to a join that only asks whether there
// is a row for which conditions are true: columns that these do not read,
// DISTINCT, an order.
func asked(n logical.Node, on []*expr.Expr) logical.Node {
	need := logical.ColSet{}
	for _, e := range on {
		e.Columns(need)
	}
	for {
		switch x := n.(type) {
		case *logical.Distinct:
			n = x.Input
			continue
		case *logical.Project:
			out := &logical.Project{Input: x.Input}
			for _, it := range x.Items {
				if need[it.ID] {
					out.Items = append(out.Items, it)
				}
			}
			return out
		}
		return n
	}
}

// peel takes the conditions that read parameters out of the top of n, for the
// join above.
func (u *unnester) peel(n logical.Node) (logical.Node, []*expr.Expr) {
	if !u.dependent(n) {
		return n, nil
	}
	switch n := n.(type) {
	case *logical.Filter:
		in, conds := u.peel(n.Input)
		var plain []*expr.Expr
		for _, c := range n.Conds {
			if u.reads([]*expr.Expr{c}).Any() {
				conds = append(conds, c)
			} else {
				plain = append(plain, c)
			}
		}
		return logical.NewFilter(in, plain), conds
	case *logical.Project:
		if u.reads(n.Exprs()).Any() {
			return n, nil
		}
		in, conds := u.peel(n.Input)
		return extended(in, n.Items), conds
	case *logical.Join:
		return u.peelJoin(n)
	}
	return n, nil
}

func (u *unnester) peelJoin(j *logical.Join) (logical.Node, []*expr.Expr) {
	out := *j
	var conds, more []*expr.Expr
	switch j.Kind {
	case logical.InnerJoin:
		out.Left, conds = u.peel(j.Left)
		out.Right, more = u.peel(j.Right)
		conds = append(conds, more...)
		out.On = nil
		for _, c := range j.On {
			if u.reads([]*expr.Expr{c}).Any() {
				conds = append(conds, c)
			} else {
				out.On = append(out.On, c)
			}
		}
	case logical.LeftJoin, logical.SemiJoin, logical.AntiJoin:
		out.Left, conds = u.peel(j.Left)
	default:
		return j, nil
	}
	return &out, conds
}

// extended is n with further columns: those of items that it does not have.
func extended(n logical.Node, items []logical.Computed) logical.Node {
	p := &logical.Project{Input: n}
	for _, c := range n.Columns() {
		p.Items = append(p.Items, logical.PassThrough(c))
	}
	have := logical.SetOf(n.Columns())
	for _, it := range items {
		if !have[it.ID] {
			p.Items = append(p.Items, it)
		}
	}
	if len(p.Items) == len(n.Columns()) {
		return n
	}
	return p
}

func sorted(set logical.ColSet) []int {
	var out []int
	for id := range set {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}
