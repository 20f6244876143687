package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var mergeProjects = Rule{
	Name:   "merge_projects",
	Reason: "two projections are one, unless that would compute something twice",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		p, ok := n.(*logical.Project)
		if !ok {
			return n
		}
		below, ok := p.Input.(*logical.Project)
		if !ok || !c.mergeable(p, below) {
			return n
		}
		out := &logical.Project{Input: below.Input}
		for _, it := range p.Items {
			out.Items = append(out.Items, logical.Computed{Col: it.Col, Expr: below.Replace(it.Expr)})
		}
		return out
	}),
}

// mergeable: each computed column of below is read at most once, and a volatile
// one just once, since an expression may sit where it is not always computed.
func (c *Context) mergeable(p, below *logical.Project) bool {
	reads := map[int]int{}
	for _, it := range p.Items {
		it.Expr.Walk(func(x *expr.Expr) bool {
			if x.Op == expr.OpColumn {
				reads[x.Col]++
			}
			return true
		})
	}
	for _, it := range below.Items {
		if it.Expr.Op != expr.OpCall {
			continue
		}
		if reads[it.ID] > 1 || reads[it.ID] == 1 && c.volatile(it.Expr) {
			return false
		}
	}
	return true
}
