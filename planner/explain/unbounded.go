package explain

import (
	"fmt"

	"streamsql/planner/physical"
)

// Unbounded names the operators of a continuous plan whose state grows for ever,
// a sentence each, and says what to do about it.
func Unbounded(p *physical.Plan) []string {
	var out []string
	physical.Walk(p.Root, func(n *physical.Node) bool {
		if n.Props.Unbounded != "" {
			out = append(out, fmt.Sprintf("The state of %s grows without bound: %s. %s", title(n), n.Props.Unbounded, remedy(n)))
		}
		return true
	})
	return out
}

// title is a node's kind, id and spec.
func title(n *physical.Node) string {
	t := fmt.Sprintf("%s %d", n.Kind, n.ID)
	if s := Spec(n); s != "" {
		t += " (" + s + ")"
	}
	return t
}

func remedy(n *physical.Node) string {
	const stream = " of a stream with WATERMARK FOR"
	switch n.Kind {
	case physical.Join:
		if n.Join.OverMeet {
			return "Bound the times of both sides (BETWEEN … AND …)"
		}
		if !n.Inputs[0].Props.AppendOnly || !n.Inputs[1].Props.AppendOnly {
			return "Rows of a side can be replaced or go (PRIMARY KEY), and take back then what they met, however old. Join windows (TUMBLE, HOP)" + stream +
				" and make window_start and window_end equal, or join the side that changes FOR SYSTEM_TIME AS OF the other one's time"
		}
		return "Join windows (TUMBLE, HOP)" + stream + " and make window_start and window_end equal, bound how far the two sides' times are apart (BETWEEN … AND …), " +
			"or join a table FOR SYSTEM_TIME AS OF the stream's time"
	case physical.AsofJoin:
		return "Let the join look back (>= or >) from a stream without PRIMARY KEY to another, by the columns of WATERMARK FOR of both, or join FOR SYSTEM_TIME AS OF the left side's time"
	case physical.Merge, physical.Distinct:
		return "Put window_start and window_end of a window (TUMBLE, HOP, SESSION)" + stream + " among the keys, or keep the newest rows only (WHERE ts > NOW() - INTERVAL …)"
	}
	return "Work within windows (TUMBLE, HOP, SESSION)" + stream + ", or keep the newest rows only (WHERE ts > NOW() - INTERVAL …)"
}
