package rule

import (
	"cmp"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

var closeWindow = Rule{
	Name: "close_window",
	Reason: "what forgets a window when it is over takes nothing back from it any more; whether a retraction came before that is told by its place in the log, " +
		"so that it does not depend on where batches end",
	Late: true, // once filters and projections are where they stay
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.Aggregate:
			return c.closeBelow(n, ids(n.Keys))
		case *logical.TopN:
			return c.closeBelow(n, n.Partition)
		case *logical.Over:
			return c.closeBelow(n, n.Partition)
		case *logical.Distinct:
			return c.closeBelow(n, ids(n.Input.Columns()))
		case *logical.Emit:
			return c.closeBelow(n, []int{n.Col.ID})
		case *logical.Join:
			return c.closeSides(n)
		case *logical.Window: // sessions remember rows themselves
			if n.Kind == bind.Session {
				if closed := c.closeWindow(n); closed != nil {
					return sameColumns(closed, n)
				}
			}
		}
		return n
	}),
}

// closeBelow closes the window under n by whose bound, one of columns, n
// forgets what it has of its input.
func (c *Context) closeBelow(n logical.Node, columns []int) logical.Node {
	in := n.Inputs()[0]
	if c.appends(in) {
		return n
	}
	by, ok := logical.FirstOver(c.Derived.Props(in).Times, columns)
	if !ok {
		return n
	}
	closed := c.closed(in, by)
	if closed == nil {
		return n
	}
	return n.WithInputs([]logical.Node{closed})
}

// closeSides closes the windows on both sides of j by whose bounds it forgets rows.
// Each side goes by its own stream: a row that was taken back too late for its window
// stays, for what comes on the other side too.
func (c *Context) closeSides(j *logical.Join) logical.Node {
	at := c.Derived.OverTogether(j)
	if at < 0 {
		return j
	}
	left, right := c.closed(j.Left, j.Keys[at].Left.ID), c.closed(j.Right, j.Keys[at].Right.ID)
	if left == nil && right == nil {
		return j
	}
	return j.WithInputs([]logical.Node{cmp.Or(left, j.Left), cmp.Or(right, j.Right)})
}

// closed is n with the window closed that column bound is of; nil: there is none, or
// it is closed already.
func (c *Context) closed(n logical.Node, bound int) logical.Node {
	switch n := n.(type) {
	case *logical.Window:
		if n.Kind == bind.Session || bound != n.Start.ID && bound != n.End.ID {
			return nil
		}
		if w := c.closeWindow(n); w != nil {
			return w
		}
	case *logical.Filter:
		if in := c.closed(n.Input, bound); in != nil {
			return n.WithInputs([]logical.Node{in})
		}
	case *logical.Project:
		for _, it := range n.Items {
			if it.ID != bound || it.Expr.Op != expr.OpColumn {
				continue
			}
			if in := c.closed(n.Input, it.Expr.Col); in != nil {
				return n.WithInputs([]logical.Node{in})
			}
		}
	}
	return nil
}

// closeWindow is w with the column that tells when rows were taken back; nil: it has
// that, or the rows do not know.
func (c *Context) closeWindow(w *logical.Window) *logical.Window {
	if w.Late.ID == 0 || w.Retracted.ID != 0 || len(c.Derived.Base(w)) == 0 || c.appends(w.Input) {
		return nil
	}
	in, at, ok := logical.WithRetracted(c.IDs, w.Input, w.Time.ID)
	if !ok {
		return nil
	}
	out := *w
	out.Input, out.Retracted = in, at
	return &out
}
