package rule

import "streamsql/planner/logical"

var sortOneRow = Rule{
	Name:   "sort_one_row",
	Reason: "one row needs neither order nor limit",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
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
