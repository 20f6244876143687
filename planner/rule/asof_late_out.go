package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/types"
)

var asofLateOut = Rule{
	Name: "asof_late_out",
	Reason: "where both sides' times have watermarks and the join looks back, rows that are late can be left out: then a left row is done with when the right side's watermark " +
		"passes it, and of the right rows of a key only those from the watermarks on are kept",
	Late: true, // once the join has its inequality
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.TimedJoin)
		if !ok || j.Timing != logical.Closest || j.RightLate.ID != 0 || j.Order != ">=" && j.Order != ">" || len(j.On) > 0 {
			return n
		}
		if !c.appends(j.Left) || !c.appends(j.Right) || !sameClock(j) {
			return n
		}
		out := *j
		var left, right bool
		out.Left, out.Late, left = logical.WithWatermark(c.IDs, j.Left, j.LeftTime)
		out.Right, out.RightLate, right = logical.WithWatermark(c.IDs, j.Right, j.RightTime)
		if !left || !right {
			return n
		}
		return sameColumns(&out, j)
	}),
}

// sameClock reports that the times which j compares are told by the same clock, so
// that the watermark of one says something of the other.
func sameClock(j *logical.TimedJoin) bool {
	l, _ := columnOf(j.Left, j.LeftTime)
	r, _ := columnOf(j.Right, j.RightTime)
	return l.Type.Kind == r.Type.Kind && (l.Type.Kind == types.DateTime || l.Type.Kind == types.Timestamp)
}
