package rule

import "streamsql/planner/logical"

var emptyFilter = Rule{
	Name:   "empty_filter",
	Reason: "under a filter that is never true nothing needs to be read",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		for _, e := range f.Conds {
			if t := constTruth(e); t == isFalse || t == isNull {
				return logical.Empty(f.Columns())
			}
		}
		return n
	}),
}
