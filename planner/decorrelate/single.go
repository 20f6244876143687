package decorrelate

import (
	"streamsql/planner/logical"
	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// applySingle joins the left with at most one row each. Where it is not known
// that there is no second one, the rows are counted, and the row that finds more
// than one fails.
func (u *unnester) applySingle(a *logical.Apply) (logical.Node, error) {
	if right, conds := u.peel(a.Right); !u.dependent(right) && u.atMostOne(right, conds) {
		return &logical.Join{Kind: logical.LeftJoin, Left: u.left, Right: right, On: conds}, nil
	}
	right, r, err := u.input(a.Right)
	if err != nil {
		return nil, err
	}
	if u.derived.Props(right).HasKeyIn(logical.SetOf(r.cols())) {
		return &logical.Join{Kind: logical.LeftJoin, Left: u.left, Right: right, On: u.meet(r)}, nil
	}
	count := types.MakeBigInt()
	count.NotNull = true
	n := logical.Agg{Col: logical.Col{ID: u.ids.Next(), Name: "count(*)", Type: count}, Call: agg.Call{Fn: "count", Type: count}}
	g := &logical.Aggregate{Input: right, Keys: r.cols(), Aggs: []logical.Agg{n}}
	out := &logical.Project{}
	for _, c := range u.left.Columns() {
		out.Items = append(out.Items, logical.PassThrough(c))
	}
	seen := n.Col
	if len(r) > 0 {
		seen.Type = seen.Type.Nullable()
	}
	for _, c := range a.Right.Columns() {
		value := logical.Col{ID: u.ids.Next(), Name: c.Name, Type: c.Type.Nullable()}
		g.Aggs = append(g.Aggs, logical.Agg{Col: value, Call: agg.Call{Fn: "min", Args: []*expr.Expr{logical.Ref(c)}, Type: value.Type}})
		c.Type = c.Type.Nullable()
		out.Items = append(out.Items, logical.Computed{Col: c, Expr: builtin.SingleRow(logical.Ref(value), logical.Ref(seen))})
	}
	j := &logical.Join{Kind: logical.LeftJoin, Left: u.left, Right: g, On: u.meet(r)}
	if len(r) == 0 { // there is a row in any case
		j.Kind = logical.InnerJoin
	}
	out.Input = j
	return out, nil
}

// atMostOne reports that conds, which hold for rows of n that meet a row of the
// left, fix a whole key of n.
func (u *unnester) atMostOne(n logical.Node, conds []*expr.Expr) bool {
	have, fixed := logical.SetOf(n.Columns()), logical.ColSet{}
	for _, c := range conds {
		if !isEquality(c) {
			continue
		}
		for k := range 2 {
			if x, y := c.Args[k], c.Args[1-k]; x.Op == expr.OpColumn && have[x.Col] && !have.ReadsAny(y) && keeps(x.Type) {
				fixed[x.Col] = true
			}
		}
	}
	return u.derived.Props(n).HasKeyIn(fixed)
}

// keeps reports a type of which equal values are one value to a unique key.
func keeps(t types.Type) bool { return t.Kind != types.JSON }
