package logical

import (
	"fmt"
	"strings"

	"streamsql/planner/physical"
	"streamsql/sql/expr"
)

// TimeFilter keeps the rows for which all conditions are true at the time: rows
// come and go by themselves as time goes on.
type TimeFilter struct {
	Input Node
	Conds []physical.TimeCond // over ids
}

// Columns of a time filter: its input's.
func (f *TimeFilter) Columns() []Col { return f.Input.Columns() }

// Inputs of a time filter.
func (f *TimeFilter) Inputs() []Node { return []Node{f.Input} }

// WithInputs puts the time filter over another input.
func (f *TimeFilter) WithInputs(in []Node) Node { return &TimeFilter{Input: in[0], Conds: f.Conds} }

// Exprs of a time filter: what is compared with the time.
func (f *TimeFilter) Exprs() []*expr.Expr {
	list := make([]*expr.Expr, len(f.Conds))
	for i, c := range f.Conds {
		list[i] = c.Value
	}
	return list
}

// WithExprs rewrites what is compared with the time.
func (f *TimeFilter) WithExprs(fn func(*expr.Expr) *expr.Expr) Node {
	old := f.Exprs()
	list := rewriteExprs(old, fn)
	if same(list, old) {
		return f
	}
	out := &TimeFilter{Input: f.Input, Conds: append([]physical.TimeCond(nil), f.Conds...)}
	for i, e := range list {
		out.Conds[i].Value = e
	}
	return out
}

func (f *TimeFilter) String() string {
	list := make([]string, len(f.Conds))
	for i, c := range f.Conds {
		list[i] = fmt.Sprintf("%s %s now %+d", exprText([]*expr.Expr{c.Value}, ""), c.Op, c.Shift)
	}
	return "TimeFilter " + strings.Join(list, " AND ")
}

// timeFilter: rows that only come take nothing back; others go when their time is
// over, whatever watermark there is.
func (d *Deriver) timeFilter(f *TimeFilter) *Props {
	in := d.Props(f.Input)
	p := &Props{Keys: in.Keys, AppendOnly: in.AppendOnly, Grows: in.Grows}
	for _, c := range f.Conds {
		if c.Leaves() {
			p.AppendOnly, p.Grows = false, false // old rows go
		}
	}
	return p
}
