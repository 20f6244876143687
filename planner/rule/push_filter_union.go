package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterThroughUnion = Rule{
	Name:   "push_filter_through_union",
	Reason: "each input can filter its own rows, and its filter can go on down",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		u, ok := f.Input.(*logical.Union)
		if !ok {
			return n
		}
		down, stay := split(f.Conds, func(e *expr.Expr) bool { return !c.volatile(e) })
		if len(down) == 0 {
			return n
		}
		ins := make([]logical.Node, len(u.Ins))
		for i, in := range u.Ins {
			conds := make([]*expr.Expr, len(down))
			for k, e := range down {
				conds[k] = u.Replace(e, i)
			}
			ins[i] = logical.NewFilter(in, conds)
		}
		return logical.NewFilter(u.WithInputs(ins), stay)
	}),
}
