package logical

import (
	"streamsql/sql/expr"
)

// Apply is a dependent join: its right side, and its conditions, read columns of
// the left, so that each row of the left has a right side of its own. Package
// decorrelate makes Joins of them all before any rule runs.
//
// Right may read columns of an Apply further out, too.
type Apply struct {
	Kind        JoinKind // inner, left, semi or anti
	Left, Right Node
	On          []*expr.Expr
	// Single, of a left one: Right has at most one row for a row of the left; more
	// are error 1242, when one of Right's columns is computed with.
	Single bool
}

// join is the Apply as a Join, which has the same columns.
func (a *Apply) join() *Join { return &Join{Kind: a.Kind, Left: a.Left, Right: a.Right} }

// Columns of an apply: as a Join's.
func (a *Apply) Columns() []Col { return a.join().Columns() }

// Inputs of an apply: left, right.
func (a *Apply) Inputs() []Node { return []Node{a.Left, a.Right} }

// WithInputs puts the apply over other inputs.
func (a *Apply) WithInputs(in []Node) Node {
	out := *a
	out.Left, out.Right = in[0], in[1]
	return &out
}

// Exprs of an apply: its conditions.
func (a *Apply) Exprs() []*expr.Expr { return a.On }

// WithExprs rewrites the conditions.
func (a *Apply) WithExprs(f func(*expr.Expr) *expr.Expr) Node {
	on := rewriteExprs(a.On, f)
	if same(on, a.On) {
		return a
	}
	out := *a
	out.On = on
	return &out
}

func (a *Apply) String() string {
	s := "Apply " + a.Kind.String()
	if a.Single {
		s += " single"
	}
	if len(a.On) > 0 {
		s += " if " + exprText(a.On, " AND ")
	}
	return s
}

// Free are the columns that n reads and that nothing below it has: those of the
// left sides of Applies around it.
func Free(n Node) ColSet {
	free, have := ColSet{}, ColSet{}
	inputs := n.Inputs()
	for i, in := range inputs {
		below := Free(in)
		if _, ok := n.(*Apply); ok && i == 1 {
			for id := range have {
				delete(below, id)
			}
		}
		for id := range below {
			free[id] = true
		}
		for _, c := range in.Columns() {
			have[c.ID] = true
		}
	}
	for _, e := range n.Exprs() {
		e.Walk(func(x *expr.Expr) bool {
			if x.Op == expr.OpColumn && !have[x.Col] {
				free[x.Col] = true
			}
			return true
		})
	}
	return free
}

// Any reports whether s has a member.
func (s ColSet) Any() bool { return len(s) > 0 }
