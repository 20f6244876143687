package rule

import "streamsql/planner/logical"

var pushFilterThroughOver = Rule{
	Name:   "push_filter_through_over",
	Reason: "a condition on the columns of the partition holds for all of its rows or none: partitions that are left out need no state",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		o, ok := f.Input.(*logical.Over)
		if !ok || len(o.Partition) == 0 {
			return n
		}
		down, stay := c.byPartition(f.Conds, o.Input, o.Partition)
		if len(down) == 0 {
			return n
		}
		return logical.NewFilter(o.WithInputs([]logical.Node{logical.NewFilter(o.Input, down)}), stay)
	}),
}
