package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

// joinGroup is a tree of inner joins, taken apart: what it joins and what must be
// true of the rows. Columns that must be equal form classes, so that a = b and
// b = c say that a = c too.
type joinGroup struct {
	c      *Context
	leaves []logical.Node
	of     map[int]int // column id → its leaf
	cols   map[int]logical.Col
	conds  []*expr.Expr // all conditions but the equalities of single columns
	parent map[int]int  // column id → another of its class, or itself
	fixed  bool         // a condition is volatile, or its order is given: no leaf may move
}

// newJoinGroup takes the inner joins at and below j apart.
func newJoinGroup(c *Context, j *logical.Join) *joinGroup {
	g := &joinGroup{c: c, of: map[int]int{}, cols: map[int]logical.Col{}, parent: map[int]int{}}
	var equal [][2]logical.Col
	g.take(j, &equal)
	for k, leaf := range g.leaves {
		for _, col := range leaf.Columns() {
			g.of[col.ID], g.cols[col.ID] = k, col
		}
	}
	for _, e := range equal {
		l, r := g.cols[e[0].ID], g.cols[e[1].ID]
		if g.of[l.ID] == g.of[r.ID] {
			g.conds = append(g.conds, expr.NewCall("=", boolType, logical.Ref(l), logical.Ref(r)))
			continue
		}
		g.parent[g.class(l.ID)] = g.class(r.ID)
	}
	return g
}

// take collects the leaves and conditions of n.
func (g *joinGroup) take(n logical.Node, equal *[][2]logical.Col) {
	switch n := n.(type) {
	case *logical.Join:
		if n.Kind != logical.InnerJoin || n.Straight {
			break
		}
		g.take(n.Left, equal)
		g.take(n.Right, equal)
		for _, k := range n.Keys {
			if k.NullSafe {
				g.conds = append(g.conds, expr.NewCall("<=>", boolType, logical.Ref(k.Left), logical.Ref(k.Right)))
			} else {
				*equal = append(*equal, [2]logical.Col{k.Left, k.Right})
			}
		}
		g.takeConds(n.On, equal)
		return
	case *logical.Filter:
		if joins(n.Input) {
			g.take(n.Input, equal)
			g.takeConds(n.Conds, equal)
			return
		}
	case *logical.Project:
		if joins(n.Input) && !slices.ContainsFunc(n.Items, func(c logical.Computed) bool { return !logical.IsPassThrough(c) }) {
			g.take(n.Input, equal)
			return
		}
	}
	g.leaves = append(g.leaves, n)
}

// joins reports that n, under filters and projections that compute nothing, is an
// inner join that may be taken apart.
func joins(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.Join:
		return n.Kind == logical.InnerJoin && !n.Straight
	case *logical.Filter:
		return joins(n.Input)
	case *logical.Project:
		return joins(n.Input) && !slices.ContainsFunc(n.Items, func(c logical.Computed) bool { return !logical.IsPassThrough(c) })
	}
	return false
}

func (g *joinGroup) takeConds(conds []*expr.Expr, equal *[][2]logical.Col) {
	for _, e := range conds {
		if l, r, ok := columnsEqual(e); ok {
			*equal = append(*equal, [2]logical.Col{l, r})
			continue
		}
		g.fixed = g.fixed || g.c.volatile(e)
		g.conds = append(g.conds, e)
	}
}

// columnsEqual takes `column = column` apart where equal values lie in memory alike.
func columnsEqual(e *expr.Expr) (l, r logical.Col, ok bool) {
	if e.Op != expr.OpCall || e.Fn != "=" || len(e.Args) != 2 || e.Args[0].Op != expr.OpColumn || e.Args[1].Op != expr.OpColumn {
		return l, r, false
	}
	a, b := e.Args[0], e.Args[1]
	if !SameRepresentation(a.Type, b.Type) {
		return l, r, false
	}
	return logical.Col{ID: a.Col, Name: a.Name, Type: a.Type}, logical.Col{ID: b.Col, Name: b.Name, Type: b.Type}, true
}

// class is the column that stands for all that must equal the given one.
func (g *joinGroup) class(id int) int {
	for {
		p, ok := g.parent[id]
		if !ok || p == id {
			return id
		}
		id = p
	}
}

// leavesOf are the leaves whose columns e reads.
func (g *joinGroup) leavesOf(e *expr.Expr) map[int]bool {
	set, read := map[int]bool{}, logical.ColSet{}
	e.Columns(read)
	for id := range read {
		set[g.of[id]] = true
	}
	return set
}

// members are the columns of a leaf by their class, for classes that other leaves
// share, each list in the leaf's order.
func (g *joinGroup) members(leaf int) map[int][]logical.Col {
	out := map[int][]logical.Col{}
	for _, c := range g.leaves[leaf].Columns() {
		if root := g.class(c.ID); root != c.ID || g.isRoot(c.ID) {
			out[root] = append(out[root], c)
		}
	}
	return out
}

// isRoot reports that another column's class is id.
func (g *joinGroup) isRoot(id int) bool {
	for child, p := range g.parent {
		if p == id && child != id {
			return true
		}
	}
	return false
}
