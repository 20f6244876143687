package plantest

import (
	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/types"
)

// WindowBounds draws a join of rows with windows over other rows, on a column that
// lies between the bounds of a window, or nearly so: strict or not, mirrored, with a
// bound of another window, or with none.
func (g *Generator) WindowBounds() *logical.Tree {
	windows := g.windowed()
	w := windows.(*logical.Window)
	switch g.pick(4) {
	case 0:
		windows = &logical.Aggregate{Input: w, Keys: []logical.Col{w.Start, w.End}, Aggs: []logical.Agg{call(g.next(), "count")}}
	case 1:
		windows = logical.NewFilter(w, g.conds(w.Columns()))
	}
	var rows logical.Node = g.leaf()
	switch g.pick(4) {
	case 0:
		rows = g.project(rows)
	case 1:
		rows = g.windowed()
	}
	j := &logical.Join{Kind: []logical.JoinKind{logical.InnerJoin, logical.InnerJoin, logical.InnerJoin, logical.LeftJoin, logical.SemiJoin}[g.pick(5)], Left: rows, Right: windows}
	cols := rows.Columns()
	time := logical.Ref(cols[g.pick(len(cols))])
	from, to := []string{"<=", "<=", "<=", "<", "="}[g.pick(5)], []string{"<", "<", "<", "<="}[g.pick(4)]
	start, end := logical.Ref(w.Start), logical.Ref(w.End)
	if g.pick(8) == 0 {
		start, end = end, start
	}
	mirror := map[string]string{"<=": ">=", "<": ">", "=": "="}
	switch first := is(from, start, time); g.pick(6) {
	case 0:
	case 1:
		j.On = append(j.On, is(mirror[from], time, start))
	default:
		j.On = append(j.On, first)
	}
	switch last := is(to, time, end); g.pick(6) {
	case 0:
	case 1:
		j.On = append(j.On, is(mirror[to], end, time))
	default:
		j.On = append(j.On, last)
	}
	if g.pick(3) == 0 {
		both := append(append([]logical.Col(nil), cols...), windows.Columns()...)
		j.On = append(j.On, g.cond(both, 1))
	}
	if g.pick(3) == 0 {
		right := windows.Columns()
		j.Keys = append(j.Keys, logical.JoinKey{Left: cols[g.pick(len(cols))], Right: right[g.pick(len(right))]})
	}
	if g.pick(2) == 0 && j.Kind == logical.InnerJoin {
		j.Left, j.Right = j.Right, j.Left
		for i, k := range j.Keys {
			j.Keys[i] = logical.JoinKey{Left: k.Right, Right: k.Left}
		}
	}
	return &logical.Tree{Root: j, Out: g.subset(j.Columns()), IDs: g.IDs()}
}

// windowed puts tumbling or, now and then, hopping windows over a leaf.
func (g *Generator) windowed() logical.Node {
	in := g.leaf()
	cols := in.Columns()
	w := &logical.Window{Input: in, Kind: bind.Tumble, Time: cols[g.pick(len(cols))], Size: int64(1 + g.pick(3)), Offset: int64(g.pick(4) - 1)}
	if w.Slide = w.Size; g.pick(4) == 0 {
		w.Kind, w.Size = bind.Hop, 2*w.Slide
	}
	bound := types.MakeBigInt()
	bound.NotNull = true
	w.Start, w.End = column(g.next(), "window_start", bound), column(g.next(), "window_end", bound)
	return w
}

// window is the rows of n's input in each window that has them.
func (db Database) window(n *logical.Window) (out []Row) {
	for _, r := range db.Rows(n.Input) {
		at := r[n.Time.ID]
		if at == nil {
			continue
		}
		// No window that has it starts before this.
		for start := n.Offset + floor(*at-n.Offset, n.Slide) - n.Size; start <= *at; start += n.Slide {
			if *at >= start+n.Size {
				continue
			}
			w := Row{n.Start.ID: num(start), n.End.ID: num(start + n.Size)}
			for id, v := range r {
				w[id] = v
			}
			out = append(out, w)
		}
	}
	return out
}

// floor is the greatest multiple of n that is not above x.
func floor(x, n int64) int64 {
	if r := x % n; r < 0 {
		return x - r - n
	} else {
		return x - r
	}
}
