package logical

import (
	"strings"

	"streamsql/planner/physical"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
)

// Agg is a column made by an aggregate function, whose arguments are columns of
// the input.
type Agg struct {
	Col
	Call agg.Call
}

// Aggregate groups its input by key columns, which are the first columns of its
// output. Without keys there is one group, which exists even over nothing.
type Aggregate struct {
	Input Node
	Keys  []Col
	Aggs  []Agg
	// TwoPhase: rows are combined per batch before they are shuffled.
	TwoPhase bool
	// Panes, of a TwoPhase over a Window: rows are combined by the pane that they are
	// in, before each pane goes into its windows.
	Panes bool
	// Times are columns of aggregates that are bound to a watermark, and Unique sets of
	// columns, by id and ascending, that are unique together, where the input alone
	// does not tell.
	Times  map[int]physical.Time
	Unique [][]int
}

// Columns of an aggregate: the keys, then the aggregates.
func (a *Aggregate) Columns() []Col {
	cols := append(make([]Col, 0, len(a.Keys)+len(a.Aggs)), a.Keys...)
	for _, g := range a.Aggs {
		cols = append(cols, g.Col)
	}
	return cols
}

// Inputs of an aggregate.
func (a *Aggregate) Inputs() []Node { return []Node{a.Input} }

// WithInputs puts the aggregate over another input.
func (a *Aggregate) WithInputs(in []Node) Node {
	out := *a
	out.Input = in[0]
	return &out
}

// Exprs of an aggregate: its keys and the arguments, all of them plain columns.
func (a *Aggregate) Exprs() []*expr.Expr {
	var list []*expr.Expr
	for _, k := range a.Keys {
		list = append(list, Ref(k))
	}
	for _, g := range a.Aggs {
		list = append(list, g.Call.Args...)
	}
	return list
}

// WithExprs returns a: plain columns are not rewritten.
func (a *Aggregate) WithExprs(func(*expr.Expr) *expr.Expr) Node { return a }

func (a *Aggregate) String() string {
	var b strings.Builder
	b.WriteString("Aggregate")
	if a.TwoPhase {
		b.WriteString(" two-phase")
	}
	if a.Panes {
		b.WriteString(" by panes")
	}
	if len(a.Keys) > 0 {
		b.WriteString(" by " + colText(a.Keys))
	}
	for i, g := range a.Aggs {
		b.WriteString([]string{": ", ", "}[min(i, 1)] + CallText(g.Call) + " " + colName(g.Col))
	}
	return b.String()
}
