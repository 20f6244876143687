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

// EmitOnClose puts an Emit over the tree, by the first of its columns that tells
// a window; false: there is none.
func EmitOnClose(t *Tree, d *Deriver) bool {
	times := d.Props(t.Root).Times
	for _, c := range t.Out {
		if closes := times[c.ID].Closes; len(closes) > 0 {
			t.Root = &Emit{Input: t.Root, Col: byID(t.Root.Columns())[c.ID], Closes: closes}
			return true
		}
	}
	return false
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
