package decorrelate

import (
	"strings"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// domain is the distinct values that the parameters take, computed from a copy
// of the left side.
func (u *unnester) domain(params logical.ColSet) (logical.Node, reps, error) {
	left, to, err := logical.Copy(u.left, u.ids)
	if err != nil {
		return nil, nil, err
	}
	p, r := &logical.Project{Input: left}, reps{}
	for _, id := range sorted(params) {
		c := u.outer[id]
		c.ID = to[id]
		p.Items = append(p.Items, logical.PassThrough(c))
		r[id] = rep{col: c, nullSafe: true, exact: true}
	}
	return &logical.Distinct{Input: p}, r, nil
}

// withDomain joins n, which has columns for the parameters r, with the domain of
// params, those of r among them, so that there is just what there is for rows of
// the left.
func (u *unnester) withDomain(n logical.Node, r reps, params logical.ColSet, on []*expr.Expr) (logical.Node, reps, error) {
	all := logical.ColSet{}
	for id := range r {
		all[id] = true
	}
	for id := range params {
		all[id] = true
	}
	d, dr, err := u.domain(all)
	if err != nil {
		return nil, nil, err
	}
	for i, e := range on {
		on[i] = dr.in(e)
	}
	on = append(on, same(dr, r)...)
	if v, ok := n.(*logical.Values); ok && len(v.Rows) == 1 && len(v.Cols) == 0 {
		return logical.NewFilter(d, on), dr, nil
	}
	return &logical.Join{Kind: logical.InnerJoin, Left: n, Right: d, On: on}, dr, nil
}

// same are the conditions that columns for the same parameters are equal.
func same(a, b reps) []*expr.Expr {
	var out []*expr.Expr
	for _, id := range a.ids() {
		if y, ok := b[id]; ok {
			x := a[id]
			out = append(out, equal(x.nullSafe && y.nullSafe, logical.Ref(x.col), logical.Ref(y.col)))
		}
	}
	return out
}

// in is e with the columns that stand for parameters in their places.
func (r reps) in(e *expr.Expr) *expr.Expr {
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op == expr.OpColumn {
			if c, ok := r[x.Col]; ok {
				return logical.Ref(c.col)
			}
		}
		return x
	})
}

func (r reps) inAll(list []*expr.Expr) []*expr.Expr {
	out := make([]*expr.Expr, len(list))
	for i, e := range list {
		out[i] = r.in(e)
	}
	return out
}

// missing are the parameters that expressions read and that r has no column for
// that is as good.
func (u *unnester) missing(list []*expr.Expr, r reps) logical.ColSet {
	out := u.reads(list)
	for id := range out {
		if c, ok := r[id]; ok && c.exact {
			delete(out, id)
		}
	}
	return out
}

// cannot is error 1235 for a node that nothing can be pushed through.
func cannot(n logical.Node) error {
	return sqlerr.Unsupported("a correlated subquery over " + strings.ToUpper(strings.Fields(n.String())[0]))
}
