package explain

import (
	"strings"

	"streamsql/planner/physical"
)

// timedJoinText: `LEFT ON a = b CLOSEST a_ts >= b_ts IF x > 1`.
func timedJoinText(n *physical.Node) string {
	j := n.Timed
	out := "INNER"
	if j.Outer {
		out = "LEFT"
	}
	left, right := n.Inputs[0], n
	if n.Kind != physical.LookupJoin {
		right = n.Inputs[1]
	}
	rightKey := func(i int) string {
		at := j.RightKeys[i]
		if n.Kind == physical.LookupJoin {
			at += len(left.Fields)
		}
		return right.Fields[at].Name
	}
	var conds []string
	for i := range j.LeftKeys {
		op := " = "
		if j.NullSafe != nil && j.NullSafe[i] {
			op = " <=> "
		}
		conds = append(conds, columns(left, j.LeftKeys[i:i+1])+op+rightKey(i))
	}
	if len(conds) > 0 {
		out += " ON " + strings.Join(conds, " AND ")
	}
	switch n.Kind {
	case physical.LookupJoin:
		out += " LOOKUP IN " + j.Name
	case physical.TemporalJoin:
		out += " AS OF PROCTIME()"
	case physical.VersionJoin:
		out += " AS OF " + left.Fields[j.LeftTime].Name
	case physical.AsofJoin:
		out += " CLOSEST " + left.Fields[j.LeftTime].Name + " " + j.Order + " " + right.Fields[j.RightTime].Name
	}
	if len(j.Residual) > 0 {
		out += " IF " + exprs(j.Residual, " AND ")
	}
	if j.AppendOnly && n.Kind != physical.AsofJoin && n.Kind != physical.VersionJoin {
		out += ", keeping nothing of the left"
	}
	return out
}
