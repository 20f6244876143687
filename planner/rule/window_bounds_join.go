package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

var windowBoundsJoin = Rule{
	Name: "window_bounds_join",
	Reason: "a time that is at a tumbling window's start or behind, and before its end, is in that window and no other: the join is by equal windows, " +
		"and its rows go when these are over. A late row is in no window",
	Late: true, // once joins have their order
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || j.Kind != logical.InnerJoin || j.LeftUntil != nil || j.RightUntil != nil {
			return n
		}
		for _, e := range j.On {
			if out := c.joinByWindow(j, e); out != nil {
				return sameColumns(out, j)
			}
		}
		return n
	}),
}

// joinByWindow makes a join by equal windows of j if from says that a time of one
// side is not before the start of a window of the other, and another condition
// that it is before its end. Nil: it is none.
func (c *Context) joinByWindow(j *logical.Join, from *expr.Expr) *logical.Join {
	start, time, ok := comparesColumns(from, "<=", ">=")
	if !ok {
		return nil
	}
	left := true // the time is of the left side
	at, ok := columnOf(j.Left, time.Col)
	if !ok {
		at, ok = columnOf(j.Right, time.Col)
		left = false
	}
	own, other := j.Left, j.Right
	if !left {
		own, other = other, own
	}
	if _, has := columnOf(other, start.Col); !ok || !has {
		return nil
	}
	w := tumblingFrom(other, start.Col)
	if w == nil || at.Type.Kind != w.Start.Type.Kind {
		return nil
	}
	to := slices.IndexFunc(j.On, func(e *expr.Expr) bool {
		t, end, ok := comparesColumns(e, "<", ">")
		return ok && t.Col == at.ID && end.Col == w.End.ID
	})
	end, has := columnOf(other, w.End.ID)
	if to < 0 || !has {
		return nil
	}
	in, ok := c.windowLike(w, own, at)
	if !ok {
		return nil
	}
	out := *j
	out.On = slices.DeleteFunc(slices.Clone(j.On), func(e *expr.Expr) bool { return e == from || e == j.On[to] })
	out.Keys = slices.Clone(j.Keys)
	first, _ := columnOf(other, w.Start.ID)
	for _, k := range [][2]logical.Col{{in.Start, first}, {in.End, end}} {
		if left {
			out.Keys = append(out.Keys, logical.JoinKey{Left: k[0], Right: k[1]})
		} else {
			out.Keys = append(out.Keys, logical.JoinKey{Left: k[1], Right: k[0]})
		}
	}
	if out.Left = in; !left {
		out.Left, out.Right = other, in
	}
	return &out
}

// windowLike puts the windows of w over n by another time. Not ok: the time has a
// watermark, but rows do not know which.
func (c *Context) windowLike(w *logical.Window, n logical.Node, time logical.Col) (*logical.Window, bool) {
	out := *w
	out.Input, out.Time, out.Late, out.Retracted, out.Own = n, time, logical.Col{}, logical.Col{}, nil
	if in, late, ok := logical.WithWatermark(c.IDs, n, time.ID); ok {
		out.Input, out.Late = in, late
	} else if _, has := c.Derived.Props(n).Times[time.ID]; has {
		return nil, false
	}
	out.Start.ID, out.End.ID = c.IDs.Next(), c.IDs.Next()
	return &out, true
}

// tumblingFrom is the tumbling window, by event time, whose starts column start of
// n is; nil: it is none. A column that is handed on keeps its id.
func tumblingFrom(n logical.Node, start int) (found *logical.Window) {
	logical.Walk(n, func(n logical.Node) {
		if w, ok := n.(*logical.Window); ok && w.Start.ID == start && w.Kind == bind.Tumble && w.Time.ID != 0 {
			found = w
		}
	})
	return found
}

// comparesColumns takes a condition apart that says of two columns that the first is less
// (or not greater): fn, or its mirror the other way round.
func comparesColumns(e *expr.Expr, fn, mirror string) (first, second *expr.Expr, ok bool) {
	if e.Op != expr.OpCall || len(e.Args) != 2 {
		return nil, nil, false
	}
	first, second = e.Args[0], e.Args[1]
	if e.Fn == mirror {
		first, second = second, first
	}
	return first, second, (e.Fn == fn || e.Fn == mirror) && first.Op == expr.OpColumn && second.Op == expr.OpColumn
}
