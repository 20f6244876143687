package explain

import (
	"fmt"
	"strings"

	"streamsql/planner/physical"
)

// topNText: `LIMIT 3 PARTITION BY category ORDER BY amount DESC`, or with RANK <= 3.
func topNText(n *physical.Node) string {
	s := n.TopN
	in := n.Inputs[0]
	var parts []string
	switch fn := strings.ToUpper(string(s.Func)); {
	case s.Func == physical.RowNumber && s.Limit == 1 && s.Offset == 0 && len(s.Partition) > 0:
		parts = append(parts, "deduplication, first row")
	case s.Func == physical.RowNumber && !s.Number:
		if s.Limit >= 0 {
			parts = append(parts, fmt.Sprintf("LIMIT %d", s.Limit))
		}
		if s.Offset > 0 {
			parts = append(parts, fmt.Sprintf("OFFSET %d", s.Offset))
		}
	default:
		if s.Offset > 0 {
			fn = fmt.Sprintf("%d < %s", s.Offset, fn)
		}
		if s.Limit >= 0 {
			fn += fmt.Sprintf(" <= %d", s.Offset+s.Limit)
		}
		parts = append(parts, fn)
	}
	if len(s.Partition) > 0 {
		parts = append(parts, "PARTITION BY "+columns(in, s.Partition))
	}
	if len(s.Order) > 0 {
		parts = append(parts, "ORDER BY "+orderText(in, s.Order))
	}
	switch {
	case s.PerBatch:
		parts = append(parts, "of each batch")
	case s.AppendOnly:
		parts = append(parts, "over append-only rows")
	case s.Leaders:
		parts = append(parts, "over values that only advance")
	}
	return strings.Join(parts, " ")
}

func orderText(n *physical.Node, keys []physical.SortKey) string {
	list := make([]string, len(keys))
	for i, k := range keys {
		list[i] = n.Fields[k.Col].Name
		if k.Desc {
			list[i] += " DESC"
		}
	}
	return strings.Join(list, ", ")
}

// overText: `SUM(v) ROWS 2 PRECEDING .. CURRENT ROW, LAG(v, 1) PARTITION BY g ORDER BY id`.
func overText(n *physical.Node) string {
	in := n.Inputs[0]
	var parts []string
	for _, f := range n.Over.Funcs {
		parts = append(parts, overFuncText(in, f))
	}
	out := strings.Join(parts, ", ")
	if len(n.Over.Partition) > 0 {
		out += " PARTITION BY " + columns(in, n.Over.Partition)
	}
	if len(n.Over.Order) > 0 {
		out += " ORDER BY " + orderText(in, n.Over.Order)
	}
	return out
}

func overFuncText(in *physical.Node, f physical.OverFunc) string {
	var out string
	if f.Call != nil {
		out = callText(*f.Call)
	} else {
		var args []string
		for i, a := range f.Args {
			if args = append(args, columns(in, []int{a})); i == 0 && f.N != 0 {
				args = append(args, fmt.Sprint(f.N))
			}
		}
		if len(f.Args) == 0 && f.N != 0 {
			args = append(args, fmt.Sprint(f.N))
		}
		out = strings.ToUpper(f.Fn) + "(" + strings.Join(args, ", ") + ")"
	}
	if f.Frame == nil {
		return out
	}
	start, end := boundText(in, f.Frame, f.Frame.Start), boundText(in, f.Frame, f.Frame.End)
	switch {
	case f.Frame.Start.Kind == physical.UnboundedPreceding && f.Frame.End.Kind == physical.UnboundedFollowing:
		return out
	case f.Frame.Unit == physical.FrameRange && start == "UNBOUNDED PRECEDING" && end == "CURRENT ROW":
		return out
	}
	return out + " " + strings.ToUpper(string(f.Frame.Unit)) + " " + start + " .. " + end
}

func boundText(in *physical.Node, f *physical.Frame, b physical.Bound) string {
	kind := strings.ToUpper(string(b.Kind))
	switch {
	case b.Kind != physical.Preceding && b.Kind != physical.Following:
		return kind
	case f.Unit == physical.FrameRange:
		return columns(in, []int{b.Col})
	}
	return fmt.Sprint(b.N, " ", kind)
}
