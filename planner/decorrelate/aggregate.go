package decorrelate

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// scalarAggregate finds an aggregate over everything of which n has the one
// row, and what is computed and asked of it above, from the top down.
func scalarAggregate(n logical.Node) (*logical.Aggregate, []logical.Node) {
	var chain []logical.Node
	for {
		switch x := n.(type) {
		case *logical.Aggregate:
			if len(x.Keys) > 0 {
				return nil, nil
			}
			return x, chain
		case *logical.Project, *logical.Filter:
			chain = append(chain, n)
			n = n.Inputs()[0]
		case *logical.Distinct:
			n = x.Input
		case *logical.TopN:
			if x.Limit == 0 || x.Offset > 0 || x.Number != nil {
				return nil, nil
			}
			n = x.Input
		default:
			return nil, nil
		}
	}
}

// applyAggregate joins each row of the left with the one row of g that it has,
// and computes what stands above g over both.
func (u *unnester) applyAggregate(a *logical.Apply, g *logical.Aggregate, chain []logical.Node) (logical.Node, error) {
	in, r, err := u.input(g.Input)
	if err != nil {
		return nil, err
	}
	var out logical.Node
	if len(r) == 0 {
		out = &logical.Join{Kind: logical.InnerJoin, Left: u.left, Right: g}
	} else {
		out = u.filled(g, u.left, in, r, u.meet(r))
	}
	var conds []*expr.Expr
	for _, n := range slices.Backward(chain) {
		switch n := n.(type) {
		case *logical.Project:
			out = extended(out, n.Items)
		case *logical.Filter:
			conds = append(conds, n.Conds...)
		}
	}
	conds = slices.DeleteFunc(append(conds, a.On...), func(e *expr.Expr) bool {
		return e.Op == expr.OpConst && !e.Value.Null && e.Value.I != 0 && e.Type.Class() == types.ClassInt
	})
	switch {
	case a.Kind == logical.AntiJoin && len(conds) == 0:
		return only(logical.NewFilter(out, []*expr.Expr{falsehood()}), a.Columns()), nil
	case a.Kind == logical.AntiJoin:
		out = logical.NewFilter(out, []*expr.Expr{call("not", call("is true", all(conds)))})
	case a.Kind == logical.LeftJoin && len(conds) > 0:
		return u.padded(out, a, conds), nil
	default:
		out = logical.NewFilter(out, conds)
	}
	return only(out, present(out, a.Columns())), nil
}

// present are cols as n has them.
func present(n logical.Node, cols []logical.Col) []logical.Col {
	have := map[int]logical.Col{}
	for _, c := range n.Columns() {
		have[c.ID] = c
	}
	out := make([]logical.Col, len(cols))
	for i, c := range cols {
		out[i] = have[c.ID]
	}
	return out
}

// padded is n, which has the columns of a, with NULL in those of a's right side
// where conds are not true.
func (u *unnester) padded(n logical.Node, a *logical.Apply, conds []*expr.Expr) logical.Node {
	p := &logical.Project{Input: n}
	for _, c := range a.Left.Columns() {
		p.Items = append(p.Items, logical.PassThrough(c))
	}
	for _, c := range present(n, a.Right.Columns()) {
		e := call("if", all(conds), logical.Ref(c), expr.NewConst(expr.Value{Null: true}, c.Type.Nullable()))
		c.Type = c.Type.Nullable()
		p.Items = append(p.Items, logical.Computed{Col: c, Expr: e})
	}
	return p
}

// filled is n over in, grouped by r, as a left join of left on conditions: where
// there is no group, the aggregates are what they are over nothing.
func (u *unnester) filled(n *logical.Aggregate, left, in logical.Node, r reps, on []*expr.Expr) logical.Node {
	inner := *n
	inner.Aggs = slices.Clone(n.Aggs)
	out := &logical.Project{}
	for _, c := range left.Columns() {
		out.Items = append(out.Items, logical.PassThrough(c))
	}
	for i, g := range n.Aggs {
		c := g.Col
		over := agg.OverNothing(g.Call)
		if over == nil {
			c.Type = c.Type.Nullable()
			out.Items = append(out.Items, logical.PassThrough(c))
			continue
		}
		made := g.Col
		made.ID = u.ids.Next()
		inner.Aggs[i].Col = made
		made.Type = made.Type.Nullable()
		e := call("coalesce", logical.Ref(made), over)
		out.Items = append(out.Items, logical.Computed{Col: c, Expr: e})
	}
	out.Input = &logical.Join{Kind: logical.LeftJoin, Left: left, Right: grouped(&inner, in, r), On: on}
	return out
}

func falsehood() *expr.Expr { return call("=", expr.NewInt(0), expr.NewInt(1)) }
