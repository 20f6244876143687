package logical

import (
	"slices"

	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
)

// maxKeys bounds how many unique keys of a node are kept: each join multiplies them.
const maxKeys = 8

// Props are what is known of a node's output.
type Props struct {
	// Keys: each a set of column ids, ascending, that are unique together (NULLs
	// being equal). An empty set means that there is at most one row.
	Keys [][]int
	// AppendOnly: no retraction comes out.
	AppendOnly bool
	// Grows: the number of rows has no bound but time.
	Grows bool
	// Times are the columns, by id, that are bound to a watermark. State that has
	// one among its key columns may go when the watermark passes.
	Times map[int]physical.Time
}

// HasKeyIn reports whether the columns of set are unique together.
func (p *Props) HasKeyIn(set ColSet) bool {
	return slices.ContainsFunc(p.Keys, func(key []int) bool { return within(key, set) })
}

// OneRow reports that there is at most one row.
func (p *Props) OneRow() bool { return p.HasKeyIn(nil) }

// Deriver finds properties, once for each node.
type Deriver struct {
	oneBatch bool
	memo     map[Node]*Props
}

// NewDeriver makes a Deriver for trees of one-off queries, in which all there is
// comes in one batch (so that what gives its rows at the end of a batch takes
// none back), or of continuous ones.
func NewDeriver(continuous bool) *Deriver {
	return &Deriver{oneBatch: !continuous, memo: map[Node]*Props{}}
}

// Props are n's properties.
func (d *Deriver) Props(n Node) *Props {
	if p, ok := d.memo[n]; ok {
		return p
	}
	p := d.derive(n)
	p.Keys = minimal(p.Keys)
	p.Times = d.times(n)
	d.memo[n] = p
	return p
}

func (d *Deriver) derive(n Node) *Props {
	switch n := n.(type) {
	case *Scan:
		return &Props{Keys: scanKeys(n), AppendOnly: n.AppendOnly, Grows: n.Grows}
	case *Values:
		p := &Props{AppendOnly: true}
		if len(n.Rows) <= 1 {
			p.Keys = [][]int{{}}
		}
		return p
	case *Recursion:
		p := &Props{AppendOnly: true}
		if u, ok := n.Of.Query.Root.(*bind.Union); ok && u.Distinct {
			p.Keys = [][]int{idsOf(n.Cols)}
		}
		return p
	case *Filter:
		in := d.Props(n.Input)
		return &Props{Keys: without(in.Keys, fixed(n.Conds)), AppendOnly: in.AppendOnly, Grows: in.Grows}
	case *Project:
		in := d.Props(n.Input)
		return &Props{Keys: projectKeys(in.Keys, n.Items), AppendOnly: in.AppendOnly, Grows: in.Grows}
	case *Aggregate:
		in := d.Props(n.Input)
		keys := [][]int{idsOf(n.Keys)}
		for _, k := range in.Keys {
			if within(k, SetOf(n.Keys)) {
				keys = append(keys, k)
			}
		}
		keys = append(d.outlast(keys, n.Input, keys[0]), n.Unique...)
		return &Props{Keys: keys, AppendOnly: d.oneBatch || len(n.Aggs) == 0 && in.AppendOnly && !folds(n.Keys), Grows: in.Grows && len(n.Keys) > 0}
	case *Distinct:
		in := d.Props(n.Input)
		keys := d.outlast(append(slices.Clip(in.Keys), idsOf(n.Columns())), n.Input, idsOf(n.Columns()))
		return &Props{Keys: keys, AppendOnly: in.AppendOnly && !folds(n.Columns()) || d.oneBatch, Grows: in.Grows}
	case *Sort:
		in := d.Props(n.Input)
		p := &Props{Keys: in.Keys, AppendOnly: d.oneBatch, Grows: in.Grows && n.Limit < 0}
		if n.Limit == 0 || n.Limit == 1 {
			p.Keys = [][]int{{}}
		}
		return p
	case *TopN:
		return d.topN(n)
	case *Expand:
		return d.expand(n)
	case *Over:
		return d.over(n)
	case *Union:
		return d.union(n)
	case *SetOp:
		return d.setOp(n)
	case *Join:
		return d.join(n)
	case *TimedJoin:
		return d.timedJoin(n)
	case *Window:
		return d.window(n)
	case *Unfold:
		return d.unfold(n)
	case *Emit:
		return d.emit(n)
	case *TimeFilter:
		return d.timeFilter(n)
	}
	return &Props{Grows: true} // nothing is known
}

// expand: a row is told from its other copies by the number of the set.
func (d *Deriver) expand(n *Expand) *Props {
	p := *d.Props(n.Input)
	keys := p.Keys
	p.Keys = nil
	for _, k := range keys {
		p.Keys = append(p.Keys, sorted(append(slices.Clone(k), n.ID.ID)))
	}
	return &p
}

func (d *Deriver) union(n *Union) *Props {
	p := &Props{AppendOnly: true}
	for _, in := range n.Ins {
		q := d.Props(in)
		p.AppendOnly = p.AppendOnly && q.AppendOnly
		p.Grows = p.Grows || q.Grows
	}
	return p
}

// setOp: without ALL no two rows are equal; and what the result has, the first
// input has as well, as INTERSECT's all inputs have, with their keys. A further
// row takes nothing back of an INTERSECT, but it does of an EXCEPT; and where values
// fold, a lesser form takes the place of the one that was shown.
func (d *Deriver) setOp(n *SetOp) *Props {
	p := &Props{AppendOnly: d.oneBatch || n.Kind == bind.Intersect && !folds(n.Cols)}
	if !n.All {
		p.Keys = append(p.Keys, idsOf(n.Cols))
	}
	for i, in := range n.Ins {
		q := d.Props(in)
		p.AppendOnly = p.AppendOnly && (q.AppendOnly || d.oneBatch)
		p.Grows = p.Grows || q.Grows
		if i > 0 && n.Kind == bind.Except {
			continue
		}
		to := make([]Computed, len(n.Cols))
		for k, id := range n.From[i] {
			to[k] = Computed{Col: n.Cols[k], Expr: expr.NewColumn(id, "", n.Cols[k].Type)}
		}
		p.Keys = append(p.Keys, projectKeys(q.Keys, to)...)
	}
	return p
}

// join: a row is known by a key of each side. If the columns joined on hold a
// key of one side, a row of the other meets at most one of it, and the other's
// key is enough, unless the one side's rows stand alone too. A row that met none
// is told by its NULLs. A semi or anti join only leaves rows of the left out.
func (d *Deriver) join(n *Join) *Props {
	l, r := d.Props(n.Left), d.Props(n.Right)
	p := &Props{AppendOnly: l.AppendOnly && r.AppendOnly && (d.oneBatch || n.Kind == InnerJoin || n.Kind == SemiJoin), Grows: l.Grows || r.Grows}
	if n.Kind.LeftOnly() {
		p.Keys, p.Grows = d.outlastJoin(l.Keys, n), l.Grows
		return p
	}
	left, right := ColSet{}, ColSet{}
	for _, k := range n.Keys {
		left[k.Left.ID], right[k.Right.ID] = true, true
	}
	if r.HasKeyIn(right) && !n.Kind.PadsLeft() {
		p.Keys = append(p.Keys, l.Keys...)
	}
	if l.HasKeyIn(left) && !n.Kind.PadsRight() {
		p.Keys = append(p.Keys, r.Keys...)
	}
	never := notNull(n)
	for _, lk := range l.Keys {
		for _, rk := range r.Keys {
			if n.Kind == FullJoin && !slices.ContainsFunc(slices.Concat(lk, rk), func(id int) bool { return never[id] }) {
				continue // a row of each side, both padded, may be NULL in all of the key
			}
			p.Keys = append(p.Keys, sorted(append(slices.Clone(lk), rk...)))
		}
	}
	p.Keys = d.outlastJoin(p.Keys, n)
	return p
}

// notNull are the columns of a join's inputs that are never NULL there.
func notNull(n *Join) ColSet {
	set := ColSet{}
	for _, in := range n.Inputs() {
		for _, c := range in.Columns() {
			if c.Type.NotNull {
				set[c.ID] = true
			}
		}
	}
	return set
}

// scanKeys are the primary and the unique keys whose columns are read. A unique
// key with a column that may be NULL admits many such rows, so it is none.
func scanKeys(s *Scan) [][]int {
	at := map[int]Col{}
	for i, pos := range s.Positions {
		at[pos] = s.Cols[i]
	}
	var keys [][]int
	add := func(positions []int, nullable bool) {
		var key []int
		for _, pos := range positions {
			c, ok := at[pos]
			if !ok || !nullable && !c.Type.NotNull {
				return
			}
			key = append(key, c.ID)
		}
		if len(key) > 0 {
			keys = append(keys, sorted(key))
		}
	}
	add(s.Table.Primary, true) // NULLs in a view's key are equal
	for _, u := range s.Table.Unique {
		add(u.Columns, false)
	}
	return keys
}

// fixed are the columns that conditions tie to one value.
func fixed(conds []*expr.Expr) ColSet {
	set := ColSet{}
	for _, c := range conds {
		if c.Op != expr.OpCall || c.Fn != "=" && c.Fn != "<=>" || len(c.Args) != 2 {
			continue
		}
		a, b := c.Args[0], c.Args[1]
		if a.Op == expr.OpConst || a.Op == expr.OpParam {
			a, b = b, a
		}
		if a.Op == expr.OpColumn && (b.Op == expr.OpConst || b.Op == expr.OpParam) {
			set[a.Col] = true
		}
	}
	return set
}

func projectKeys(keys [][]int, items []Computed) [][]int {
	to := map[int]int{}
	for _, it := range items {
		e := builtin.Kept(it.Expr)
		if e.Op != expr.OpColumn {
			continue
		}
		if _, ok := to[e.Col]; !ok || IsPassThrough(it) {
			to[e.Col] = it.ID
		}
	}
	var out [][]int
next:
	for _, key := range keys {
		k := make([]int, len(key))
		for i, id := range key {
			o, ok := to[id]
			if !ok {
				continue next
			}
			k[i] = o
		}
		out = append(out, sorted(k))
	}
	return out
}

// minimal drops keys that hold another one, and all beyond the first maxKeys of
// the shortest.
func minimal(keys [][]int) [][]int {
	keys = slices.Clone(keys)
	slices.SortStableFunc(keys, func(a, b []int) int { return len(a) - len(b) })
	var out [][]int
	for _, k := range keys {
		set := ColSet{}
		for _, id := range k {
			set[id] = true
		}
		if len(out) < maxKeys && !slices.ContainsFunc(out, func(o []int) bool { return within(o, set) }) {
			out = append(out, k)
		}
	}
	return out
}

func without(keys [][]int, set ColSet) [][]int {
	if len(set) == 0 {
		return keys
	}
	out := make([][]int, len(keys))
	for i, k := range keys {
		out[i] = slices.DeleteFunc(slices.Clone(k), func(id int) bool { return set[id] })
	}
	return out
}

func within(key []int, set ColSet) bool {
	for _, id := range key {
		if !set[id] {
			return false
		}
	}
	return true
}

func idsOf(cols []Col) []int {
	ids := make([]int, len(cols))
	for i, c := range cols {
		ids[i] = c.ID
	}
	return sorted(ids)
}

func sorted(ids []int) []int {
	slices.Sort(ids)
	return slices.Compact(ids)
}
