package rule

import (
	"slices"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var shapeTimedJoin = Rule{
	Name:   "shape_timed_join",
	Reason: "equal columns of both sides part and find the rows; of an ASOF join, the inequality orders them, and what says something of one side alone is that side's filter",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.TimedJoin)
		if !ok || len(j.On) == 0 {
			return n
		}
		s := &timedShaper{keyExtractor: keyExtractor{
			c:    c,
			left: side{node: j.Left, cols: logical.SetOf(j.Left.Columns())}, right: side{node: j.Right, cols: logical.SetOf(j.Right.Columns())},
		}, out: *j}
		for _, e := range j.On {
			s.place(e)
		}
		if len(s.rest) == len(j.On) {
			return n
		}
		s.left.node, s.right.node = logical.NewFilter(s.left.node, s.toLeft), logical.NewFilter(s.right.node, s.toRight)
		s.out.On = s.rest
		s.out.Left, s.out.Right = s.left.project(), s.right.project()
		if len(s.left.extra)+len(s.right.extra) == 0 {
			return &s.out
		}
		p := &logical.Project{Input: &s.out} // to what is above, the join gives what it gave
		for _, c := range n.Columns() {
			p.Items = append(p.Items, logical.PassThrough(c))
		}
		return p
	}),
}

// timedShaper takes the conditions of a TimedJoin apart.
type timedShaper struct {
	keyExtractor
	out                   logical.TimedJoin
	toLeft, toRight, rest []*expr.Expr
}

// place finds where a condition belongs. What an outer join says of its left row
// alone stays: the row does.
func (s *timedShaper) place(e *expr.Expr) {
	k, ok := s.key(e)
	if !ok {
		k, ok = s.constantKey(e)
	}
	if ok && s.mayKey(k) {
		if !slices.Contains(s.out.Keys, k) {
			s.out.Keys = append(slices.Clip(s.out.Keys), k)
		}
		return
	}
	if s.out.Timing == logical.Closest && s.out.Order == "" {
		if l, r, exchanged, ok := s.pair(e, ">=", ">", "<=", "<"); ok {
			s.out.LeftTime, s.out.RightTime, s.out.Order = l.ID, r.ID, e.Fn
			if exchanged {
				s.out.Order = map[string]string{">=": "<=", ">": "<", "<=": ">=", "<": ">"}[e.Fn]
			}
			return
		}
	}
	switch {
	case s.c.volatile(e):
		s.rest = append(s.rest, e)
	case !s.out.Outer && s.left.cols.Has(e):
		s.toLeft = append(s.toLeft, e)
	case s.out.Timing == logical.Closest && s.right.cols.Has(e) && !constant(e):
		s.toRight = append(s.toRight, e) // the closest of those that meet it
	default:
		s.rest = append(s.rest, e)
	}
}

// constantKey makes a pair of key columns of a condition `right = constant`: a part of the
// key that is the same for all left rows.
func (s *timedShaper) constantKey(e *expr.Expr) (k logical.JoinKey, ok bool) {
	if s.out.Timing == logical.Closest || e.Op != expr.OpCall || e.Fn != "=" {
		return k, false
	}
	l, r := e.Args[0], e.Args[1]
	if constant(r) {
		l, r = r, l
	}
	if !constant(l) || l.IsNull() || r.Op != expr.OpColumn || !s.right.cols.Has(r) {
		return k, false
	}
	t, ok := keyType(l.Type, r.Type)
	if !ok || !SameRepresentation(r.Type, t) {
		return k, false
	}
	if l, ok = s.cast(l, t); !ok {
		return k, false
	}
	return logical.JoinKey{Left: s.left.column(s.c, l), Right: s.right.column(s.c, r)}, true
}

// mayKey reports that a pair of columns may part the rows. Outside has its keys.
// Versions are told apart by the stream's key alone: what else must be equal is
// tested on the version that time picks.
func (s *timedShaper) mayKey(k logical.JoinKey) bool {
	switch s.out.Timing {
	case logical.Outside:
		return false
	case logical.AtEventTime:
		at := -1
		scan, ok := s.out.Right.(*logical.Scan)
		if ok {
			at = slices.IndexFunc(scan.Cols, func(c logical.Col) bool { return c.ID == k.Right.ID })
		}
		return at >= 0 && slices.Contains(scan.Table.Primary, scan.Positions[at]) &&
			!slices.ContainsFunc(s.out.Keys, func(o logical.JoinKey) bool { return o.Right.ID == k.Right.ID && o != k })
	}
	return true
}

// pruneTimedJoin keeps what the join itself reads.
func pruneTimedJoin(j *logical.TimedJoin, need logical.ColSet) logical.Node {
	for _, k := range j.Keys {
		need[k.Left.ID], need[k.Right.ID] = true, true
	}
	left, right := j.Reads()
	for _, id := range append(left, right...) {
		need[id] = true
	}
	reads(j.On, need)
	return over(j, prune(j.Left, need), prune(j.Right, copySet(need)))
}
