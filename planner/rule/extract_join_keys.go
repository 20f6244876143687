package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var extractJoinKeys = Rule{
	Name:   "extract_join_keys",
	Reason: "rows with equal keys meet in one partition and are found by hash; without keys all rows go to one task",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok {
			return n
		}
		x := &keyExtractor{
			c:    c,
			left: side{node: j.Left, cols: logical.SetOf(j.Left.Columns())}, right: side{node: j.Right, cols: logical.SetOf(j.Right.Columns())},
		}
		keys := slices.Clip(j.Keys)
		var rest []*expr.Expr
		for _, e := range j.On {
			k, ok := x.key(e)
			if !ok {
				rest = append(rest, e)
			} else if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
		if len(rest) == len(j.On) {
			return n
		}
		out := *j
		out.Keys, out.On = keys, rest
		out.Left, out.Right = x.left.project(), x.right.project()
		if len(x.left.extra)+len(x.right.extra) == 0 {
			return &out
		}
		p := &logical.Project{Input: &out} // to what is above, the join gives what it gave
		for _, c := range n.Columns() {
			p.Items = append(p.Items, logical.PassThrough(c))
		}
		return p
	}),
}

// side is one input of a join and the key columns computed over it.
type side struct {
	node  logical.Node
	cols  logical.ColSet
	extra []logical.Computed
}

type keyExtractor struct {
	c           *Context
	left, right side
}

// key makes a pair of key columns of a condition `left = right` or `left <=> right`.
func (x *keyExtractor) key(e *expr.Expr) (logical.JoinKey, bool) {
	l, r, _, ok := x.pair(e, "=", "<=>")
	return logical.JoinKey{Left: l, Right: r, NullSafe: ok && e.Fn == "<=>"}, ok
}

// pair makes columns, one of each side and of one representation, of the operands
// of a condition by one of the comparisons fns; exchanged: left's is the second operand.
func (x *keyExtractor) pair(e *expr.Expr, fns ...string) (left, right logical.Col, exchanged, ok bool) {
	if e.Op != expr.OpCall || !slices.Contains(fns, e.Fn) || len(e.Args) != 2 || x.c.volatile(e) {
		return
	}
	l, r := e.Args[0], e.Args[1]
	if constant(l) || constant(r) {
		return
	}
	if x.right.cols.Has(l) && x.left.cols.Has(r) {
		l, r, exchanged = r, l, true
	}
	if !x.left.cols.Has(l) || !x.right.cols.Has(r) {
		return
	}
	t, ok := keyType(l.Type, r.Type)
	if !ok {
		return
	}
	l, okL := x.cast(l, t)
	r, okR := x.cast(r, t)
	if !okL || !okR {
		return left, right, exchanged, false
	}
	return x.left.column(x.c, l), x.right.column(x.c, r), exchanged, true
}

// cast brings e to the representation of t, if it has another.
func (x *keyExtractor) cast(e *expr.Expr, t types.Type) (*expr.Expr, bool) {
	if SameRepresentation(e.Type, t) {
		return e, true
	}
	out, err := x.c.Cast(e, t)
	return out, err == nil && SameRepresentation(out.Type, t)
}

// column is e as a column of the side.
func (s *side) column(c *Context, e *expr.Expr) logical.Col {
	for _, col := range s.node.Columns() {
		if e.Op == expr.OpColumn && e.Col == col.ID {
			return col
		}
	}
	for _, it := range s.extra {
		if expr.Equal(it.Expr, e) {
			return it.Col
		}
	}
	col := logical.Col{ID: c.IDs.Next(), Name: e.String(), Type: e.Type}
	s.extra = append(s.extra, logical.Computed{Col: col, Expr: e})
	return col
}

// project adds the computed key columns to the side.
func (s *side) project() logical.Node {
	if len(s.extra) == 0 {
		return s.node
	}
	p := &logical.Project{Input: s.node}
	for _, c := range s.node.Columns() {
		p.Items = append(p.Items, logical.PassThrough(c))
	}
	p.Items = append(p.Items, s.extra...)
	return p
}
