package explain

import (
	"strings"

	"streamsql/planner/physical"
)

// setOpText: `EXCEPT ALL (a, b)`.
func setOpText(n *physical.Node) string {
	out := strings.ToUpper(string(n.SetOp.Kind))
	if n.SetOp.All {
		out += " ALL"
	}
	return out + " (" + strings.Join(names(n), ", ") + ")"
}
