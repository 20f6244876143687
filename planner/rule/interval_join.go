package rule

import (
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var intervalJoin = Rule{
	Name: "interval_join",
	Reason: "what bounds how far the times of two streams are apart says until when a row can match one to come: it is kept until then. " +
		"A late row meets none that was over for its partition, so that it does not matter what is kept still",
	Late: true, // once joins have their order
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || j.LeftUntil != nil || j.RightUntil != nil || len(j.On) == 0 || !c.appends(j.Left) || !c.appends(j.Right) {
			return n
		}
		out := *j
		for _, e := range j.On {
			for _, b := range timeBounds(e) {
				out = until(c, out, b)
			}
		}
		if out.LeftUntil == nil && out.RightUntil == nil {
			return n
		}
		for _, u := range []**logical.Until{&out.LeftUntil, &out.RightUntil} {
			if *u != nil {
				out = leaveLateOut(c, out, tightest(j.On, **u))
			}
		}
		return sameColumns(&out, j)
	}),
}

// appends reports that n's rows come and stay when the query is kept up to date,
// whatever it is planned for now: a query that is asked once leaves the same rows out.
func (c *Context) appends(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.Scan:
		return n.Table.Kind == catalog.StreamTable && !n.Table.Upsert() && n.Changes == nil
	case *logical.Filter:
		return !slices.ContainsFunc(n.Conds, c.clocked) && c.appends(n.Input)
	case *logical.Project:
		return c.appends(n.Input)
	case *logical.Window:
		return n.Kind != bind.Session && n.Time.ID != 0 && c.appends(n.Input)
	case *logical.Union:
		return !slices.ContainsFunc(n.Ins, func(in logical.Node) bool { return !c.appends(in) })
	case *logical.Join:
		return n.Kind == logical.InnerJoin && c.appends(n.Left) && c.appends(n.Right)
	}
	return false
}

// timeBound is a condition that column less, and something, is before column
// more, or at it: rows with more are over once less is past that.
type timeBound struct {
	cond       *expr.Expr
	less, more int   // columns
	delay      int64 // see logical.Until
}

// timeBounds takes `time ± interval op time ± interval` and BETWEEN of such apart.
func timeBounds(e *expr.Expr) []timeBound {
	if e.Op != expr.OpCall {
		return nil
	}
	if e.Fn == "between" && len(e.Args) == 3 {
		return append(timeBounds(expr.NewCall(">=", e.Type, e.Args[0], e.Args[1])), timeBounds(expr.NewCall("<=", e.Type, e.Args[0], e.Args[2]))...)
	}
	if len(e.Args) != 2 {
		return nil
	}
	less, more := e.Args[0], e.Args[1]
	switch e.Fn {
	case ">", ">=":
		less, more = more, less
	case "<", "<=":
	default:
		return nil
	}
	l, before, ok := timeTerm(less)
	if !ok {
		return nil
	}
	m, after, ok := timeTerm(more)
	if !ok {
		return nil
	}
	delay := after - before
	if strings.HasSuffix(e.Fn, "=") {
		delay++ // a row at the watermark is not late
	}
	return []timeBound{{cond: e, less: l, more: m, delay: delay}}
}

// timeTerm is a DATETIME column with intervals of a fixed length, in microseconds,
// added. (Those of a TIMESTAMP are as long as the zone's clock says.)
func timeTerm(e *expr.Expr) (col int, shift int64, ok bool) {
	switch {
	case e.Op == expr.OpColumn:
		return e.Col, 0, e.Type.Kind == types.DateTime
	case e.Op != expr.OpCall || e.Fn != "date_add" && e.Fn != "date_sub" || len(e.Args) != 3:
		return 0, 0, false
	case e.Args[1].Op != expr.OpConst || e.Args[1].IsNull() || e.Args[2].Op != expr.OpConst:
		return 0, 0, false
	}
	us, months, valid := builtin.Duration(strings.Trim(e.Args[1].String(), "'"), string(e.Args[2].Value.S))
	if e.Fn == "date_sub" {
		us = -us
	}
	col, shift, ok = timeTerm(e.Args[0])
	return col, shift + us, ok && valid && !months
}

// until is j with what b says of the side of its later column, if the other
// column has a watermark that its rows know, and no other condition says more.
func until(c *Context, j logical.Join, b timeBound) logical.Join {
	own, other, at := j.Left, j.Right, &j.LeftUntil
	if _, ok := columnOf(own, b.more); !ok {
		own, other, at = other, own, &j.RightUntil
	}
	more, okOwn := columnOf(own, b.more)
	less, okOther := columnOf(other, b.less)
	if !okOwn || !okOther || *at != nil && (*at).Delay <= b.delay {
		return j
	}
	if _, _, ok := logical.WithWatermark(c.IDs, other, b.less); ok {
		*at = &logical.Until{Own: more, Other: less, Delay: b.delay}
	}
	return j
}

func columnOf(n logical.Node, id int) (logical.Col, bool) {
	for _, c := range n.Columns() {
		if c.ID == id {
			return c, true
		}
	}
	return logical.Col{}, false
}

// tightest is the condition that u is from.
func tightest(on []*expr.Expr, u logical.Until) timeBound {
	for _, e := range on {
		for _, b := range timeBounds(e) {
			if b.less == u.Other.ID && b.more == u.Own.ID && b.delay == u.Delay {
				return b
			}
		}
	}
	return timeBound{}
}

// leaveLateOut lets a row that comes to the side of b's earlier column match only
// what was not over by the watermark of its partition before it: b's condition
// holds for that too. It does for every row that is not late.
func leaveLateOut(c *Context, j logical.Join, b timeBound) logical.Join {
	side := &j.Left
	if _, ok := columnOf(j.Right, b.less); ok {
		side = &j.Right
	}
	in, mark, ok := logical.WithWatermark(c.IDs, *side, b.less)
	if !ok {
		return j
	}
	*side = in
	open := b.cond.Rewrite(func(x *expr.Expr) *expr.Expr {
		switch {
		case x.Op == expr.OpColumn && x.Col == b.less:
			return logical.Ref(mark)
		case x.Op == expr.OpCall:
			c := *x
			c.Type = x.Type.Nullable()
			return &c
		}
		return x
	})
	none := expr.NewCall("is null", boolType, logical.Ref(mark))
	cond := expr.NewCall("or", boolType.Nullable(), none, open)
	if !slices.ContainsFunc(j.On, func(e *expr.Expr) bool { return expr.Equal(e, cond) }) {
		j.On = append(slices.Clip(j.On), cond)
	}
	return j
}
