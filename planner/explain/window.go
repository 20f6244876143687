package explain

import (
	"fmt"
	"strings"
	"time"

	"streamsql/planner/physical"
)

// windowText: `TUMBLE(ts, 10s)`, `panes of HOP(ts, 2s, 10s)`, and which rows are too late.
func windowText(n *physical.Node) string {
	w := n.Window
	args := []string{windowTime(n, w.Time)}
	if w.Kind != physical.Tumble {
		args = append(args, span(w.Slide))
	}
	args = append(args, span(w.Size))
	if w.Offset != 0 {
		args = append(args, span(w.Offset))
	}
	text := fmt.Sprintf("%s(%s)%s", strings.ToUpper(string(w.Kind)), strings.Join(args, ", "), latenessText(w.Lateness))
	switch w.Form {
	case physical.IntoPanes:
		text = "panes of " + text
	case physical.OfPanes:
		text += " made up of panes"
	}
	return text
}

func windowTime(n *physical.Node, at int) string {
	if at < 0 {
		return "PROCTIME()"
	}
	return n.Inputs[0].Fields[at].Name
}

func latenessText(l physical.Lateness) string {
	if l.Late < 0 && l.Closed == nil {
		return ""
	}
	if l.Allowed == 0 {
		return " without late rows"
	}
	return " without rows later than " + span(l.Allowed)
}

// span is a length of time in microseconds.
func span(us int64) string { return (time.Duration(us) * time.Microsecond).String() }

// sessionText: `by bidder, 10s apart`.
func sessionText(n *physical.Node) string {
	s := n.Session
	text := windowTime(n, s.Time) + ", " + span(s.Gap) + " apart"
	if len(s.Keys) > 0 {
		text = "(" + columns(n.Inputs[0], s.Keys) + ") by " + text
	}
	if s.IDs {
		text += ", told apart by id"
	}
	return text + latenessText(s.Lateness)
}

// timeFilterText: `ts > now - 1h0m0s`.
func timeFilterText(n *physical.Node) string {
	var list []string
	for _, c := range n.TimeFilter.Conds {
		now := " now"
		if c.UTC {
			now = " UTC now"
		}
		switch {
		case c.Shift > 0:
			now += " + " + span(c.Shift)
		case c.Shift < 0:
			now += " - " + span(-c.Shift)
		}
		list = append(list, c.Value.String()+" "+c.Op+now)
	}
	return "WHERE " + strings.Join(list, " AND ")
}
