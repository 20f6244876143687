package logical

import (
	"maps"
	"slices"
	"strings"

	"streamsql/planner/physical"
	"streamsql/sql/expr"
)

// ExpandKey is a column that is From in the grouping sets that hold it, and NULL
// in the others.
type ExpandKey struct {
	Col
	From int // the id of a column of the input
}

// Expand gives each row once for each grouping set: with the columns that it
// has, then the keys, then the number of the set.
type Expand struct {
	Input Node
	Keys  []ExpandKey
	Sets  [][]int // positions in Keys
	ID    Col     // the number of the set, from 0
}

// Columns of an expand.
func (e *Expand) Columns() []Col {
	in := e.Input.Columns()
	cols := append(make([]Col, 0, len(in)+len(e.Keys)+1), in...)
	for _, k := range e.Keys {
		cols = append(cols, k.Col)
	}
	return append(cols, e.ID)
}

// Inputs of an expand.
func (e *Expand) Inputs() []Node { return []Node{e.Input} }

// WithInputs puts the expand over another input.
func (e *Expand) WithInputs(in []Node) Node {
	out := *e
	out.Input = in[0]
	return &out
}

// Exprs of an expand: what its keys are made of, plain columns.
func (e *Expand) Exprs() []*expr.Expr {
	cols := byID(e.Input.Columns())
	list := make([]*expr.Expr, len(e.Keys))
	for i, k := range e.Keys {
		list[i] = Ref(cols[k.From])
	}
	return list
}

// WithExprs returns e: plain columns are not rewritten.
func (e *Expand) WithExprs(func(*expr.Expr) *expr.Expr) Node { return e }

// times are in's, and those of the keys that no set leaves out.
func (e *Expand) times(in map[int]physical.Time) map[int]physical.Time {
	out := maps.Clone(in)
	for k, key := range e.Keys {
		t, ok := in[key.From]
		for _, s := range e.Sets {
			ok = ok && slices.Contains(s, k)
		}
		if ok {
			out[key.ID] = t
		}
	}
	return out
}

func (e *Expand) String() string {
	sets := make([]string, len(e.Sets))
	for i, s := range e.Sets {
		cols := make([]Col, len(s))
		for j, k := range s {
			cols[j] = e.Keys[k].Col
		}
		sets[i] = colText(cols)
	}
	return "Expand " + strings.Join(sets, ", ")
}
