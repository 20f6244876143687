package rule

import "streamsql/planner/logical"

var shortenTies = Rule{
	Name:   "shorten_ties",
	Reason: "once the columns compared hold a unique key no rows are tied: the further columns decide nothing and need not be kept",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.TopN:
			out := *n
			out.Ties = c.shorterTies(n.Input, n.Partition, n.Order, n.Ties)
			if n.Rank != logical.RowNumber { // rows that are tied have one rank
				out.Ties = nil
			}
			if len(out.Ties) < len(n.Ties) {
				return &out
			}
		case *logical.Over:
			out := *n
			out.Ties = c.shorterTies(n.Input, n.Partition, n.Order, n.Ties)
			if !n.SeesTies() {
				out.Ties = nil
			}
			if len(out.Ties) < len(n.Ties) {
				return &out
			}
		}
		return n
	}),
}
