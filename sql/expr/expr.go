// Package expr is the bound scalar expression: names resolved, types known,
// casts explicit. Overloads are resolved by package builtin, values computed by
// package eval.
package expr

import (
	"streamsql/sql/decimal"
	"streamsql/sql/routine"
	"streamsql/sql/types"
)

// Op says what an expression node is.
type Op uint8

// The node kinds. Stored in plans: append, never insert.
const (
	OpColumn   Op = iota // column Col of the input
	OpConst              // Value
	OpCall               // Fn applied to Args: every operator, function, cast and CASE is one
	OpParam              // the Col-th `?` of a prepared statement, from 0
	OpSubquery           // the Col-th subquery of the statement, applied to Args; bound trees only
)

// Expr is a node of an expression tree. A tree is immutable once built, so
// that rules may share subtrees. It is stored in plans as JSON.
//
// In bound and logical trees Col is a column id, unique in the query; in
// physical plans it is the position in the input chunk.
type Expr struct {
	Op    Op         `json:"op"`
	Type  types.Type `json:"type"`
	Col   int        `json:"col,omitempty"`
	Name  string     `json:"name,omitempty"` // column: as shown in EXPLAIN
	Value *Value     `json:"value,omitempty"`
	Fn    string     `json:"fn,omitempty"` // lower case name in package builtin
	Args  []*Expr    `json:"args,omitempty"`
	// Routine is the function of the user's own that a call with that Fn is of.
	Routine *routine.Definition `json:"routine,omitempty"`
}

// Value is one SQL value outside a vector: a constant or a parameter. Its
// fields follow the class of its type as in package types.
type Value struct {
	Null bool          `json:"null,omitempty"`
	I    int64         `json:"i,omitempty"` // ClassInt; ClassDecimal while Wide is nil
	F    float64       `json:"f,omitempty"`
	Wide *decimal.Wide `json:"wide,omitempty"`
	S    []byte        `json:"s,omitzero"`
}

// NewColumn refers to a column.
func NewColumn(col int, name string, t types.Type) *Expr {
	return &Expr{Op: OpColumn, Col: col, Name: name, Type: t}
}

// NewConst is a constant. A NULL keeps the type t, which may be types.Null.
func NewConst(v Value, t types.Type) *Expr {
	t.NotNull = !v.Null
	return &Expr{Op: OpConst, Value: &v, Type: t}
}

// NewNull is a bare NULL.
func NewNull() *Expr { return NewConst(Value{Null: true}, types.Type{Kind: types.Null}) }

// NewSubquery is the i-th subquery of the statement, applied to args.
func NewSubquery(i int, t types.Type, args ...*Expr) *Expr {
	return &Expr{Op: OpSubquery, Col: i, Type: t, Args: args}
}

// HasSubquery reports a subquery in e.
func (e *Expr) HasSubquery() bool {
	found := false
	e.Walk(func(x *Expr) bool {
		found = found || x.Op == OpSubquery
		return !found
	})
	return found
}

// NewInt is an integer constant of type BIGINT.
func NewInt(i int64) *Expr { return NewConst(Value{I: i}, types.MakeBigInt()) }

// NewCall makes a call whose overload is already resolved. Everyone but
// package builtin wants builtin.Call, which resolves.
func NewCall(fn string, t types.Type, args ...*Expr) *Expr {
	if len(args) == 0 {
		args = nil // as it comes back from a stored plan
	}
	return &Expr{Op: OpCall, Fn: fn, Type: t, Args: args}
}

// IsNull reports the constant NULL.
func (e *Expr) IsNull() bool { return e.Op == OpConst && e.Value.Null }

// Walk calls f on e and everything below it, parents first; f returns false to
// leave out what is below.
func (e *Expr) Walk(f func(*Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, a := range e.Args {
		a.Walk(f)
	}
}

// Rewrite returns the tree in which each node, children first, is replaced by
// f's answer. Subtrees that do not change are shared with e.
func (e *Expr) Rewrite(f func(*Expr) *Expr) *Expr {
	n := e
	for i, a := range e.Args {
		b := a.Rewrite(f)
		if b == a {
			continue
		}
		if n == e {
			c := *e
			c.Args = append([]*Expr(nil), e.Args...)
			n = &c
		}
		n.Args[i] = b
	}
	return f(n)
}

// Columns adds the columns that e reads to set.
func (e *Expr) Columns(set map[int]bool) {
	e.Walk(func(x *Expr) bool {
		if x.Op == OpColumn {
			set[x.Col] = true
		}
		return true
	})
}
