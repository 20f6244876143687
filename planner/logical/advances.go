package logical

import (
	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Advances reports that a row of n is taken back only together with one coming
// that agrees with it in the columns partition, and by order does not stand
// behind it. The counts and the greatest values of groups are such, by descending
// order, while nothing is taken out of the groups; least values, by ascending order.
func (d *Deriver) Advances(n Node, order bind.Order, partition []int) bool {
	return d.advances(n, order, partition, false)
}

// advances: notNull says that only rows count in which the column is not NULL.
func (d *Deriver) advances(n Node, order bind.Order, partition []int, notNull bool) bool {
	switch n := n.(type) {
	case *Filter:
		group := n.groupBelow()
		for _, e := range n.Conds {
			switch {
			case isNotNull(e, order.Col):
				notNull = true
			case group == nil || !SetOf(group.Keys).Has(e):
				return false // the row that comes may be left out
			}
		}
		return d.advances(n.Input, order, partition, notNull)
	case *Project:
		order, partition, ok := n.below(order, partition)
		return ok && d.advances(n.Input, order, partition, notNull)
	case *Aggregate:
		for _, id := range partition {
			if !SetOf(n.Keys)[id] {
				return false
			}
		}
		for _, g := range n.Aggs {
			if g.ID == order.Col {
				return d.Props(n.Input).AppendOnly && grows(g.Call, order.Desc, notNull || g.Type.NotNull)
			}
		}
	}
	return false
}

// grows reports an aggregate whose value, as rows come, moves towards the front.
func grows(c agg.Call, desc, notNull bool) bool {
	switch c.Fn {
	case "count", "max": // NULL is the least
		return desc
	case "min":
		return !desc && notNull
	}
	return false
}

// groupBelow is the aggregate under filters.
func (f *Filter) groupBelow() *Aggregate {
	n := f.Input
	for {
		below, ok := n.(*Filter)
		if !ok {
			a, _ := n.(*Aggregate)
			return a
		}
		n = below.Input
	}
}

func isNotNull(e *expr.Expr, id int) bool {
	return e.Op == expr.OpCall && e.Fn == "is not null" && e.Args[0].Op == expr.OpColumn && e.Args[0].Col == id
}

// below are columns of p as those of its input; not ok: one is computed.
func (p *Project) below(order bind.Order, partition []int) (bind.Order, []int, bool) {
	at := map[int]int{}
	for _, it := range p.Items {
		if it.Expr.Op == expr.OpColumn {
			at[it.ID] = it.Expr.Col
		}
	}
	var ok bool
	if order.Col, ok = at[order.Col]; !ok {
		return order, nil, false
	}
	out := make([]int, len(partition))
	for i, id := range partition {
		if out[i], ok = at[id]; !ok {
			return order, nil, false
		}
	}
	return order, out, true
}
