package plantest

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/types"
)

// setOp counts each row in every input.
func (db Database) setOp(n *logical.SetOp) (out []Row) {
	counts, rows, order := make([]map[string]int, len(n.Ins)), map[string]Row{}, []string{}
	for i, in := range n.Ins {
		counts[i] = map[string]int{}
		for _, r := range db.Rows(in) {
			o := Row{}
			for k, c := range n.Cols {
				o[c.ID] = r[n.From[i][k]]
			}
			t := Text(o, n.Cols)
			if counts[i][t]++; rows[t] == nil {
				rows[t], order = o, append(order, t)
			}
		}
	}
	for _, t := range order {
		left := counts[0][t]
		for _, c := range counts[1:] {
			switch {
			case n.Kind == bind.Intersect:
				left = min(left, c[t])
			case n.All:
				left -= c[t]
			case c[t] > 0:
				left = 0
			}
		}
		if !n.All {
			left = min(left, 1)
		}
		for range max(left, 0) {
			out = append(out, rows[t])
		}
	}
	return out
}

// setOpNode computes a physical set operation by its logical twin.
func (db Database) setOpNode(n *physical.Node) []Row {
	s := &logical.SetOp{All: n.SetOp.All, Cols: positions(n.Fields)}
	if n.SetOp.Kind == physical.Except {
		s.Kind = bind.Except
	}
	for i := range n.Inputs {
		s.Ins = append(s.Ins, db.below(n, i))
		ids := make([]int, len(n.Fields))
		for k := range ids {
			ids[k] = k
		}
		s.From = append(s.From, ids)
	}
	return db.Rows(s)
}

// setOp has one column, as union.
func (g *Generator) setOp(depth int) logical.Node {
	s := &logical.SetOp{Kind: bind.SetOpKind(g.pick(2)), All: g.pick(2) == 0, Cols: []logical.Col{{ID: g.next(), Name: "s", Type: types.MakeBigInt()}}}
	for range g.pick(2) + 2 {
		in := g.node(depth - 1)
		cols := in.Columns()
		s.Ins, s.From = append(s.Ins, in), append(s.From, []int{cols[g.pick(len(cols))].ID})
	}
	return s
}
