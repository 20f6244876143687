package bind

import (
	"fmt"
	"strings"
)

// overText is a window function, for tests and for people.
func overText(w OverFunc) string {
	call := w.Fn + list(w.Args)
	if w.Fn == "" {
		call = aggText(Aggregate{Col: w.Col, Call: w.Call})
	}
	out := fmt.Sprintf("window #%d %s = %s", w.ID, typeText(w.Col), call)
	if w.N != 0 {
		out += fmt.Sprintf(" %d", w.N)
	}
	if len(w.Partition) > 0 {
		out += " partition by " + list(w.Partition)
	}
	for i, o := range w.Order {
		out += []string{" order by ", ", "}[min(i, 1)] + text(o.Expr)
		if o.Desc {
			out += " desc"
		}
	}
	unit := []string{"rows", "range", "groups"}[w.Frame.Unit]
	return out + " " + unit + " " + boundText(w.Frame.Start) + ".." + boundText(w.Frame.End)
}

func boundText(b Bound) string {
	kind := []string{"unbounded preceding", "preceding", "current row", "following", "unbounded following"}[b.Kind]
	switch {
	case b.Value != nil:
		return text(b.Value)
	case b.Kind == Preceding || b.Kind == Following:
		return fmt.Sprint(b.N, " ", kind)
	}
	return strings.TrimSpace(kind)
}
