package rule

import "streamsql/planner/logical"

var shortenTies = Rule{
	Name:   "shorten_ties",
	Reason: "once the columns compared hold a unique key no rows are tied: the further columns decide nothing and need not be kept",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		t, ok := n.(*logical.TopN)
		if !ok {
			return n
		}
		out := *t
		if out.Ties = c.shorterTies(t.Input, t.Partition, t.Order, t.Ties); len(out.Ties) == len(t.Ties) {
			return n
		}
		return &out
	}),
}
