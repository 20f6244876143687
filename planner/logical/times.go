package logical

import (
	"maps"

	"streamsql/planner/physical"
	"streamsql/sql/expr"
)

// times finds which columns of n are bound to a watermark: no change comes any
// more of a row whose value there is not above it (but for late rows, see
// physical.Time). In one batch nothing is kept that could be over.
func (d *Deriver) times(n Node) map[int]physical.Time {
	if d.oneBatch {
		return nil
	}
	switch n := n.(type) {
	case *Scan:
		return n.times()
	case *Project:
		return projectTimes(d.Props(n.Input).Times, n.Items)
	case *Aggregate:
		out := only(d.Props(n.Input).Times, SetOf(n.Keys))
		maps.Copy(out, n.Times)
		return out
	case *Filter, *Distinct, *Emit, *Unfold:
		return d.Props(n.Inputs()[0]).Times
	case *Expand:
		return n.times(d.Props(n.Input).Times)
	case *Union:
		return d.unionTimes(n)
	case *Join:
		return d.joinTimes(n)
	case *TimedJoin:
		return n.times(d.Props(n.Left))
	case *Window:
		return d.windowTimes(n)
	case *TopN: // rows of a partition change with others of it alone
		return only(d.Props(n.Input).Times, setOfIDs(n.Partition))
	case *Over:
		return only(d.Props(n.Input).Times, setOfIDs(n.Partition))
	}
	// A LIMIT brings rows of any time up when another one goes.
	return nil
}

func (s *Scan) times() map[int]physical.Time {
	out := map[int]physical.Time{}
	for i, pos := range s.Positions {
		if t, ok := s.Times[pos]; ok {
			out[s.Cols[i].ID] = t
		}
	}
	return out
}

func setOfIDs(ids []int) ColSet {
	set := ColSet{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}

func only(times map[int]physical.Time, cols ColSet) map[int]physical.Time {
	out := map[int]physical.Time{}
	for id, t := range times {
		if cols[id] {
			out[id] = t
		}
	}
	return out
}

func projectTimes(times map[int]physical.Time, items []Computed) map[int]physical.Time {
	out := map[int]physical.Time{}
	for _, it := range items {
		if t, ok := times[it.Expr.Col]; ok && it.Expr.Op == expr.OpColumn {
			out[it.ID] = t
		}
	}
	return out
}

func (d *Deriver) unionTimes(u *Union) map[int]physical.Time {
	out := map[int]physical.Time{}
next:
	for k, c := range u.Cols {
		var all physical.Time
		for i, in := range u.Ins {
			t, ok := d.Props(in).Times[u.From[i][k]]
			if !ok {
				continue next
			}
			if i > 0 {
				t = all.Least(t)
			}
			all = t
		}
		out[c.ID] = all
	}
	return out
}

// joinTimes: a row that comes late on one side may meet rows of any time of the
// other, unless the times must be equal. Then a change of the output needs a
// change of one of the two at that time. Columns that may be padded with NULL
// tell nothing.
func (d *Deriver) joinTimes(j *Join) map[int]physical.Time {
	left, right := d.Props(j.Left).Times, d.Props(j.Right).Times
	out := map[int]physical.Time{}
	for _, k := range j.Keys {
		l, ok := left[k.Left.ID]
		if !ok {
			continue
		}
		r, ok := right[k.Right.ID]
		if !ok {
			continue
		}
		t := l.Least(r)
		if !j.Kind.PadsLeft() {
			out[k.Left.ID] = t
		}
		if !j.Kind.PadsRight() && !j.Kind.LeftOnly() {
			out[k.Right.ID] = t
		}
	}
	return out
}
