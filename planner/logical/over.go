package logical

import (
	"fmt"
	"slices"
	"strings"

	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Over adds to each row of its input what window functions make of it and of the
// other rows of its partition, in the order of Order.
type Over struct {
	Input     Node
	Partition []int // column ids; none: all rows are one partition
	Order     []bind.Order
	Ties      []int // as of a TopN
	Funcs     []OverFunc
}

// OverFunc is one window function. As in bind.OverFunc, Fn is empty for an
// aggregate; arguments and the values of bounds are columns of the input.
type OverFunc struct {
	Col
	Fn    string
	Call  agg.Call
	Args  []*expr.Expr
	N     int64
	Frame bind.Frame
}

// Columns of an Over: its input's, then the functions'.
func (o *Over) Columns() []Col {
	cols := slices.Clone(o.Input.Columns())
	for _, f := range o.Funcs {
		cols = append(cols, f.Col)
	}
	return cols
}

// Inputs of an Over.
func (o *Over) Inputs() []Node { return []Node{o.Input} }

// WithInputs puts the Over over another input.
func (o *Over) WithInputs(in []Node) Node {
	out := *o
	out.Input = in[0]
	return &out
}

// Exprs of an Over: the arguments, all of them plain columns.
func (o *Over) Exprs() []*expr.Expr {
	var list []*expr.Expr
	for _, f := range o.Funcs {
		list = append(list, f.Reads()...)
	}
	return list
}

// WithExprs returns o: plain columns are not rewritten.
func (o *Over) WithExprs(func(*expr.Expr) *expr.Expr) Node { return o }

// Reads are the columns that the function reads.
func (f *OverFunc) Reads() []*expr.Expr {
	list := append(slices.Clone(f.Call.Args), f.Args...)
	for _, b := range []bind.Bound{f.Frame.Start, f.Frame.End} {
		if b.Value != nil {
			list = append(list, b.Value)
		}
	}
	return list
}

// SeesTies reports that the function depends on the order of peers.
func (f *OverFunc) SeesTies() bool {
	switch f.Fn {
	case "rank", "dense_rank", "percent_rank", "cume_dist":
		return false
	case "":
		whole := f.Frame.Start.Kind == bind.UnboundedPreceding && f.Frame.End.Kind == bind.UnboundedFollowing
		return f.Frame.Unit == bind.FrameRows && !whole
	}
	return true
}

// SeesTies reports that some function does.
func (o *Over) SeesTies() bool {
	return slices.ContainsFunc(o.Funcs, func(f OverFunc) bool { return f.SeesTies() })
}

// Needs are the columns that say where a row stands.
func (o *Over) Needs() []int {
	ids := append(slices.Clone(o.Partition), o.Ties...)
	for _, k := range o.Order {
		ids = append(ids, k.Col)
	}
	return ids
}

func (o *Over) String() string {
	names := byID(o.Input.Columns())
	var fns []string
	for _, f := range o.Funcs {
		fns = append(fns, f.text()+" "+colName(f.Col))
	}
	out := "Over " + strings.Join(fns, ", ")
	if len(o.Partition) > 0 {
		out += " PARTITION BY " + namesOf(o.Partition, names)
	}
	if len(o.Order) > 0 {
		out += " ORDER BY " + orderText(o.Order, names)
	}
	if len(o.Ties) > 0 {
		out += " THEN " + namesOf(o.Ties, names)
	}
	return out
}

func (f *OverFunc) text() string {
	if f.Fn == "" {
		return CallText(f.Call)
	}
	var args []string
	for _, a := range f.Args {
		args = append(args, exprText([]*expr.Expr{a}, ""))
	}
	if f.N != 0 {
		args = append(args, fmt.Sprint(f.N))
	}
	return strings.ToUpper(f.Fn) + "(" + strings.Join(args, ", ") + ")"
}

// over: each row stays what it is; ROW_NUMBER tells the rows of a partition apart.
func (d *Deriver) over(o *Over) *Props {
	in := d.Props(o.Input)
	p := &Props{Keys: slices.Clip(d.outlast(in.Keys, o.Input, o.Partition)), AppendOnly: d.oneBatch, Grows: in.Grows}
	for _, f := range o.Funcs {
		if f.Fn == "row_number" {
			p.Keys = append(p.Keys, sorted(append(slices.Clone(o.Partition), f.ID)))
		}
	}
	return p
}

// overs builds the window functions of a SELECT: those of one partitioning and
// order in one Over. What they read becomes columns of a Project.
func (b *builder) overs(n Node, list []bind.OverFunc, own []Col) (Node, error) {
	p := b.project(n)
	for _, c := range n.Columns() {
		p.push(PassThrough(c))
	}
	var overs []*Over
	ties := b.resolveAll(own)
	for i := range list {
		w := &list[i]
		o, f, err := b.overFunc(p, w)
		if err != nil {
			return nil, err
		}
		same := func(x *Over) bool {
			return slices.Equal(x.Partition, o.Partition) && slices.Equal(x.Order, o.Order)
		}
		if at := slices.IndexFunc(overs, same); at >= 0 {
			overs[at].Funcs = append(overs[at].Funcs, f)
			continue
		}
		o.Ties, o.Funcs = ties, []OverFunc{f}
		overs = append(overs, o)
	}
	n = &Project{Input: n, Items: p.items}
	for _, o := range overs {
		o.Input = n
		n = o
	}
	return n, nil
}

// overFunc makes the columns that w reads.
func (b *builder) overFunc(p *projector, w *bind.OverFunc) (*Over, OverFunc, error) {
	f := OverFunc{Col: w.Col, Fn: w.Fn, Call: w.Call, N: w.N, Frame: w.Frame}
	var failed error
	column := func(e *expr.Expr) *expr.Expr {
		c, err := p.argument(e)
		if err != nil && failed == nil {
			failed = err
		}
		return Ref(c)
	}
	f.Call.Args = nil
	for _, e := range w.Call.Args {
		f.Call.Args = append(f.Call.Args, column(e))
	}
	for _, e := range w.Args {
		f.Args = append(f.Args, column(e))
	}
	for _, bound := range []*bind.Bound{&f.Frame.Start, &f.Frame.End} {
		if bound.Value != nil {
			bound.Value = column(bound.Value)
		}
	}
	o := &Over{}
	for _, e := range w.Partition {
		if id := column(e).Col; !slices.Contains(o.Partition, id) {
			o.Partition = append(o.Partition, id)
		}
	}
	slices.Sort(o.Partition)
	for _, k := range w.Order {
		o.Order = append(o.Order, bind.Order{Col: column(k.Expr).Col, Desc: k.Desc})
	}
	return o, f, failed
}
