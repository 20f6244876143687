// Package build makes the physical plan of a logical tree: columns become
// positions, filters and projections fuse into Maps, and Shuffles bring together
// what an operator must see together.
//
// It works by demand: each operator asks its input for exactly the columns it
// reads, in the order it wants them, and a Map is made only where the input does
// not give just that already.
//
// A Shuffle is never left out, not even after an equal one. It could be where
// the rows stand by the same key columns, of the same types, unchanged since the
// last Shuffle (the join of two aggregates on their grouping keys): equal values
// then hash to the same logical partition. But the stages on both sides of the
// missing Shuffle would have to keep the same ranges of partitions for ever, so
// this stays with whoever can promise that.
package build

import (
	"fmt"
	"slices"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/expr"
)

// Plan makes the plan of t. In a continuous one, what state grows without bound
// is named.
func Plan(t *logical.Tree, derived *logical.Deriver, continuous bool) (*physical.Plan, error) {
	b := &builder{derived: derived, continuous: continuous, tables: map[uint64]*catalog.Table{}}
	props := derived.Props(t.Root)
	want := slices.Clone(t.Out)
	if s, ok := t.Root.(*logical.Sort); ok {
		want = append(want, hidden(s, t.Out)...)
	}
	r, err := b.node(t.Root, want)
	if err != nil {
		return nil, err
	}
	root := r.give(want)
	p := &physical.Plan{Version: physical.Version, Root: root, AppendOnly: props.AppendOnly, Grows: continuous && props.Grows}
	for i, c := range t.Out {
		root.Fields[i].Name = c.Name
		p.Output = append(p.Output, physical.Field{Name: c.Name, Type: root.Fields[i].Type})
	}
	p.Times = resultTimes(props.Times, t.Out)
	p.Key = resultKey(positions(props.Keys, t.Out), len(t.Out))
	if !continuous {
		noteEquals(root)
		b.chooseIndexes(root)
	}
	share(root)
	physical.Number(root)
	return p, nil
}

// hidden are the sort keys that are no output columns.
func hidden(s *logical.Sort, out []logical.Col) []logical.Col {
	var cols []logical.Col
	for _, k := range s.Keys {
		is := func(c logical.Col) bool { return c.ID == k.Col }
		if !slices.ContainsFunc(out, is) && !slices.ContainsFunc(cols, is) {
			all := s.Columns()
			cols = append(cols, all[slices.IndexFunc(all, is)])
		}
	}
	return cols
}

// resultKey picks the first of the shortest keys. A result of at most one row is
// unique by any column.
func resultKey(keys [][]int, columns int) []int {
	if len(keys) == 0 || columns == 0 {
		return nil
	}
	if len(keys[0]) == 0 {
		return []int{0}
	}
	return keys[0]
}

// resultTimes are the columns of the result that are bound to a watermark.
func resultTimes(times map[int]physical.Time, out []logical.Col) map[int]physical.Time {
	var found map[int]physical.Time
	for i, c := range out {
		if t, ok := times[c.ID]; ok {
			if found == nil {
				found = map[int]physical.Time{}
			}
			found[i] = t
		}
	}
	return found
}

type builder struct {
	derived    *logical.Deriver
	continuous bool
	tables     map[uint64]*catalog.Table // that are read, by id
}

// rel is a physical node whose rows may still have to be filtered and computed.
type rel struct {
	node   *physical.Node
	at     map[int]int // column id → position in node's fields
	order  []int       // column id of each field
	filter []*expr.Expr
	items  map[int]logical.Computed // computed columns by id; they read node's fields
	props  *logical.Props
}

// over makes a rel of a finished node that gives cols.
func over(n *physical.Node, cols []logical.Col, props *logical.Props) *rel {
	r := &rel{node: n, at: make(map[int]int, len(cols)), items: map[int]logical.Computed{}, props: props}
	for i, c := range cols {
		if _, ok := r.at[c.ID]; !ok {
			r.at[c.ID] = i
		}
		r.order = append(r.order, c.ID)
	}
	return r
}

// node builds n. What stands above reads the columns want, and maybe others of n.
func (b *builder) node(n logical.Node, want []logical.Col) (*rel, error) {
	switch n := n.(type) {
	case *logical.Scan:
		return b.scan(n), nil
	case *logical.Values:
		return b.values(n), nil
	case *logical.Recursion:
		return b.recursion(n), nil
	case *logical.Filter:
		return b.filter(n, want)
	case *logical.Project:
		return b.project(n)
	case *logical.Aggregate:
		return b.aggregate(n)
	case *logical.Distinct:
		return b.distinct(n)
	case *logical.Join:
		return b.join(n, want)
	case *logical.TimedJoin:
		return b.timedJoin(n, want)
	case *logical.Expand:
		return b.expand(n, want)
	case *logical.Union:
		return b.union(n)
	case *logical.Sort:
		return b.sort(n, want)
	case *logical.Window:
		return b.window(n, want)
	case *logical.Unfold:
		return b.unfold(n, want)
	case *logical.TimeFilter:
		return b.timeFilter(n, want)
	case *logical.Emit:
		return b.emit(n, want)
	case *logical.SetOp:
		return b.setOp(n)
	case *logical.TopN:
		return b.topN(n, want)
	case *logical.Over:
		return b.over(n, want)
	}
	return nil, fmt.Errorf("plan: unknown node %T", n)
}

func (b *builder) scan(n *logical.Scan) *rel {
	props := b.derived.Props(n)
	b.tables[uint64(n.Table.ID)] = n.Table
	node := &physical.Node{
		Kind:   physical.Source,
		Fields: fields(n.Cols),
		Source: &physical.SourceSpec{Table: uint64(n.Table.ID), Name: nameOf(n.Table), Columns: n.Positions},
		Props:  propsOf(props, n.Cols),
	}
	if n.Changes != nil {
		node.Source.Changes = &physical.ChangesSpec{After: n.Changes.After}
	}
	return over(node, n.Cols, props)
}

// nameOf is how people know a table: a working table has no database.
func nameOf(t *catalog.Table) string {
	if t.Database == "" {
		return t.Name
	}
	return t.Database + "." + t.Name
}

func (b *builder) values(n *logical.Values) *rel {
	props := b.derived.Props(n)
	node := &physical.Node{Kind: physical.Values, Fields: fields(n.Cols), Values: n.Rows, Props: propsOf(props, n.Cols)}
	if len(n.Rows) == 1 && len(n.Cols) == 0 {
		node.Kind, node.Values = physical.Source, nil
		node.Source = &physical.SourceSpec{Columns: []int{}}
	}
	return over(node, n.Cols, props)
}

func (b *builder) filter(n *logical.Filter, want []logical.Col) (*rel, error) {
	r, err := b.node(n.Input, reading(n.Input, want, n.Conds))
	if err != nil {
		return nil, err
	}
	computed := logical.ColSet{}
	for id := range r.items {
		computed[id] = true
	}
	for _, e := range n.Conds {
		if computed.ReadsAny(e) { // the filter needs what is only computed here
			cols := reading(n.Input, want, n.Conds)
			r = over(r.give(cols), cols, r.props)
			break
		}
	}
	for _, e := range n.Conds {
		r.filter = append(r.filter, r.position(e))
	}
	r.props = b.derived.Props(n)
	return r, nil
}

func (b *builder) project(n *logical.Project) (*rel, error) {
	need := logical.ColSet{}
	for _, it := range n.Items {
		it.Expr.Columns(need)
	}
	cols := pick(n.Input.Columns(), need)
	r, err := b.node(n.Input, cols)
	if err != nil {
		return nil, err
	}
	if len(r.items) > 0 { // to be computed once, then read several times
		r = over(r.give(cols), cols, r.props)
	}
	for _, it := range n.Items {
		if !logical.IsPassThrough(it) {
			r.items[it.ID] = logical.Computed{Col: it.Col, Expr: r.position(it.Expr)}
		}
	}
	r.props = b.derived.Props(n)
	return r, nil
}

// position is e with columns as positions in r's node.
func (r *rel) position(e *expr.Expr) *expr.Expr {
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op != expr.OpColumn || x.Col == r.at[x.Col] {
			return x
		}
		c := *x
		c.Col = r.at[x.Col]
		return &c
	})
}

// give is a node whose fields are exactly cols: r's own if it has just these and
// nothing is left to do, else a Map over it.
func (r *rel) give(cols []logical.Col) *physical.Node {
	spec := &physical.MapSpec{Filter: r.filter}
	identity := len(cols) == len(r.order)
	for i, c := range cols {
		_, computed := r.items[c.ID]
		identity = identity && !computed && r.order[i] == c.ID
	}
	if identity && len(r.filter) == 0 {
		return r.node
	}
	if !identity {
		spec.Project = make([]*expr.Expr, len(cols))
		for i, c := range cols {
			if it, ok := r.items[c.ID]; ok {
				spec.Project[i] = it.Expr
			} else {
				pos := r.at[c.ID]
				spec.Project[i] = expr.NewColumn(pos, r.node.Fields[pos].Name, r.node.Fields[pos].Type)
			}
		}
	}
	return &physical.Node{
		Kind: physical.Map, Inputs: []*physical.Node{r.node}, Fields: fields(cols), Map: spec, Props: propsOf(r.props, cols),
	}
}

// reading are the columns of n among want, and those that the conditions read.
func reading(n logical.Node, want []logical.Col, conds []*expr.Expr) []logical.Col {
	need := logical.SetOf(want)
	for _, e := range conds {
		e.Columns(need)
	}
	return pick(n.Columns(), need)
}

func pick(cols []logical.Col, need logical.ColSet) []logical.Col {
	out := make([]logical.Col, 0, len(cols))
	for _, c := range cols {
		if need[c.ID] {
			out = append(out, c)
		}
	}
	return out
}

func fields(cols []logical.Col) []physical.Field {
	fs := make([]physical.Field, len(cols))
	for i, c := range cols {
		fs[i] = physical.Field{Name: c.Name, Type: c.Type}
	}
	return fs
}
