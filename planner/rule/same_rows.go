package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// sameRows finds out whether two nodes give the same rows, columns left out. It
// tells, for columns of the one, the columns of the other in which the same
// stands. It knows what takes rows one by one, windows and aggregates. Not ok:
// the rows differ, or nobody knows.
func (c *Context) sameRows(one, other logical.Node) (to columnMap, ok bool) {
	_, oneProjects := one.(*logical.Project)
	if _, projects := other.(*logical.Project); projects || oneProjects {
		return c.sameProject(asProject(one), asProject(other))
	}
	switch n := one.(type) {
	case *logical.Scan:
		return sameScan(n, other)
	case *logical.Filter:
		return c.sameFilter(n, other)
	case *logical.Window:
		return c.sameWindow(n, other)
	case *logical.Aggregate:
		return c.sameAggregate(n, other)
	}
	return nil, false
}

// columnMap tells for column ids which others stand for them.
type columnMap map[int]int

// agree reports that a column, if there is one, is mapped to the other.
func (m columnMap) agree(one, other logical.Col) bool {
	to, ok := m[one.ID]
	return ok && to == other.ID || one.ID == 0 && other.ID == 0
}

// expr is e over the other columns.
func (m columnMap) expr(e *expr.Expr) *expr.Expr {
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if id, ok := m[x.Col]; ok && x.Op == expr.OpColumn {
			return expr.NewColumn(id, x.Name, x.Type)
		}
		return x
	})
}

func asProject(n logical.Node) *logical.Project {
	if p, ok := n.(*logical.Project); ok {
		return p
	}
	p := &logical.Project{Input: n}
	for _, c := range n.Columns() {
		p.Items = append(p.Items, logical.PassThrough(c))
	}
	return p
}

func sameScan(n *logical.Scan, other logical.Node) (columnMap, bool) {
	o, ok := other.(*logical.Scan)
	if !ok || n.Table.ID != o.Table.ID || n.Changes != nil || o.Changes != nil {
		return nil, false
	}
	to := columnMap{}
	for i, at := range n.Positions {
		if k := slices.Index(o.Positions, at); k >= 0 {
			to[n.Cols[i].ID] = o.Cols[k].ID
		}
	}
	return to, true
}

func (c *Context) sameFilter(n *logical.Filter, other logical.Node) (columnMap, bool) {
	o, ok := other.(*logical.Filter)
	if !ok {
		return nil, false
	}
	to, ok := c.sameRows(n.Input, o.Input)
	conds := make([]*expr.Expr, len(n.Conds))
	for i, e := range n.Conds {
		conds[i] = to.expr(e)
	}
	return to, ok && c.within(conds, o.Conds) && c.within(o.Conds, conds)
}

// within reports that each of list is in other as well.
func (c *Context) within(list, other []*expr.Expr) bool {
	return !slices.ContainsFunc(list, func(e *expr.Expr) bool {
		return c.volatile(e) || !slices.ContainsFunc(other, func(x *expr.Expr) bool { return expr.Equal(e, x) })
	})
}

func (c *Context) sameProject(n, o *logical.Project) (columnMap, bool) {
	below, ok := c.sameRows(n.Input, o.Input)
	to := columnMap{}
	for _, it := range n.Items {
		e := below.expr(it.Expr)
		k := slices.IndexFunc(o.Items, func(x logical.Computed) bool { return expr.Equal(e, x.Expr) })
		if k >= 0 && !c.volatile(e) {
			to[it.ID] = o.Items[k].ID
		}
	}
	return to, ok
}

func (c *Context) sameWindow(n *logical.Window, other logical.Node) (columnMap, bool) {
	o, ok := other.(*logical.Window)
	if !ok || n.Kind == bind.Session || n.Kind != o.Kind || n.Size != o.Size || n.Slide != o.Slide || n.Offset != o.Offset || n.Lateness != o.Lateness || len(n.Own)+len(o.Own) > 0 {
		return nil, false
	}
	to, ok := c.sameRows(n.Input, o.Input)
	if !ok || !to.agree(n.Time, o.Time) || !to.agree(n.Late, o.Late) || !to.agree(n.Retracted, o.Retracted) {
		return nil, false
	}
	to[n.Start.ID], to[n.End.ID] = o.Start.ID, o.End.ID
	return to, true
}

func (c *Context) sameAggregate(n *logical.Aggregate, other logical.Node) (columnMap, bool) {
	o, ok := other.(*logical.Aggregate)
	if !ok || len(n.Keys) != len(o.Keys) {
		return nil, false
	}
	below, ok := c.sameRows(n.Input, o.Input)
	if !ok {
		return nil, false
	}
	keys, to := logical.SetOf(o.Keys), columnMap{}
	for _, k := range n.Keys {
		if to[k.ID] = below[k.ID]; !keys[to[k.ID]] {
			return nil, false
		}
	}
	for _, g := range n.Aggs {
		call := g.Call
		call.Args = nil
		for _, e := range g.Call.Args {
			call.Args = append(call.Args, below.expr(e))
		}
		if k := slices.IndexFunc(o.Aggs, func(x logical.Agg) bool { return x.Call.Same(call) }); k >= 0 {
			to[g.ID] = o.Aggs[k].ID
		}
	}
	return to, true
}
