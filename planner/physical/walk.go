package physical

import "slices"

// Walk calls f on n and everything below it, parents first (the order of the
// ids), on a node that several read once; f returns false to leave out what is
// below.
func Walk(n *Node, f func(*Node) bool) {
	seen := map[*Node]bool{}
	var walk func(n *Node)
	walk = func(n *Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if !f(n) {
			return
		}
		for _, in := range n.Inputs {
			walk(in)
		}
	}
	walk(n)
}

// Number gives the nodes their ids, in pre-order from 1.
func Number(root *Node) {
	id := 0
	Walk(root, func(n *Node) bool {
		id++
		n.ID = id
		return true
	})
}

// Tables lists the ids of the catalog objects that the plan reads, each once, in
// the order of the plan; those of recursions within it are not among them.
func (p *Plan) Tables() []uint64 {
	var ids []uint64
	seen := map[uint64]bool{0: true}
	Walk(p.Root, func(n *Node) bool {
		if n.Kind == Source && !seen[n.Source.Table] && n.Source.Table < LocalTable {
			seen[n.Source.Table] = true
			ids = append(ids, n.Source.Table)
		}
		return true
	})
	return ids
}

// HasWindows reports whether the plan puts rows into windows of time.
func (p *Plan) HasWindows() bool {
	found := false
	Walk(p.Root, func(n *Node) bool {
		found = found || n.Kind == Window || n.Kind == Session
		return !found
	})
	return found
}

// Reads reports whether the plan reads a column of a catalog object, by its place.
func (p *Plan) Reads(table uint64, column int) bool {
	found := false
	Walk(p.Root, func(n *Node) bool {
		found = found || n.Kind == Source && n.Source.Table == table && slices.Contains(n.Source.Columns, column)
		return !found
	})
	return found
}
