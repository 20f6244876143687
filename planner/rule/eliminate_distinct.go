package rule

import "streamsql/planner/logical"

var eliminateDistinct = Rule{
	Name:   "eliminate_distinct",
	Reason: "rows with a unique key are distinct already: no state needs to say so",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		d, ok := n.(*logical.Distinct)
		if ok && len(c.Derived.Props(d.Input).Keys) > 0 {
			return d.Input
		}
		return n
	}),
}
