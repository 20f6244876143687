package rule

import "streamsql/planner/logical"

var distinctBelowSemi = Rule{
	Name:   "distinct_below_semi",
	Reason: "whether a row matches does not depend on how many it matches: no state needs to make them distinct",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || !j.Kind.LeftOnly() {
			return n
		}
		d, ok := j.Right.(*logical.Distinct)
		if !ok {
			return n
		}
		return j.WithInputs([]logical.Node{j.Left, d.Input})
	}),
}
