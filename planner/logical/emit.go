package logical

import (
	"slices"

	"streamsql/planner/physical"
	"streamsql/sql/expr"
)

// Emit gives each row of its input once, when its window is over, and takes
// none back.
type Emit struct {
	Input Node
	Col   Col // tells the row's window
	// Closes is the watermark at whose passing of Col the window is over.
	Closes physical.Watermark
}

// Columns of an emit: its input's.
func (e *Emit) Columns() []Col { return e.Input.Columns() }

// Inputs of an emit.
func (e *Emit) Inputs() []Node { return []Node{e.Input} }

// WithInputs puts the emit over another input.
func (e *Emit) WithInputs(in []Node) Node { return &Emit{Input: in[0], Col: e.Col, Closes: e.Closes} }

// Exprs of an emit: its column.
func (e *Emit) Exprs() []*expr.Expr { return []*expr.Expr{Ref(e.Col)} }

// WithExprs returns e: a plain column is not rewritten.
func (e *Emit) WithExprs(func(*expr.Expr) *expr.Expr) Node { return e }

func (e *Emit) String() string { return "Emit when " + colName(e.Col) + " is over" }

// EmitOnClose puts an Emit over the tree, by the first of its columns that tells a
// window, or below what only computes the columns and leaves rows out, where the
// windows are among those that it computes from; false: there is none.
func EmitOnClose(t *Tree, d *Deriver) bool {
	if at := closing(t.Root, t.Out, d); at != nil {
		t.Root = at
		return true
	}
	root, ok := emitBelow(t.Root, d)
	if ok {
		t.Root = root
	}
	return ok
}

// emitBelow puts an Emit over the first node from n down that has a column that tells
// a window.
func emitBelow(n Node, d *Deriver) (Node, bool) {
	if at := closing(n, n.Columns(), d); at != nil {
		return at, true
	}
	switch n.(type) {
	case *Project, *Filter:
		in, ok := emitBelow(n.Inputs()[0], d)
		if !ok {
			return nil, false
		}
		return n.WithInputs([]Node{in}), true
	}
	return nil, false
}

// closing is an Emit over n by the first of cols that tells a window; nil: none does.
func closing(n Node, cols []Col, d *Deriver) Node {
	times := d.Props(n).Times
	for _, c := range cols {
		if closes := times[c.ID].Closes; len(closes) > 0 {
			return &Emit{Input: n, Col: byID(n.Columns())[c.ID], Closes: closes}
		}
	}
	return nil
}

// emit: rows that were given stay when their keys come again, in another window.
func (d *Deriver) emit(e *Emit) *Props {
	in := d.Props(e.Input)
	p := &Props{AppendOnly: true, Grows: in.Grows}
	for _, k := range in.Keys {
		if slices.Contains(k, e.Col.ID) {
			p.Keys = append(p.Keys, k)
		}
	}
	return p
}
