package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterThroughSetOp = Rule{
	Name:   "push_filter_through_set_op",
	Reason: "equal rows pass a filter alike: what does not pass needs no state in any input",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		s, ok := f.Input.(*logical.SetOp)
		if !ok {
			return n
		}
		down, stay := c.byPartition(f.Conds, s, ids(s.Cols))
		if len(down) == 0 {
			return n
		}
		ins := make([]logical.Node, len(s.Ins))
		for i, in := range s.Ins {
			conds := make([]*expr.Expr, len(down))
			for k, e := range down {
				conds[k] = s.Replace(e, i)
			}
			ins[i] = logical.NewFilter(in, conds)
		}
		return logical.NewFilter(s.WithInputs(ins), stay)
	}),
}
