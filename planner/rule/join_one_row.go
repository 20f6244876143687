package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var joinOneRow = Rule{
	Name:   "join_one_row",
	Reason: "one constant row, as SELECT without FROM gives it, adds columns and asks for no join: what it would keep is known when the query is planned",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || len(j.Keys) > 0 || j.Kind != logical.InnerJoin && (j.Kind != logical.LeftJoin || len(j.On) > 0) {
			return n
		}
		if items, ok := c.constantRow(j.Right); ok {
			return addConstants(j, j.Left, items)
		}
		if items, ok := c.constantRow(j.Left); ok && j.Kind == logical.InnerJoin {
			return addConstants(j, j.Right, items)
		}
		return n
	}),
}

// constantRow are the columns of a node of which it is known that it has one
// row, and what is in it.
func (c *Context) constantRow(n logical.Node) ([]logical.Computed, bool) {
	switch n := n.(type) {
	case *logical.Values:
		if len(n.Rows) != 1 {
			return nil, false
		}
		items := make([]logical.Computed, len(n.Cols))
		for i, e := range n.Rows[0] {
			if e.Op != expr.OpConst {
				return nil, false
			}
			items[i] = logical.Computed{Col: n.Cols[i], Expr: e}
		}
		return items, true
	case *logical.Project:
		v, ok := n.Input.(*logical.Values)
		if !ok || len(v.Rows) != 1 || len(v.Cols) > 0 {
			return nil, false
		}
		for _, it := range n.Items {
			if it.Expr.Op != expr.OpConst {
				return nil, false
			}
		}
		return n.Items, true
	}
	return nil, false
}

// addConstants is n with the columns items, for which the conditions of j hold.
func addConstants(j *logical.Join, n logical.Node, items []logical.Computed) logical.Node {
	p := &logical.Project{Input: n}
	for _, c := range n.Columns() {
		p.Items = append(p.Items, logical.PassThrough(c))
	}
	p.Items = append(p.Items, items...)
	return logical.NewFilter(p, j.On)
}
