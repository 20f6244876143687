// Package decorrelate makes joins of dependent ones: a logical tree with Applies
// becomes one without, in which nothing is computed row by row.
//
// The method is that of Neumann and Kemper, "Unnesting Arbitrary Queries" (BTW
// 2015): what the right side of an Apply reads of the left, its parameters, is
// pushed down through the right side, each operator on the way being made to
// work for all values of the parameters at once (an aggregate groups by them, a
// join compares them, DISTINCT keeps them apart), so that at last an ordinary
// join with the left on the parameters remains. Two things keep this cheap:
//
//   - where a condition says `parameter = expression`, the expression stands for
//     the parameter from there on. Only what has no such condition is joined with
//     the domain, the distinct values of the parameters, computed from a copy of
//     the left side;
//   - at the top, conditions become the join's own, and an aggregate over
//     everything, which has a row for nothing too, becomes a left join that fills
//     in its value over nothing, as in Galindo-Legaria and Joshi, "Orthogonal
//     Optimization of Subqueries and Aggregation" (SIGMOD 2001).
package decorrelate

import (
	"streamsql/planner/logical"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
)

// Tree replaces all Applies of t, inner ones first. What cannot be is error 1235.
func Tree(t *logical.Tree, derived *logical.Deriver) error {
	var failed error
	root := logical.Rewrite(t.Root, func(n logical.Node) logical.Node {
		a, ok := n.(*logical.Apply)
		if !ok || failed != nil {
			return n
		}
		out, err := apply(a, t.IDs, derived)
		if err != nil {
			failed = err
			return n
		}
		return out
	})
	if failed != nil {
		return failed
	}
	t.Root = root
	return nil
}

// unnester turns the right side of one Apply into one for all rows of the left.
type unnester struct {
	ids     *logical.IDs
	derived *logical.Deriver
	left    logical.Node
	outer   map[int]logical.Col // left's columns
}

// rep is the column that stands for a parameter in an unnested node.
type rep struct {
	col logical.Col
	// nullSafe: it is NULL just where the parameter is; else it is equal to it, and
	// where it would be NULL nothing is.
	nullSafe bool
	// exact: it is the same in every way, and not only equal to the parameter, as
	// text with other spaces at its end is.
	exact bool
}

// reps are the columns for parameters, by the parameters' ids.
type reps map[int]rep

// apply is a without dependence, with the same columns and maybe more.
func apply(a *logical.Apply, ids *logical.IDs, derived *logical.Deriver) (logical.Node, error) {
	out := *a
	u := &unnester{ids: ids, derived: derived}
	out.Left, out.Right = u.hoist(a.Left, a.Right)
	a, u.left, u.outer = &out, out.Left, map[int]logical.Col{}
	for _, c := range u.left.Columns() {
		u.outer[c.ID] = c
	}
	if a.Kind.LeftOnly() {
		a.Right = asked(a.Right, a.On)
	}
	if g, chain := scalarAggregate(a.Right); g != nil && (u.dependent(a.Right) || a.Kind == logical.LeftJoin) {
		return u.applyAggregate(a, g, chain)
	}
	if a.Single {
		return u.applySingle(a)
	}
	on := a.On[:len(a.On):len(a.On)]
	if right, conds := u.peel(a.Right); !u.dependent(right) {
		return &logical.Join{Kind: a.Kind, Left: u.left, Right: right, On: append(on, conds...)}, nil
	}
	// Where more is to be done, the conditions do more good where they are.
	right, r, err := u.unnest(a.Right)
	if err != nil {
		return nil, err
	}
	return &logical.Join{Kind: a.Kind, Left: u.left, Right: right, On: append(on, u.meet(r)...)}, nil
}

// free are the parameters that n reads.
func (u *unnester) free(n logical.Node) logical.ColSet {
	out := logical.ColSet{}
	for id := range logical.Free(n) {
		if _, ok := u.outer[id]; ok {
			out[id] = true
		}
	}
	return out
}

func (u *unnester) dependent(n logical.Node) bool { return u.free(n).Any() }

// reads are the parameters that expressions read.
func (u *unnester) reads(list []*expr.Expr) logical.ColSet {
	out := logical.ColSet{}
	for _, e := range list {
		e.Walk(func(x *expr.Expr) bool {
			if _, ok := u.outer[x.Col]; ok && x.Op == expr.OpColumn {
				out[x.Col] = true
			}
			return true
		})
	}
	return out
}

// meet are the conditions on which the left meets the columns for its parameters.
func (u *unnester) meet(r reps) []*expr.Expr {
	var out []*expr.Expr
	for _, id := range r.ids() {
		out = append(out, equal(r[id].nullSafe, logical.Ref(u.outer[id]), logical.Ref(r[id].col)))
	}
	return out
}

// ids are the parameters in order, so that plans do not depend on chance.
func (r reps) ids() []int {
	set := logical.ColSet{}
	for id := range r {
		set[id] = true
	}
	return sorted(set)
}

// cols are the columns that stand for parameters, each once.
func (r reps) cols() []logical.Col {
	var out []logical.Col
	seen := logical.ColSet{}
	for _, id := range r.ids() {
		if c := r[id].col; !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, c)
		}
	}
	return out
}

func equal(nullSafe bool, a, b *expr.Expr) *expr.Expr {
	if nullSafe && !(a.Type.NotNull && b.Type.NotNull) {
		return call("<=>", a, b)
	}
	return call("=", a, b)
}

// call makes a call of which the types are known to fit.
func call(fn string, args ...*expr.Expr) *expr.Expr {
	e, err := builtin.Call(nil, fn, args...)
	if err != nil { // comparisons of a type with itself, and conditions: there is none
		panic(err)
	}
	return e
}

// all is one condition that says all of conds.
func all(conds []*expr.Expr) *expr.Expr {
	if len(conds) == 1 {
		return conds[0]
	}
	return call("and", conds...)
}
