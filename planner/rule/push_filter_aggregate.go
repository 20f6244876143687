package rule

import "streamsql/planner/logical"

var pushFilterThroughAggregate = Rule{
	Name:   "push_filter_through_aggregate",
	Reason: "a condition on grouping keys holds for all rows of a group or none: groups that are left out need no state",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		// Without keys the one group exists even over nothing: nothing may pass.
		a, ok := f.Input.(*logical.Aggregate)
		if !ok || len(a.Keys) == 0 {
			return n
		}
		down, stay := c.byPartition(f.Conds, a.Input, ids(a.Keys))
		if len(down) == 0 {
			return n
		}
		return logical.NewFilter(a.WithInputs([]logical.Node{logical.NewFilter(a.Input, down)}), stay)
	}),
}
