package explain

import (
	"fmt"
	"slices"
	"strings"

	"streamsql/planner/physical"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
)

// Spec says in SQL's words what a node does.
func Spec(n *physical.Node) string {
	switch n.Kind {
	case physical.Source:
		if n.Source.Table == 0 {
			return "one row"
		}
		if n.Source.Recursion != nil {
			return "recursion of " + n.Source.Name + " (" + strings.Join(names(n), ", ") + "), batch by batch until there are no more rows"
		}
		if c := n.Source.Changes; c != nil {
			return fmt.Sprintf("CHANGES(%s, %d) (%s)", n.Source.Name, c.After, strings.Join(names(n), ", "))
		}
		return n.Source.Name + " (" + strings.Join(names(n), ", ") + ")" + equalsText(n)
	case physical.Values:
		return valuesText(n)
	case physical.Map:
		return mapText(n)
	case physical.Shuffle:
		if n.Shuffle.Kind == physical.Hash {
			return "hash(" + columns(n.Inputs[0], n.Shuffle.Keys) + ")"
		}
		return string(n.Shuffle.Kind)
	case physical.Reduce, physical.Merge:
		return aggText(n)
	case physical.Distinct:
		return "(" + strings.Join(names(n), ", ") + ")"
	case physical.Join:
		return joinText(n)
	case physical.TemporalJoin, physical.VersionJoin, physical.AsofJoin, physical.LookupJoin:
		return timedJoinText(n)
	case physical.Expand:
		return expandText(n)
	case physical.Union:
		return "ALL"
	case physical.Sort:
		return sortText(n)
	case physical.Window:
		return windowText(n)
	case physical.Unfold:
		return unfoldText(n)
	case physical.Session:
		return sessionText(n)
	case physical.TimeFilter:
		return timeFilterText(n)
	case physical.Emit:
		return "when " + n.Fields[n.Emit.Col].Name + " is over"
	case physical.SetOp:
		return setOpText(n)
	case physical.TopN:
		return topNText(n)
	case physical.Over:
		return overText(n)
	}
	return ""
}

func unfoldText(n *physical.Node) string {
	s := "JSON_TABLE(" + n.Inputs[0].Fields[n.Unfold.Document].Name + ", '" + n.Unfold.Table.Path + "')"
	if n.Unfold.Outer {
		s += ", NULLs where it has no rows"
	}
	var own []string
	for _, f := range n.Fields[len(n.Unfold.Keep):] {
		own = append(own, f.Name)
	}
	return s + " → " + strings.Join(own, ", ")
}

// equalsText names the columns by whose values a row may be looked up.
func equalsText(n *physical.Node) string {
	var list []string
	for _, e := range n.Source.Equals {
		for i, c := range n.Source.Columns {
			if c == e.Column {
				list = append(list, n.Fields[i].Name+" = "+e.Value.String())
			}
		}
	}
	if x := n.Source.Index; x != nil {
		for _, b := range x.Bounds {
			if i := slices.Index(n.Source.Columns, b.Column); i >= 0 {
				list = append(list, n.Fields[i].Name+" "+b.Op+" "+b.Value.String())
			}
		}
		return " by index " + x.Name + " at " + strings.Join(list, ", ")
	}
	if len(list) == 0 {
		return ""
	}
	return " at " + strings.Join(list, ", ")
}

// Properties are what is known of a node's output, and its state.
func Properties(n *physical.Node) []string {
	var list []string
	for _, k := range n.Props.Keys {
		if len(k) == 0 {
			list = append(list, "at most one row")
		} else {
			list = append(list, "key ("+columns(n, k)+")")
		}
	}
	if n.Props.AppendOnly {
		list = append(list, "append-only")
	} else {
		list = append(list, "retract")
	}
	if n.Props.State != "" {
		state := "state: " + n.Props.State
		if n.Props.Unbounded != "" {
			state += ", unbounded"
		}
		list = append(list, state)
	}
	return list
}

func valuesText(n *physical.Node) string {
	if len(n.Values) == 0 {
		return "no rows"
	}
	rows := make([]string, 0, 4)
	for i, r := range n.Values {
		if i == 3 && len(n.Values) > 4 {
			rows = append(rows, fmt.Sprintf("… %d more", len(n.Values)-3))
			break
		}
		rows = append(rows, "("+exprs(r, ", ")+")")
	}
	return strings.Join(rows, ", ")
}

// mapText: `amount > 0 → seller, amount * 2 AS double`.
func mapText(n *physical.Node) string {
	var parts []string
	if len(n.Map.Filter) > 0 {
		parts = append(parts, "WHERE "+exprs(n.Map.Filter, " AND "))
	}
	if n.Map.Project != nil {
		items := make([]string, len(n.Map.Project))
		for i, e := range n.Map.Project {
			items[i] = e.String()
			if name := n.Fields[i].Name; !sameName(e, items[i], name) {
				items[i] += " AS " + name
			}
		}
		if len(items) == 0 {
			items = []string{"no columns"}
		}
		parts = append([]string{"SELECT " + strings.Join(items, ", ")}, parts...)
	}
	return strings.Join(parts, " ")
}

// sameName reports that e, printed as text, needs no AS to be known by name.
func sameName(e *expr.Expr, text, name string) bool {
	return strings.EqualFold(text, name) || e.Op == expr.OpColumn && strings.HasSuffix(text, "."+name)
}

func aggText(n *physical.Node) string {
	calls := make([]string, len(n.Agg.Aggs))
	for i, c := range n.Agg.Aggs {
		calls[i] = callText(c)
	}
	out := strings.Join(calls, ", ")
	if len(n.Agg.Keys) > 0 {
		// A Merge's keys stand in its input where the Shuffle has them, by one name.
		out = strings.TrimSpace(out + " BY " + columns(n.Inputs[0], n.Agg.Keys))
	}
	return out
}

// expandText: `GROUPING SETS ((a, b), (a), ())`.
func expandText(n *physical.Node) string {
	sets := make([]string, len(n.Expand.Sets))
	for i, s := range n.Expand.Sets {
		var keys []int
		for _, k := range s {
			keys = append(keys, n.Expand.Keys[k])
		}
		sets[i] = "(" + columns(n.Inputs[0], keys) + ")"
	}
	return "GROUPING SETS (" + strings.Join(sets, ", ") + ")"
}

func callText(c agg.Call) string {
	return c.Text((*expr.Expr).String)
}

func joinText(n *physical.Node) string {
	out := strings.ToUpper(string(n.Join.Kind))
	var conds []string
	for i := range n.Join.LeftKeys {
		op := " = "
		if n.Join.NullSafe != nil && n.Join.NullSafe[i] {
			op = " <=> "
		}
		conds = append(conds, columns(n.Inputs[0], n.Join.LeftKeys[i:i+1])+op+columns(n.Inputs[1], n.Join.RightKeys[i:i+1]))
	}
	if len(conds) > 0 {
		out += " ON " + strings.Join(conds, " AND ")
	}
	if len(n.Join.Residual) > 0 {
		out += " IF " + exprs(n.Join.Residual, " AND ")
	}
	if n.Join.Output != nil {
		out += " SELECT " + strings.Join(names(n), ", ")
	}
	return out
}

func sortText(n *physical.Node) string {
	var parts []string
	for i, k := range n.Sort.Keys {
		key := n.Fields[k.Col].Name
		if k.Desc {
			key += " DESC"
		}
		if i == 0 {
			key = "BY " + key
		}
		parts = append(parts, key)
	}
	out := strings.Join(parts, ", ")
	if n.Sort.Limit >= 0 {
		out += fmt.Sprintf(" LIMIT %d", n.Sort.Limit)
	}
	if n.Sort.Offset > 0 {
		out += fmt.Sprintf(" OFFSET %d", n.Sort.Offset)
	}
	return strings.TrimSpace(out)
}

func exprs(list []*expr.Expr, sep string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.String()
	}
	return strings.Join(texts, sep)
}

func names(n *physical.Node) []string {
	list := make([]string, len(n.Fields))
	for i, f := range n.Fields {
		list[i] = f.Name
	}
	return list
}

// columns are fields of n by name.
func columns(n *physical.Node, positions []int) string {
	list := make([]string, len(positions))
	for i, p := range positions {
		list[i] = n.Fields[p].Name
	}
	return strings.Join(list, ", ")
}
