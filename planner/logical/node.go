// Package logical is the relational form of a query, between the bound tree and
// the physical plan: a tree of immutable nodes, in which a column is known by an
// id that is unique in the query. Rules rewrite it; Deriver knows its properties.
//
// A column that a node only hands on keeps its id, be it through a Project, as a
// grouping key or through a join; a computed one has its own.
package logical

import (
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Col is a column of a node's output.
type Col = bind.Col

// Computed is a column made by an expression.
type Computed = bind.Computed

// Node is one relational operator. It is immutable: a rule makes a new one.
type Node interface {
	// Columns are the columns of the output, in order. No id is there twice.
	Columns() []Col
	// Inputs are the nodes below.
	Inputs() []Node
	// WithInputs is the node over other inputs, which have the columns that the
	// node needs.
	WithInputs(in []Node) Node
	// Exprs are the expressions over the input's columns (Values: over none).
	Exprs() []*expr.Expr
	// WithExprs is the node with each of Exprs replaced.
	WithExprs(f func(*expr.Expr) *expr.Expr) Node
	// String describes the node alone, in a line.
	String() string
}

// Walk calls f on n and everything below, parents first.
func Walk(n Node, f func(Node)) {
	f(n)
	for _, in := range n.Inputs() {
		Walk(in, f)
	}
}

// Rewrite returns the tree in which each node, inputs first, is replaced by f's
// answer. What does not change is shared with n, so that n itself comes back
// when nothing did.
func Rewrite(n Node, f func(Node) Node) Node {
	old := n.Inputs()
	var in []Node
	for i, o := range old {
		r := Rewrite(o, f)
		if r != o && in == nil {
			in = append([]Node(nil), old...)
		}
		if in != nil {
			in[i] = r
		}
	}
	if in != nil {
		n = n.WithInputs(in)
	}
	return f(n)
}

// rewriteExprs maps f over list and shares the
// list when nothing changes (for WithExprs).
func rewriteExprs(list []*expr.Expr, f func(*expr.Expr) *expr.Expr) []*expr.Expr {
	var out []*expr.Expr
	for i, e := range list {
		r := f(e)
		if r != e && out == nil {
			out = append([]*expr.Expr(nil), list...)
		}
		if out != nil {
			out[i] = r
		}
	}
	if out == nil {
		return list
	}
	return out
}

// IDs gives out column ids that the query does not use yet.
type IDs struct{ next int }

// Next is a fresh id.
func (s *IDs) Next() int {
	id := s.next
	s.next++
	return id
}

// use marks an id as used.
func (s *IDs) use(id int) { s.next = max(s.next, id+1) }

// ColSet is a set of column ids.
type ColSet map[int]bool

// SetOf are the ids of cols.
func SetOf(cols []Col) ColSet {
	s := make(ColSet, len(cols))
	for _, c := range cols {
		s[c.ID] = true
	}
	return s
}

// Has reports whether all columns that e reads are in s.
func (s ColSet) Has(e *expr.Expr) bool {
	ok := true
	e.Walk(func(x *expr.Expr) bool {
		ok = ok && (x.Op != expr.OpColumn || s[x.Col])
		return ok
	})
	return ok
}

// ReadsAny reports whether e reads any column of s.
func (s ColSet) ReadsAny(e *expr.Expr) bool {
	any := false
	e.Walk(func(x *expr.Expr) bool {
		any = any || x.Op == expr.OpColumn && s[x.Col]
		return !any
	})
	return any
}

// Ref is an expression that reads c.
func Ref(c Col) *expr.Expr { return expr.NewColumn(c.ID, c.Name, c.Type) }

// PassThrough computes c as itself.
func PassThrough(c Col) Computed { return Computed{Col: c, Expr: Ref(c)} }

// IsPassThrough reports a projection that hands its column on.
func IsPassThrough(c Computed) bool { return c.Expr.Op == expr.OpColumn && c.Expr.Col == c.ID }
