package rule

import (
	"streamsql/planner/logical"
)

var countAll = Rule{
	Name:   "count_all",
	Reason: "COUNT of what is never NULL counts rows: the argument need not be read",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		a, ok := n.(*logical.Aggregate)
		if !ok {
			return n
		}
		out := *a
		out.Aggs = append([]logical.Agg(nil), a.Aggs...)
		changed := false
		for i, g := range out.Aggs {
			if g.Call.Fn == "count" && !g.Call.Distinct && len(g.Call.Values()) == 1 && g.Call.Args[0].Type.NotNull {
				out.Aggs[i].Call.Args = g.Call.Args[1:] // the condition of FILTER stays
				if len(g.Call.Args) == 1 {
					out.Aggs[i].Call.Args = nil
				}
				changed = true
			}
		}
		if !changed {
			return n
		}
		return &out
	}),
}
