package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var foldConstants = Rule{
	Name:   "fold_constants",
	Reason: "what depends on no row is computed once; an expression that would fail or warn is left to the rows it meets",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		return n.WithExprs(func(e *expr.Expr) *expr.Expr { return e.Rewrite(c.foldNode) })
	}),
}

// foldNode folds one call whose arguments are constants already.
func (c *Context) foldNode(e *expr.Expr) *expr.Expr {
	if e.Op != expr.OpCall || c.Volatile(e.Fn) {
		return e
	}
	for _, a := range e.Args {
		if a.Op != expr.OpConst {
			return e
		}
	}
	v, ok := c.Fold(e)
	if !ok {
		return e
	}
	return expr.NewConst(v, e.Type)
}
