package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterThroughProject = Rule{
	Name:   "push_filter_through_project",
	Reason: "a row that goes anyway needs no columns computed, and the filter can go on down",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		p, ok := f.Input.(*logical.Project)
		if !ok {
			return n
		}
		fixed := c.volatileItems(p)
		down, stay := split(f.Conds, func(e *expr.Expr) bool { return !c.volatile(e) && !fixed.ReadsAny(e) })
		if len(down) == 0 {
			return n
		}
		for i, e := range down {
			down[i] = p.Replace(e)
		}
		below := &logical.Project{Input: logical.NewFilter(p.Input, down), Items: p.Items}
		return logical.NewFilter(below, stay)
	}),
}

// volatileItems are the columns of p that must be computed exactly once per row.
func (c *Context) volatileItems(p *logical.Project) logical.ColSet {
	set := logical.ColSet{}
	for _, it := range p.Items {
		if c.volatile(it.Expr) {
			set[it.ID] = true
		}
	}
	return set
}
