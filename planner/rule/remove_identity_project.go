package rule

import "streamsql/planner/logical"

var removeIdentityProject = Rule{
	Name:   "remove_identity_project",
	Reason: "a projection that hands on all columns as they are does nothing: columns are known by id, not by place",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		p, ok := n.(*logical.Project)
		if !ok || len(p.Items) != len(p.Input.Columns()) {
			return n
		}
		for _, it := range p.Items {
			if !logical.IsPassThrough(it) {
				return n
			}
		}
		return p.Input
	}),
}
