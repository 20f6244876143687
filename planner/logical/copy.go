package logical

import (
	"fmt"
	"slices"

	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Copy is n with new ids for all columns that are made in it, so that both can
// stand in one tree. Columns that n only reads, of an Apply around it, keep
// theirs. The map goes from old ids to new ones. An error names a node that
// cannot be copied.
func Copy(n Node, ids *IDs) (Node, map[int]int, error) {
	c := &copier{to: map[int]int{}}
	Walk(n, func(n Node) {
		for _, col := range n.Columns() {
			if _, ok := c.to[col.ID]; !ok {
				c.to[col.ID] = ids.Next()
			}
		}
	})
	out := Rewrite(n, c.node)
	return out, c.to, c.err
}

type copier struct {
	to  map[int]int
	err error
}

func (c *copier) id(id int) int {
	if to, ok := c.to[id]; ok {
		return to
	}
	return id
}

func (c *copier) cols(cols []Col) []Col {
	out := slices.Clone(cols)
	for i := range out {
		out[i].ID = c.id(out[i].ID)
	}
	return out
}

func (c *copier) col(col Col) Col {
	col.ID = c.id(col.ID)
	return col
}

func (c *copier) ids(list []int) []int {
	out := slices.Clone(list)
	for i := range out {
		out[i] = c.id(out[i])
	}
	return out
}

func (c *copier) expr(e *expr.Expr) *expr.Expr {
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op != expr.OpColumn || c.id(x.Col) == x.Col {
			return x
		}
		return expr.NewColumn(c.id(x.Col), x.Name, x.Type)
	})
}

// node renumbers one node, whose inputs are renumbered already.
func (c *copier) node(n Node) Node {
	switch n := n.(type) {
	case *Scan:
		out := *n
		out.Cols = c.cols(n.Cols)
		return &out
	case *Recursion:
		out := *n
		out.Cols = c.cols(n.Cols)
		return &out
	case *Values:
		return &Values{Rows: n.Rows, Cols: c.cols(n.Cols)}
	case *Project:
		out := &Project{Input: n.Input}
		for _, it := range n.Items {
			out.Items = append(out.Items, Computed{Col: c.col(it.Col), Expr: c.expr(it.Expr)})
		}
		return out
	case *Aggregate:
		return c.aggregate(n)
	case *Join:
		out := *n.WithExprs(c.expr).(*Join)
		out.Keys = c.keys(n.Keys)
		out.LeftUntil, out.RightUntil = c.until(n.LeftUntil), c.until(n.RightUntil)
		return &out
	case *Union:
		return &Union{Ins: n.Ins, Cols: c.cols(n.Cols), From: c.from(n.From)}
	case *SetOp:
		return &SetOp{Kind: n.Kind, All: n.All, Ins: n.Ins, Cols: c.cols(n.Cols), From: c.from(n.From)}
	case *Sort:
		out := *n
		out.Keys = c.order(n.Keys)
		return &out
	case *TopN:
		return c.topN(n)
	case *Over:
		return c.over(n)
	case *Window:
		out := *n
		out.Time, out.Late, out.Retracted = c.col(n.Time), c.col(n.Late), c.col(n.Retracted)
		out.Start, out.End = c.col(n.Start), c.col(n.End)
		out.Partition, out.Own = c.cols(n.Partition), c.cols(n.Own)
		return &out
	case *Unfold:
		out := *n
		out.Document, out.Cols = c.col(n.Document), c.cols(n.Cols)
		return &out
	case *TimedJoin:
		out := *n.WithExprs(c.expr).(*TimedJoin)
		out.Keys = c.keys(n.Keys)
		out.LeftTime, out.RightTime = c.id(n.LeftTime), c.id(n.RightTime)
		out.Late, out.Own = c.col(n.Late), c.cols(n.Own)
		out.Watermark, out.Arrival, out.Deleted = c.col(n.Watermark), c.col(n.Arrival), c.col(n.Deleted)
		return &out
	case *Expand:
		out := *n
		out.Keys, out.ID = slices.Clone(n.Keys), c.col(n.ID)
		for i, k := range out.Keys {
			out.Keys[i] = ExpandKey{Col: c.col(k.Col), From: c.id(k.From)}
		}
		return &out
	case *Distinct:
		return n
	case *Filter, *TimeFilter, *Apply:
		return n.WithExprs(c.expr)
	}
	if c.err == nil {
		c.err = fmt.Errorf("plan: %T cannot be copied", n)
	}
	return n
}

func (c *copier) from(from [][]int) [][]int {
	out := make([][]int, len(from))
	for i, ids := range from {
		out[i] = c.ids(ids)
	}
	return out
}

func (c *copier) aggregate(n *Aggregate) Node {
	out := *n
	out.Keys, out.Aggs = c.cols(n.Keys), slices.Clone(n.Aggs)
	for i := range out.Aggs {
		a := &out.Aggs[i]
		a.Col = c.col(a.Col)
		a.Call.Args = rewriteExprs(a.Call.Args, c.expr)
	}
	return &out
}

func (c *copier) keys(keys []JoinKey) []JoinKey {
	out := slices.Clone(keys)
	for i, k := range out {
		out[i].Left, out[i].Right = c.col(k.Left), c.col(k.Right)
	}
	return out
}

func (c *copier) order(keys []bind.Order) []bind.Order {
	out := slices.Clone(keys)
	for i, k := range out {
		out[i].Col = c.id(k.Col)
	}
	return out
}

func (c *copier) topN(n *TopN) Node {
	out := *n
	out.Partition, out.Ties, out.Order = c.ids(n.Partition), c.ids(n.Ties), c.order(n.Order)
	if n.Number != nil {
		number := c.col(*n.Number)
		out.Number = &number
	}
	return &out
}

func (c *copier) over(n *Over) Node {
	out := *n
	out.Partition, out.Ties, out.Order = c.ids(n.Partition), c.ids(n.Ties), c.order(n.Order)
	out.Funcs = slices.Clone(n.Funcs)
	for i := range out.Funcs {
		f := &out.Funcs[i]
		f.Col = c.col(f.Col)
		f.Call.Args, f.Args = rewriteExprs(f.Call.Args, c.expr), rewriteExprs(f.Args, c.expr)
		for _, b := range []*bind.Bound{&f.Frame.Start, &f.Frame.End} {
			if b.Value != nil {
				b.Value = c.expr(b.Value)
			}
		}
	}
	return &out
}

func (c *copier) until(u *Until) *Until {
	if u == nil {
		return nil
	}
	return &Until{Own: c.col(u.Own), Other: c.col(u.Other), Delay: u.Delay}
}
