// Package bind resolves names and types: from the parser's tree to a bound one,
// in which every column has an id that is unique in the query, every function
// its overload and every cast is explicit. It asks package catalog what exists.
package bind

import (
	"streamsql/catalog"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Col is a column of a bound relation. In expressions it is an OpColumn whose
// Col is ID.
type Col struct {
	ID   int
	Name string // as the user sees it: the alias, or the source text
	Type types.Type
}

// Query is a bound query expression.
type Query struct {
	Root Rel
	// Out are the columns of the result, in order; each is a column of Root.
	Out []Col
	// OrderBy, Limit and Offset apply to Root's rows. Each key is a column of Root
	// (sort expressions that are not in Out became hidden columns of it). Limit −1: none.
	OrderBy []Order
	Limit   int64
	Offset  int64
	// EmitOnClose, of a whole query that stays: each row once, when its window is
	// over. Lateness is how long after its end a window takes late rows, in
	// microseconds.
	EmitOnClose bool
	Lateness    int64
	// Subqueries, of the outermost query only, are those in expressions at any
	// depth, by their numbers.
	Subqueries []*Subquery
	// KeepLate: rows that come too late for all their windows are wanted, whole.
	KeepLate bool
}

// Order is one ORDER BY key.
type Order struct {
	Col  int // column id
	Desc bool
}

// Rel is a relation: one of the types below.
type Rel interface {
	// Columns are what the relation gives, in order.
	Columns() []Col
}

// Scan reads a table, stream or materialized view. (A plain view is expanded:
// its query stands in its place as a Derived.)
type Scan struct {
	Table *catalog.Table
	Alias string
	Cols  []Col // one for each column of Table, hidden ones too
	// Changes, if set: not its rows are read, but what changed in them.
	Changes *ChangesOf
}

// Derived is a parenthesised query, a CTE's use or an expanded view. With an
// ORDER BY without LIMIT, the order is dropped.
type Derived struct {
	Query *Query
	// Params, of a LATERAL one, stand in Query for Args, which read what stands to
	// the left of it in FROM.
	Params []Col
	Args   []*expr.Expr
}

// JoinKind tells joins apart.
type JoinKind uint8

// The join kinds. RIGHT is a LEFT with its sides exchanged, CROSS an INNER
// without condition; USING and NATURAL are On conditions.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	FullJoin
)

// Join gives the columns of Left, then those of Right: nullable in a FULL join,
// right's in a LEFT join too.
type Join struct {
	Kind        JoinKind
	Left, Right Rel
	Straight    bool         // STRAIGHT_JOIN: left is read first, whatever the planner thinks
	On          []*expr.Expr // conjuncts; all must be true
	Cols        []Col
}

// Computed is a column made by an expression over the input's columns.
type Computed struct {
	Col
	Expr *expr.Expr
}

// Aggregate is a column made by an aggregate function over the input's columns.
type Aggregate struct {
	Col
	Call agg.Call
}

// Select is one SELECT block. The phases run in the order of the fields, each
// sees the columns of the one before:
//
//	From → Where → Window → (Grouped: GroupBy, Aggs → Having) → Overs → Project → Distinct
//
// With Grouped, Having and Project see only the columns of GroupBy and Aggs.
// Project has every column that OrderBy of the enclosing Query needs, hidden
// ones last.
type Select struct {
	From    Rel          // nil: one row without columns
	Where   []*expr.Expr // conjuncts
	Window  *WindowSpec  // of GROUP BY, over the rows that Where leaves; nil: none
	Grouped bool
	GroupBy []Computed // none though Grouped: one group, which exists even over nothing
	// Sets: rows are grouped once for each set, positions in GroupBy, whose other keys
	// are NULL then; nil: by all of GroupBy. SetID is the number of the set, a column
	// that Having and Project see too. Over nothing there is no group.
	Sets   [][]int
	SetID  Col
	Aggs   []Aggregate
	Having []*expr.Expr
	// Overs are made next, over the rows that are left; Own are the columns, in
	// order, by which ties of their orders break.
	Overs   []OverFunc
	Own     []Col
	Project []Computed
	// Distinct drops duplicates of Project's columns (there are no hidden ones then).
	Distinct bool
}

// Union is UNION ALL, or with Distinct, UNION. Inputs are cast to the types of Cols.
type Union struct {
	Inputs   []*Query
	Distinct bool
	Cols     []Col // own ids, positionally
}

// SetOpKind tells set operations apart.
type SetOpKind uint8

// The set operations besides UNION.
const (
	Intersect SetOpKind = iota // rows that all inputs have
	Except                     // rows of the first input that no other has
)

// SetOp is INTERSECT or EXCEPT, with All the multiset form, of two or more
// inputs. Inputs are cast to the types of Cols.
type SetOp struct {
	Kind   SetOpKind
	All    bool
	Inputs []*Query
	Cols   []Col // own ids, positionally
}

// Values is a constant relation.
type Values struct {
	Rows [][]*expr.Expr
	Cols []Col
}

// Columns of a scan.
func (r *Scan) Columns() []Col { return r.Cols }

// Columns of a derived table: its query's result.
func (r *Derived) Columns() []Col { return r.Query.Out }

// Columns of a join: left's, then right's.
func (r *Join) Columns() []Col { return r.Cols }

// Columns of a SELECT block: its projections.
func (r *Select) Columns() []Col {
	cols := make([]Col, len(r.Project))
	for i, p := range r.Project {
		cols[i] = p.Col
	}
	return cols
}

// Columns of a union.
func (r *Union) Columns() []Col { return r.Cols }

// Columns of a set operation.
func (r *SetOp) Columns() []Col { return r.Cols }

// Columns of a VALUES list.
func (r *Values) Columns() []Col { return r.Cols }
