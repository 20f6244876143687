package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var boolType = types.MakeBool()

var orderJoins = Rule{
	Name: "order_joins",
	Reason: "rows that go early take no state in the joins above: it starts where filters leave least, goes along equalities, " +
		"by a unique key first, and multiplies only what nothing connects",
	Late:  true,
	Apply: func(c *Context, t *logical.Tree) logical.Node { return orderBelow(c, t.Root) },
}

// orderBelow orders each group of inner joins in n, outer ones first.
func orderBelow(c *Context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.InnerJoin || j.Straight {
		in := slices.Clone(n.Inputs())
		for i, o := range in {
			in[i] = orderBelow(c, o)
		}
		return over(n, in...)
	}
	g := newJoinGroup(c, j)
	changed := false
	for i, leaf := range g.leaves {
		g.leaves[i] = orderBelow(c, leaf)
		changed = changed || g.leaves[i] != leaf
	}
	if ordered(j) && !changed || g.fixed || len(g.leaves) < 2 || len(g.leaves) > maxGroup {
		return n
	}
	return sameColumns(g.order(), j)
}

// maxGroup bounds how many inputs are ordered: the work grows with the square.
const maxGroup = 64

// ordered reports that all joins of the group at j have their order already.
func ordered(j *logical.Join) bool {
	done := j.Ordered
	var walk func(n logical.Node)
	walk = func(n logical.Node) {
		switch n := n.(type) {
		case *logical.Join:
			if n.Kind == logical.InnerJoin && !n.Straight {
				done = done && n.Ordered
				walk(n.Left)
				walk(n.Right)
			}
		case *logical.Filter, *logical.Project:
			if joins(n) {
				walk(n.Inputs()[0])
			}
		}
	}
	walk(j)
	return done
}

// sameColumns is n with just the columns of old.
func sameColumns(n, old logical.Node) logical.Node {
	have, want := n.Columns(), logical.SetOf(old.Columns())
	if len(have) == len(want) {
		return n
	}
	p := &logical.Project{Input: n}
	for _, c := range have {
		if want[c.ID] {
			p.Items = append(p.Items, logical.PassThrough(c))
		}
	}
	return p
}

// order joins the leaves anew.
func (g *joinGroup) order() logical.Node {
	g.restrict()
	g.filterLeaves()
	todo := make([]int, len(g.leaves))
	for i := range todo {
		todo[i] = i
	}
	var root *joinTree
	for len(todo) > 0 {
		part := g.chain(&todo)
		if root == nil {
			root = part
		} else {
			root = g.join(root, part)
		}
	}
	return logical.NewFilter(root.node, root.rest(g)) // conditions without columns, if it is but one leaf
}

// joinTree is a tree over some of the leaves.
type joinTree struct {
	node   logical.Node
	leaves map[int]bool
}

func (j *joinTree) rest(g *joinGroup) []*expr.Expr { return g.ready(j.leaves) }

// chain joins a leaf and all that equalities connect it with, which it takes out
// of todo: first the best of all, then always the best of those connected.
func (g *joinGroup) chain(todo *[]int) *joinTree {
	first := g.best(*todo, func(leaf int) []int { return []int{g.weight(leaf)} })
	out := &joinTree{node: g.leaves[first], leaves: map[int]bool{first: true}}
	*todo = slices.DeleteFunc(*todo, func(k int) bool { return k == first })
	if len(g.leaves) == 2 { // two inputs meet alike, whichever is the left one
		if k := (*todo); len(k) == 1 && g.reach(out.leaves, k[0]) < apart {
			second := &joinTree{node: g.leaves[k[0]], leaves: map[int]bool{k[0]: true}}
			*todo = nil
			if first > k[0] {
				return g.join(second, out)
			}
			return g.join(out, second)
		}
		return out
	}
	for {
		near := slices.DeleteFunc(slices.Clone(*todo), func(k int) bool { return g.reach(out.leaves, k) == apart })
		if len(near) == 0 {
			return out
		}
		next := g.best(near, func(leaf int) []int { return []int{g.reach(out.leaves, leaf), g.weight(leaf)} })
		*todo = slices.DeleteFunc(*todo, func(k int) bool { return k == next })
		out = g.join(out, &joinTree{node: g.leaves[next], leaves: map[int]bool{next: true}})
	}
}

// best is the leaf of the list with the least score, the first of several.
func (g *joinGroup) best(list []int, score func(leaf int) []int) int {
	best, least := list[0], score(list[0])
	for _, k := range list[1:] {
		if s := score(k); slices.Compare(s, least) < 0 {
			best, least = k, s
		}
	}
	return best
}

// weight says how many rows a leaf may have: 0, at most one; 1, those with one
// value in a column; 2, those that pass a filter; 3, all; 4, all of a dimension table.
func (g *joinGroup) weight(leaf int) int {
	if dimensionOf(g.leaves[leaf]) != nil {
		return 4
	}
	if g.c.Derived.Props(g.leaves[leaf]).OneRow() {
		return 0
	}
	w := 3
	if leavesOut(g.leaves[leaf]) {
		w = 2
	}
	for _, f := range facts(g.leaves[leaf]) {
		if _, ok := equalsConst(f); ok {
			return 1
		}
		w = 2
	}
	return w
}

// leavesOut reports a semi or anti join, under what computes nothing.
func leavesOut(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.Join:
		return n.Kind.LeftOnly()
	case *logical.Filter, *logical.Project:
		return leavesOut(n.Inputs()[0])
	}
	return false
}

// How a leaf is reached from those that are joined already.
const (
	byItsKey   = iota // each row meets at most one of it
	byOtherKey        // each of its rows meets at most one
	byNoKey           // rows multiply
	apart             // nothing connects them
)

// reach says how the leaf next is connected with those of set.
func (g *joinGroup) reach(set map[int]bool, next int) int {
	mine, theirs := logical.ColSet{}, map[int]logical.ColSet{}
	for class, cols := range g.members(next) {
		for leaf := range set {
			for _, c := range g.members(leaf)[class] {
				if theirs[leaf] == nil {
					theirs[leaf] = logical.ColSet{}
				}
				theirs[leaf][c.ID] = true
				for _, m := range cols {
					mine[m.ID] = true
				}
			}
		}
	}
	if len(mine) == 0 {
		for _, e := range g.conds {
			if g.connects(e, set, next) {
				return byNoKey
			}
		}
		return apart
	}
	if g.c.Derived.Props(g.leaves[next]).HasKeyIn(mine) {
		return byItsKey
	}
	if dimensionOf(g.leaves[next]) != nil {
		return apart // it could not be looked up yet
	}
	for leaf, cols := range theirs {
		if g.c.Derived.Props(g.leaves[leaf]).HasKeyIn(cols) {
			return byOtherKey
		}
	}
	return byNoKey
}

// connects reports that e is an equality of expressions, one over next, the other
// over set.
func (g *joinGroup) connects(e *expr.Expr, set map[int]bool, next int) bool {
	if e.Op != expr.OpCall || e.Fn != "=" && e.Fn != "<=>" || len(e.Args) != 2 {
		return false
	}
	within := func(x *expr.Expr, in func(int) bool) bool {
		read := g.leavesOf(x)
		for k := range read {
			if !in(k) {
				return false
			}
		}
		return len(read) > 0
	}
	isNext, isSet := func(k int) bool { return k == next }, func(k int) bool { return set[k] }
	return within(e.Args[0], isNext) && within(e.Args[1], isSet) || within(e.Args[1], isNext) && within(e.Args[0], isSet)
}

// join joins two trees by a key for each class that both have, and all conditions
// that can be computed now.
func (g *joinGroup) join(l, r *joinTree) *joinTree {
	out := &joinTree{leaves: map[int]bool{}}
	j := &logical.Join{Kind: logical.InnerJoin, Left: l.node, Right: r.node, Ordered: true}
	have := map[int]logical.Col{}
	for _, c := range l.node.Columns() {
		if _, ok := have[g.class(c.ID)]; !ok {
			have[g.class(c.ID)] = c
		}
	}
	for _, c := range r.node.Columns() {
		if lc, ok := have[g.class(c.ID)]; ok {
			j.Keys = append(j.Keys, logical.JoinKey{Left: lc, Right: c})
		}
	}
	for _, side := range []*joinTree{l, r} {
		for k := range side.leaves {
			out.leaves[k] = true
		}
	}
	j.On = g.ready(out.leaves)
	out.node = j
	return out
}

// ready takes the conditions over the given leaves out of g.
func (g *joinGroup) ready(leaves map[int]bool) []*expr.Expr {
	over := func(e *expr.Expr) bool {
		for k := range g.leavesOf(e) {
			if !leaves[k] {
				return false
			}
		}
		return true
	}
	var now []*expr.Expr
	now, g.conds = split(g.conds, over)
	return now
}

// filterLeaves puts the conditions that one leaf can tell over it, and makes equal
// those of its columns that must be, for others' sake.
func (g *joinGroup) filterLeaves() {
	for k := range g.leaves {
		var now []*expr.Expr
		now, g.conds = split(g.conds, func(e *expr.Expr) bool {
			read := g.leavesOf(e)
			return len(read) == 1 && read[k]
		})
		members := g.members(k)
		for _, c := range g.leaves[k].Columns() {
			if cols := members[g.class(c.ID)]; len(cols) > 1 && cols[0].ID != c.ID {
				now = append(now, expr.NewCall("=", boolType, logical.Ref(cols[0]), logical.Ref(c)))
			}
		}
		g.leaves[k] = logical.NewFilter(g.leaves[k], now)
	}
}
