package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var transferConditions = Rule{
	Name: "transfer_conditions",
	Reason: "what a filter says of one side's join column holds for the other side's, which equals it: " +
		"rows that could only meet filtered ones take no state",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || j.Kind == logical.FullJoin {
			return n
		}
		toRight, toLeft := c.transfers(j)
		if len(toLeft)+len(toRight) == 0 {
			return n
		}
		return j.WithInputs([]logical.Node{logical.NewFilter(j.Left, toLeft), logical.NewFilter(j.Right, toRight)})
	}),
}

// transfers are the conditions that either side of j gets from the other. Left
// rows that stay without a match get none.
func (c *Context) transfers(j *logical.Join) (toRight, toLeft []*expr.Expr) {
	pairs := [][2]logical.Col{}
	for _, k := range j.Keys {
		pairs = append(pairs, [2]logical.Col{k.Left, k.Right})
	}
	left := logical.SetOf(j.Left.Columns())
	for _, e := range j.On {
		if l, r, ok := columnsEqual(e); ok && left[l.ID] != left[r.ID] {
			if !left[l.ID] {
				l, r = r, l
			}
			pairs = append(pairs, [2]logical.Col{l, r})
		}
	}
	both := j.Kind == logical.InnerJoin || j.Kind == logical.SemiJoin
	ofLeft, ofRight := c.factsOf(j.Left), c.factsOf(j.Right)
	for _, p := range pairs {
		if p[0].Type.Nullable() != p[1].Type.Nullable() {
			continue
		}
		toRight = append(toRight, transfer(alike(ofLeft[p[0].ID], p[0]), j.Right, p[1])...)
		if both {
			toLeft = append(toLeft, transfer(alike(ofRight[p[1].ID], p[1]), j.Left, p[0])...)
		}
	}
	return distinctExprs(toRight), distinctExprs(toLeft)
}

// alike are those of the conditions of a column that hold for all values that are
// equal, if they hold for one of them.
func alike(known []*expr.Expr, col logical.Col) []*expr.Expr {
	if !col.Type.IsText() && !col.Type.Folds() {
		return known
	}
	in, _ := split(known, plainComparison)
	return in
}

// factsOf is what is known of columns of n, each alone.
func (c *Context) factsOf(n logical.Node) map[int][]*expr.Expr {
	out := map[int][]*expr.Expr{}
	for _, e := range facts(n) {
		read := logical.ColSet{}
		e.Columns(read)
		if len(read) != 1 || c.volatile(e) {
			continue
		}
		for id := range read {
			out[id] = append(out[id], e)
		}
	}
	return out
}

// transfer is what is known of a column, said of b of to, without what is known
// there already.
func transfer(known []*expr.Expr, to logical.Node, b logical.Col) (out []*expr.Expr) {
	if len(known) == 0 || !settles(to, b.ID) {
		return nil
	}
	there := facts(to)
	ref := logical.Ref(b)
	for _, cols := range to.Columns() {
		if cols.ID == b.ID {
			ref = logical.Ref(cols)
		}
	}
	for _, e := range known {
		moved, _ := simplifyAll([]*expr.Expr{e.Rewrite(func(x *expr.Expr) *expr.Expr {
			if x.Op == expr.OpColumn {
				return ref
			}
			return x
		})})
		for _, m := range moved {
			if !contains(there, m) {
				out = append(out, m)
			}
		}
	}
	return out
}

// settles reports that a filter of the column, put over n, stays in sight: it is
// among facts(n), however far it is pushed down.
func settles(n logical.Node, col int) bool {
	has := func(in logical.Node) bool { return logical.SetOf(in.Columns())[col] }
	switch n := n.(type) {
	case *logical.Scan:
		return true
	case *logical.Filter:
		return settles(n.Input, col)
	case *logical.Distinct:
		return settles(n.Input, col)
	case *logical.Project:
		return has(n.Input) && settles(n.Input, col)
	case *logical.Aggregate:
		return has(n.Input) && logical.SetOf(n.Keys)[col] && settles(n.Input, col)
	case *logical.Join:
		if has(n.Left) {
			return n.Kind != logical.FullJoin && settles(n.Left, col)
		}
		return n.Kind == logical.InnerJoin && settles(n.Right, col)
	}
	return false
}
