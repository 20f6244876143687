// Package explain prints physical plans: as an indented tree for people, as JSON
// for programs, as DOT for pictures.
package explain

import (
	"fmt"
	"strings"

	"streamsql/planner/physical"
)

// Text is the plan as a tree, a node a line, the root on top: kind and id, what
// it does in SQL's words, and in brackets what is known of its output and kept
// in its state.
func Text(p *physical.Plan) string { return tree(p, line) }

// TextShared is Text of a plan of which some nodes are shared: see Analysis.Shared.
func TextShared(p *physical.Plan, shared map[int]string) string {
	return tree(p, func(n *physical.Node) string { return line(n) + sharedText(shared, n) })
}

// sharedText says that a node's rows come from another query.
func sharedText(shared map[int]string, n *physical.Node) string {
	if by, ok := shared[n.ID]; ok {
		return "  shared with " + by
	}
	return ""
}

// tree draws the plan with a line for each node.
func tree(p *physical.Plan, line func(*physical.Node) string) string {
	var b strings.Builder
	seen := map[*physical.Node]bool{}
	var walk func(n *physical.Node, first, rest string)
	walk = func(n *physical.Node, first, rest string) {
		if seen[n] {
			b.WriteString(fmt.Sprintf("%s%s %d: the same as above, computed once\n", first, n.Kind, n.ID))
			return
		}
		seen[n] = true
		b.WriteString(first + line(n) + "\n")
		inputs := n.Inputs
		if n.Source != nil && n.Source.Recursion != nil {
			inputs = []*physical.Node{n.Source.Recursion.Plan.Root}
		}
		for i, in := range inputs {
			if i == len(inputs)-1 {
				walk(in, rest+"└─ ", rest+"   ")
			} else {
				walk(in, rest+"├─ ", rest+"│  ")
			}
		}
	}
	walk(p.Root, "", "")
	return b.String()
}

// line is one node of Text.
func line(n *physical.Node) string {
	return strings.TrimSpace(fmt.Sprintf("%s %d: %s", n.Kind, n.ID, Spec(n))) + "  [" + strings.Join(Properties(n), "; ") + "]"
}

// JSON is the plan, with all that it says.
func JSON(p *physical.Plan) string { return asJSON(p) }

// Dot is the plan as a Graphviz graph; rows flow along the arrows.
func Dot(p *physical.Plan) string {
	return dot(p, "", func(*physical.Node) string { return "" })
}

// dot draws the plan; more is what a box has besides, title what the graph has.
func dot(p *physical.Plan, title string, more func(*physical.Node) string) string {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=BT;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	if title != "" {
		fmt.Fprintf(&b, "  label=\"%s\";\n", dotEscaper.Replace(title))
	}
	physical.Walk(p.Root, func(n *physical.Node) bool {
		label := fmt.Sprintf("%s %d\n%s\n%s", n.Kind, n.ID, Spec(n), strings.Join(Properties(n), "; ")) + more(n)
		fmt.Fprintf(&b, "  n%d [label=\"%s\"];\n", n.ID, dotEscaper.Replace(label))
		for _, in := range n.Inputs {
			fmt.Fprintf(&b, "  n%d -> n%d;\n", in.ID, n.ID)
		}
		return true
	})
	b.WriteString("}\n")
	return b.String()
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
