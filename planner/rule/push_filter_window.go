package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterThroughWindow = Rule{
	Name:   "push_filter_through_window",
	Reason: "a row that will not pass need not be put into windows; but the rows of a session hold it together, so that only whole sessions may be left out before",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		w, ok := f.Input.(*logical.Window)
		if !ok {
			return n
		}
		may := logical.SetOf(w.Input.Columns())
		if !w.FixedSize() {
			may = logical.SetOf(w.Partition)
		}
		down, stay := split(f.Conds, func(e *expr.Expr) bool { return may.Has(e) && !c.volatile(e) })
		if len(down) == 0 {
			return n
		}
		return logical.NewFilter(w.WithInputs([]logical.Node{logical.NewFilter(w.Input, down)}), stay)
	}),
}
