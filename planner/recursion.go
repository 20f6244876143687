package planner

import (
	"streamsql/planner/logical"
)

// planRecursions plans the recursive expressions of a tree, as queries that are
// kept up to date while their working tables grow.
func (o Options) planRecursions(t *logical.Tree) error {
	var failed error
	t.Root = logical.Rewrite(t.Root, func(n logical.Node) logical.Node {
		r, ok := n.(*logical.Recursion)
		if !ok || failed != nil {
			return n
		}
		out := *r
		out.Plan, failed = Plan(r.Of.Query, Options{Continuous: true, recursive: true, Trace: o.Trace})
		return &out
	})
	return failed
}
