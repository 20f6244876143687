package logical

import (
	"slices"

	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/jsontable"
)

// Unfold gives each row of its input as often as its document has rows by Table, with
// what stands in them; with Outer at least once, NULLs standing there.
type Unfold struct {
	Input    Node
	Document Col
	Table    *jsontable.Table
	Outer    bool
	Cols     []Col // of the document's rows
}

// Columns of an unfold: its input's, then the document's.
func (u *Unfold) Columns() []Col { return slices.Concat(u.Input.Columns(), u.Cols) }

// Inputs of an unfold.
func (u *Unfold) Inputs() []Node { return []Node{u.Input} }

// WithInputs puts the unfold over another input.
func (u *Unfold) WithInputs(in []Node) Node {
	out := *u
	out.Input = in[0]
	return &out
}

// Exprs of an unfold: the column that it reads.
func (u *Unfold) Exprs() []*expr.Expr { return []*expr.Expr{Ref(u.Document)} }

// WithExprs returns u: plain columns are not rewritten.
func (u *Unfold) WithExprs(func(*expr.Expr) *expr.Expr) Node { return u }

func (u *Unfold) String() string {
	s := "Unfold " + colName(u.Document) + " at " + u.Table.Path
	if u.Outer {
		s += " outer"
	}
	return s + " → " + colText(u.Cols)
}

// unfold: the rows of one document may be alike, so that no key is left.
func (d *Deriver) unfold(u *Unfold) *Props {
	in := d.Props(u.Input)
	return &Props{AppendOnly: in.AppendOnly, Grows: in.Grows}
}

// unfold puts JSON_TABLE over what it stands beside.
func (b *builder) unfold(r *bind.Unfold) (Node, error) {
	in := Node(&Values{Rows: [][]*expr.Expr{{}}})
	if r.Input != nil {
		var err error
		if in, err = b.rel(r.Input); err != nil {
			return nil, err
		}
	}
	p := b.project(in)
	doc, err := p.argument(r.Document)
	if err != nil {
		return nil, err
	}
	if _, had := p.in[doc.ID]; !had {
		for _, c := range in.Columns() {
			p.push(PassThrough(c))
		}
		in = &Project{Input: in, Items: p.items}
	}
	return &Unfold{Input: in, Document: doc, Table: r.Table, Outer: r.Outer, Cols: r.Own}, nil
}
