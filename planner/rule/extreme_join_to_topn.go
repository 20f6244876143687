package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var extremeJoinToTopN = Rule{
	Name: "extreme_join_to_topn",
	Reason: "rows joined with the MAX (MIN) of a column over their own group, where the column is that, are the rows that RANK() numbers 1 in the group: " +
		"neither the values of the MAX nor both sides of a join need be kept",
	Late: true, // once both sides have what they read, and no more
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || j.Kind != logical.InnerJoin || j.LeftUntil != nil || j.RightUntil != nil {
			return n
		}
		for _, swapped := range []bool{false, true} {
			if out := c.extremeRows(j, swapped); out != nil {
				return out
			}
		}
		return n
	}),
}

// extremeJoin is a join of rows with an aggregate, MIN or MAX alone, over the same rows.
type extremeJoin struct {
	rows  logical.Node
	a     *logical.Aggregate
	value int       // the column of rows that the aggregate is of
	from  columnMap // columns of the join's side → columns of a
	to    columnMap // columns of the join's side → columns of rows
	fn    string
}

// extremeRows is what gives the rows of j, with its columns, if it is such a join.
func (c *Context) extremeRows(j *logical.Join, swapped bool) logical.Node {
	rows, side := j.Left, j.Right
	if swapped {
		rows, side = side, rows
	}
	x, ok := c.extremeOf(rows, side)
	if !ok {
		return nil
	}
	var notNull []*expr.Expr
	grouped, tied := logical.ColSet{}, false
	for _, k := range j.Keys {
		own, other := k.Left, k.Right
		if swapped {
			own, other = other, own
		}
		if x.to[other.ID] != own.ID {
			return nil
		}
		switch {
		case x.from[other.ID] != x.a.Aggs[0].ID:
			grouped[x.from[other.ID]] = true
		case k.NullSafe:
			return nil // a group of NULLs alone has its rows
		default:
			tied = true
		}
		if !k.NullSafe {
			notNull = withNotNull(notNull, own)
		}
	}
	var rest []*expr.Expr
	for _, e := range j.On {
		if x.ties(e) {
			tied = true
			continue
		}
		rest = append(rest, x.to.expr(e))
	}
	if !tied || len(grouped) != len(x.a.Keys) {
		return nil
	}
	value, _ := columnOf(rows, x.value)
	top := &logical.TopN{
		Input: logical.NewFilter(rows, withNotNull(notNull, value)), Order: []bind.Order{{Col: x.value, Desc: x.fn == "max"}}, Rank: logical.Rank, Limit: 1,
	}
	for _, k := range x.a.Keys {
		top.Partition = append(top.Partition, x.to[k.ID])
	}
	p := &logical.Project{Input: logical.NewFilter(top, rest)}
	for _, col := range j.Columns() {
		e := x.to.expr(logical.Ref(col))
		if own, ok := columnOf(rows, e.Col); ok {
			e = logical.Ref(own)
		} else {
			return nil
		}
		p.Items = append(p.Items, logical.Computed{Col: col, Expr: e})
	}
	return p
}

// extremeOf finds the aggregate that side is, over the same rows as those given.
func (c *Context) extremeOf(rows, side logical.Node) (x extremeJoin, ok bool) {
	x.rows = rows
	p, ok := side.(*logical.Project)
	if ok {
		side = p.Input
	}
	if x.a, ok = side.(*logical.Aggregate); !ok || len(x.a.Aggs) != 1 || len(x.a.Keys) == 0 {
		return x, false
	}
	call := x.a.Aggs[0].Call
	if x.fn = call.Fn; x.fn != "max" && x.fn != "min" || call.Filtered || !orderIsEquality(x.a.Aggs[0].Type) {
		return x, false
	}
	same, ok := c.sameRows(x.a.Input, rows)
	if !ok {
		return x, false
	}
	x.to, x.from = columnMap{}, columnMap{}
	for _, k := range x.a.Keys {
		if x.to[k.ID], ok = same[k.ID]; !ok {
			return x, false
		}
	}
	if x.value, ok = same[call.Args[0].Col]; !ok {
		return x, false
	}
	x.to[x.a.Aggs[0].ID] = x.value
	for id := range x.to {
		x.from[id] = id
	}
	if p == nil {
		return x, true
	}
	for _, it := range p.Items {
		if it.Expr.Op != expr.OpColumn {
			return x, false
		}
		x.from[it.ID], x.to[it.ID] = it.Expr.Col, x.to[it.Expr.Col]
	}
	return x, true
}

// orderIsEquality reports that values which are equal stand at one place in the
// order, and others do not: what is not text.
func orderIsEquality(t types.Type) bool { return t.Class() != types.ClassBytes }

// ties reports a condition that the value is the aggregate's: it cannot be above
// a MAX, nor below a MIN.
func (x *extremeJoin) ties(e *expr.Expr) bool {
	if a, b, ok := comparesColumns(e, "=", "="); ok {
		return x.pair(a.Col, b.Col) || x.pair(b.Col, a.Col)
	}
	less, more, ok := comparesColumns(e, "<=", ">=")
	if x.fn == "min" {
		less, more = more, less
	}
	return ok && x.pair(more.Col, less.Col)
}

// pair reports that one column is the value, the other the aggregate's.
func (x *extremeJoin) pair(own, extreme int) bool {
	return own == x.value && x.from[extreme] == x.a.Aggs[0].ID
}

// withNotNull adds the condition that a column is not NULL, if it may be.
func withNotNull(list []*expr.Expr, col logical.Col) []*expr.Expr {
	if col.Type.NotNull {
		return list
	}
	e := expr.NewCall("is not null", types.MakeBool(), logical.Ref(col))
	if slices.ContainsFunc(list, func(x *expr.Expr) bool { return expr.Equal(x, e) }) {
		return list
	}
	return append(list, e)
}
