package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"streamsql/planner/physical"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
)

// share makes one of nodes below root that compute the same of the same, where
// they keep state: it is kept once, and read by all. (A CTE used twice, the same
// subquery in two places.) Names do not count, positions do.
func share(root *physical.Node) {
	if !worthSharing(root) {
		return
	}
	s := sharer{class: map[string]int{}, first: map[int]*physical.Node{}, of: map[*physical.Node]int{}, keeps: map[*physical.Node]bool{}}
	s.visit(root)
}

// worthSharing reports that an object is read twice and two nodes keep state: else
// there is nothing to look for.
func worthSharing(root *physical.Node) bool {
	tables, stateful, again := map[uint64]bool{}, 0, false
	physical.Walk(root, func(n *physical.Node) bool {
		if n.Props.State != "" {
			stateful++
		}
		if n.Kind == physical.Source {
			again = again || tables[n.Source.Table]
			tables[n.Source.Table] = true
		}
		return true
	})
	return again && stateful > 1
}

type sharer struct {
	class map[string]int         // what a node computes → its number
	first map[int]*physical.Node // the node that computes it
	of    map[*physical.Node]int
	keeps map[*physical.Node]bool // it, or a node below, keeps state
}

// visit puts the first of its class in the place of each node below n, and says
// what stands for n itself.
func (s *sharer) visit(n *physical.Node) *physical.Node {
	keeps, text := n.Props.State != "", strings.Builder{}
	for i, in := range n.Inputs {
		n.Inputs[i] = s.visit(in)
		keeps = keeps || s.keeps[n.Inputs[i]]
		fmt.Fprintf(&text, "%d ", s.of[n.Inputs[i]])
	}
	text.WriteString(Computes(n))
	k, known := s.class[text.String()]
	if !known || changing(n) {
		k = len(s.first) + 1
		s.class[text.String()], s.first[k] = k, n
	}
	s.of[n], s.keeps[n] = k, keeps
	// A Shuffle is where a stage ends: what it shuffles is shared instead.
	if f := s.first[k]; keeps && n.Kind != physical.Shuffle {
		return f
	}
	return n
}

// Computes is what a node does with its inputs, without what people read: nodes for
// which it is equal give the same rows of the same.
func Computes(n *physical.Node) string {
	c := *n
	c.ID, c.Inputs, c.Props = 0, nil, physical.Props{}
	b, err := json.Marshal(&c)
	if err != nil {
		return fmt.Sprintf("%p", n)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber() // a float64 would take large constants for equal
	if d.Decode(&v) != nil {
		return fmt.Sprintf("%p", n)
	}
	b, err = json.Marshal(nameless(v))
	if err != nil {
		return fmt.Sprintf("%p", n)
	}
	return string(b)
}

func nameless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "name")
		for k, x := range v {
			v[k] = nameless(x)
		}
	case []any:
		for i, x := range v {
			v[i] = nameless(x)
		}
	}
	return v
}

// changing reports an expression with a value of its own each time (RAND).
func changing(n *physical.Node) bool {
	if n.Map == nil {
		return false
	}
	found := false
	for _, list := range [][]*expr.Expr{n.Map.Filter, n.Map.Project} {
		for _, e := range list {
			e.Walk(func(x *expr.Expr) bool {
				found = found || x.Op == expr.OpCall && !builtin.Deterministic(x.Fn)
				return !found
			})
		}
	}
	return found
}
