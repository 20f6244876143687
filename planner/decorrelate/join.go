package decorrelate

import (
	"maps"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

// unnestJoin pairs the sides' rows for the same values of the parameters.
func (u *unnester) unnestJoin(j *logical.Join) (logical.Node, reps, error) {
	switch j.Kind {
	case logical.InnerJoin:
		return u.innerJoin(j)
	case logical.FullJoin:
		return u.fullJoin(j)
	}
	return u.keepingJoin(j)
}

func (u *unnester) innerJoin(j *logical.Join) (logical.Node, reps, error) {
	left, lr, err := u.input(j.Left)
	if err != nil {
		return nil, nil, err
	}
	right, rr, err := u.input(j.Right)
	if err != nil {
		return nil, nil, err
	}
	out := &logical.Join{Kind: logical.InnerJoin, Left: left, Right: right, Keys: j.Keys, On: same(lr, rr)}
	r := maps.Clone(rr)
	maps.Copy(r, lr)
	var conds []*expr.Expr
	for _, c := range j.On {
		if u.reads([]*expr.Expr{c}).Any() {
			conds = append(conds, c)
		} else {
			out.On = append(out.On, c)
		}
	}
	if len(conds) == 0 {
		return out, r, nil
	}
	return u.filter(out, conds, r)
}

// keepingJoin is a left, semi or anti join. Whether a row of the left meets
// something depends on all parameters, so that it has a column for each.
func (u *unnester) keepingJoin(j *logical.Join) (logical.Node, reps, error) {
	left, lr, err := u.input(j.Left)
	if err != nil {
		return nil, nil, err
	}
	lack := u.missing(j.On, lr)
	for id := range u.free(j.Right) {
		if _, ok := lr[id]; !ok {
			lack[id] = true
		}
	}
	if lack.Any() {
		if left, lr, err = u.withDomain(left, lr, lack, nil); err != nil {
			return nil, nil, err
		}
	}
	right, rr, err := u.input(j.Right)
	if err != nil {
		return nil, nil, err
	}
	out := *j
	out.Left, out.Right = left, right
	out.On = append(lr.inAll(j.On), same(lr, rr)...)
	return &out, lr, nil
}

// fullJoin has rows from either side alone, and so both need all parameters.
func (u *unnester) fullJoin(j *logical.Join) (logical.Node, reps, error) {
	params := u.free(j)
	side := func(n logical.Node) (logical.Node, reps, error) {
		n, r, err := u.input(n)
		if err != nil {
			return nil, nil, err
		}
		return u.withDomain(n, r, params, nil)
	}
	left, lr, err := side(j.Left)
	if err != nil {
		return nil, nil, err
	}
	right, rr, err := side(j.Right)
	if err != nil {
		return nil, nil, err
	}
	out := *j
	out.Left, out.Right = left, right
	out.On = append(lr.inAll(j.On), same(lr, rr)...)
	r := reps{}
	var items []logical.Computed
	padded := map[int]logical.Col{}
	for _, c := range out.Columns() {
		padded[c.ID] = c
	}
	for _, id := range lr.ids() {
		e := call("coalesce", logical.Ref(padded[lr[id].col.ID]), logical.Ref(padded[rr[id].col.ID]))
		c := logical.Col{ID: u.ids.Next(), Name: lr[id].col.Name, Type: e.Type}
		items = append(items, logical.Computed{Col: c, Expr: e})
		r[id] = rep{col: c, nullSafe: true, exact: true}
	}
	return extended(&out, items), r, nil
}
