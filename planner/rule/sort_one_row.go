package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var sortOneRow = Rule{
	Name:   "sort_one_row",
	Reason: "one row needs neither order nor limit",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		if t, ok := n.(*logical.TopN); ok {
			return c.topOfOne(t)
		}
		s, ok := n.(*logical.Sort)
		if !ok || s.Limit == 0 || !c.Derived.Props(s.Input).OneRow() {
			return n
		}
		if s.Offset > 0 {
			return logical.Empty(s.Columns())
		}
		return s.Input
	}),
}

// topOfOne: the one row is number 1 of its partition.
func (c *Context) topOfOne(t *logical.TopN) logical.Node {
	if t.Limit == 0 || !c.Derived.Props(t.Input).OneRow() {
		return t
	}
	if t.Offset > 0 {
		return logical.Empty(t.Columns())
	}
	if t.Number == nil {
		return t.Input
	}
	p := &logical.Project{Input: t.Input}
	for _, in := range t.Input.Columns() {
		p.Items = append(p.Items, logical.PassThrough(in))
	}
	p.Items = append(p.Items, logical.Computed{Col: *t.Number, Expr: expr.NewConst(expr.Value{I: 1}, t.Number.Type)})
	return p
}
