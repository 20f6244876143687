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
	if s.AppendOnly {
		parts = append(parts, "over append-only rows")
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
