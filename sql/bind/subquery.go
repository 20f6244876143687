package bind

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// SubqueryKind says what a subquery in an expression stands for.
type SubqueryKind uint8

// The kinds. Test is the comparison of ANY and ALL.
const (
	// ScalarSubquery is a column of the query's only row, NULL if it has none,
	// error 1242 if it has more.
	ScalarSubquery SubqueryKind = iota
	// ExistsSubquery is whether the query has a row.
	ExistsSubquery
	// AnySubquery is TRUE if Test is so for some row; if not, NULL if Test is so
	// for some row; else FALSE.
	AnySubquery
	// AllSubquery is FALSE if Test is so for some row; if not, NULL if Test is so
	// for some row; else TRUE.
	AllSubquery
)

func (k SubqueryKind) String() string { return [...]string{"scalar", "exists", "any", "all"}[k] }

// Subquery is a subquery in an expression: a query that is a function of Params,
// the columns that stand in it (and in Test) for the arguments of the
// expression, which are what it reads of the queries around it.
type Subquery struct {
	Kind   SubqueryKind
	Query  *Query
	Params []Col
	// Test, of ANY and ALL, compares Params with Query.Out.
	Test *expr.Expr
	// Column, of a scalar one, is the position of its column in Query.Out.
	Column int
}

// frame is what a subquery, or a LATERAL derived table, sees of what is around it.
type frame struct {
	outer  *frame
	in     *names // where the names around it are looked up
	params []Col
	args   []*expr.Expr
}

// param is the column that stands within the frame for e, an expression of what
// is around it. A constant stands for itself.
func (f *frame) param(b *binder, e *expr.Expr) *expr.Expr {
	if e.Op == expr.OpConst {
		return e
	}
	for i, a := range f.args {
		if expr.Equal(a, e) {
			return expr.NewColumn(f.params[i].ID, f.params[i].Name, f.params[i].Type)
		}
	}
	c := Col{ID: b.newID(), Name: e.String(), Type: e.Type}
	if f.in.changing {
		c.Type = c.Type.Nullable()
	}
	f.params, f.args = append(f.params, c), append(f.args, e)
	if b.outer == nil {
		b.outer = make(map[int]bool)
	}
	b.outer[c.ID] = true
	return expr.NewColumn(c.ID, c.Name, c.Type)
}

// within calls f with the names in as what is around, and returns what f's query
// reads of them.
func (b *binder) within(in *names, f func() error) (*frame, error) {
	fr := &frame{outer: b.frame, in: in}
	b.frame = fr
	err := f()
	b.frame = fr.outer
	return fr, err
}

// numbered adds a subquery to the statement's, and makes the expression of type t.
func (b *binder) numbered(s *Subquery, t types.Type, args []*expr.Expr) *expr.Expr {
	b.subqueries = append(b.subqueries, s)
	return expr.NewSubquery(len(b.subqueries)-1, t, args...)
}
