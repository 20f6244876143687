package logical

import (
	"fmt"
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/planner/physical"
	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Tree is a query in logical form.
type Tree struct {
	Root Node
	// Out are the columns of the result, in order, by their ids in Root and under
	// the names that the user sees. A column may be there twice.
	Out []Col
	// IDs gives out further column ids.
	IDs *IDs
}

// Options of Build.
type Options struct {
	Continuous bool
	// AppendOnly says of a catalog object whether what it gives never retracts.
	AppendOnly func(*catalog.Table) bool
	// Grows says of a catalog object whether its rows become ever more; nil: of none.
	Grows func(*catalog.Table) bool
	// Times says of a catalog object which columns, by position, are bound to a
	// watermark; nil: of none.
	Times func(*catalog.Table) map[int]physical.Time
	// Lateness is how long after its end a window takes rows, in microseconds.
	Lateness int64
	// KeepLate: a window keeps all that is needed to tell of a row that it leaves out.
	KeepLate bool
}

// Build turns a bound query into a tree. Columns that the bound tree only
// renames get the id of the column they stand for, computed grouping keys and
// arguments of aggregates become columns of a Project, an ORDER BY that nobody
// can see is dropped.
func Build(q *bind.Query, o Options) (*Tree, error) {
	b := &builder{
		Options: o, ids: &IDs{next: 1}, alias: map[int]int{}, names: map[string]int{},
		subs: q.Subqueries, constants: map[int]*expr.Expr{}, built: map[*bind.Query]bool{},
	}
	b.useQuery(q)
	b.useSubqueries()
	root, err := b.query(q, true)
	if err != nil {
		return nil, err
	}
	cols, out := byID(root.Columns()), make([]Col, len(q.Out))
	for i, c := range q.Out {
		in, ok := cols[b.resolve(c.ID)]
		if !ok {
			return nil, fmt.Errorf("plan: output column %s#%d is not there", c.Name, c.ID)
		}
		in.Name = c.Name
		out[i] = in
	}
	return &Tree{Root: root, Out: out, IDs: b.ids}, nil
}

type builder struct {
	Options
	ids   *IDs
	alias map[int]int    // id of a renamed column → id of the column it stands for
	names map[string]int // column name in lower case → how many scans have it

	subs      []*bind.Subquery     // the statement's, by number
	constants map[int]*expr.Expr   // what a subquery's parameter stands for that is no column
	outer     map[int]Col          // columns of what a subquery or LATERAL is built beside
	built     map[*bind.Query]bool // subqueries built once already
	applied   []applied
}

func (b *builder) resolve(id int) int {
	for {
		to, ok := b.alias[id]
		if !ok {
			return id
		}
		id = to
	}
}

// expr is e over the columns of in: each with its id, name and nullability there.
func (b *builder) expr(e *expr.Expr, in map[int]Col) (*expr.Expr, error) {
	var missing *expr.Expr
	r := e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op != expr.OpColumn {
			return x
		}
		if e, ok := b.constants[x.Col]; ok {
			return e
		}
		c, ok := in[b.resolve(x.Col)]
		if !ok {
			c, ok = b.outer[b.resolve(x.Col)]
		}
		if !ok {
			missing = x
			return x
		}
		if c.ID == x.Col && c.Type == x.Type && c.Name == x.Name {
			return x
		}
		return Ref(c)
	})
	if missing != nil {
		return nil, fmt.Errorf("plan: column %s#%d is not there", missing.Name, missing.Col)
	}
	return r, nil
}

func (b *builder) exprs(list []*expr.Expr, in Node) ([]*expr.Expr, error) {
	cols := byID(in.Columns())
	out := make([]*expr.Expr, len(list))
	for i, e := range list {
		r, err := b.expr(e, cols)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

// query builds a query expression. Only the outermost one's order is seen; below,
// it says which rows a LIMIT keeps.
func (b *builder) query(q *bind.Query, outermost bool) (Node, error) {
	n, err := b.rel(q.Root)
	if err != nil {
		return nil, err
	}
	limited := q.Limit >= 0 || q.Offset > 0
	inOrder := outermost && !b.Continuous
	if !limited && (len(q.OrderBy) == 0 || !inOrder) {
		return n, nil
	}
	order := make([]bind.Order, len(q.OrderBy))
	for i, k := range q.OrderBy {
		order[i] = bind.Order{Col: b.resolve(k.Col), Desc: k.Desc}
	}
	if inOrder {
		return &Sort{Input: n, Keys: order, Limit: q.Limit, Offset: q.Offset}, nil
	}
	return &TopN{Input: n, Order: order, Ties: b.resolveAll(q.Out), Limit: q.Limit, Offset: q.Offset}, nil
}

// resolveAll are the ids of the columns that cols stand for, each once.
func (b *builder) resolveAll(cols []Col) []int {
	var ids []int
	for _, c := range cols {
		if id := b.resolve(c.ID); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (b *builder) rel(r bind.Rel) (Node, error) {
	switch r := r.(type) {
	case *bind.Scan:
		return b.scan(r), nil
	case *bind.Derived:
		return b.derived(r)
	case *bind.Join:
		return b.join(r)
	case *bind.TimedJoin:
		return b.timedJoin(r)
	case *bind.Select:
		return b.selectBlock(r)
	case *bind.Window:
		return b.windowTable(r)
	case *bind.Unfold:
		return b.unfold(r)
	case *bind.Union:
		return b.union(r)
	case *bind.Recursive:
		return &Recursion{Of: r, Cols: r.Cols}, nil
	case *bind.SetOp:
		return b.setOp(r)
	case *bind.Values:
		return b.values(r)
	}
	return nil, fmt.Errorf("plan: unknown relation %T", r)
}

func (b *builder) scan(r *bind.Scan) Node {
	s := &Scan{Table: r.Table, Cols: slices.Clone(r.Cols), Positions: make([]int, len(r.Cols)), Changes: r.Changes}
	alias := r.Alias
	if alias == "" {
		alias = r.Table.Name
	}
	for i, c := range r.Cols {
		s.Positions[i] = i
		if b.names[strings.ToLower(c.Name)] > 1 { // tell it apart in EXPLAIN
			s.Cols[i].Name = alias + "." + c.Name
		}
	}
	s.AppendOnly = b.AppendOnly(r.Table)
	s.Grows = b.Grows != nil && b.Grows(r.Table)
	if b.Times != nil {
		s.Times = b.Times(r.Table)
	}
	return s
}

func (b *builder) selectBlock(r *bind.Select) (Node, error) {
	var n Node = OneRow()
	var err error
	if r.From != nil {
		if n, err = b.rel(r.From); err != nil {
			return nil, err
		}
	}
	if n, err = b.where(n, r.Where); err != nil {
		return nil, err
	}
	if r.Window != nil {
		if n, err = b.window(n, r.Window); err != nil {
			return nil, err
		}
	}
	if r.Grouped {
		if n, err = b.aggregate(n, r); err != nil {
			return nil, err
		}
		if n, err = b.where(n, r.Having); err != nil {
			return nil, err
		}
	}
	if len(r.Overs) > 0 {
		overs := r.Overs
		if n, overs, err = b.attachToOvers(n, overs); err != nil {
			return nil, err
		}
		if n, err = b.overs(n, overs, r.Own); err != nil {
			return nil, err
		}
	}
	n, items, err := b.attachTo(n, r.Project)
	if err != nil {
		return nil, err
	}
	p := b.project(n)
	for _, it := range items {
		if _, err := p.add(it); err != nil {
			return nil, err
		}
	}
	n = &Project{Input: n, Items: p.items}
	if r.Distinct {
		n = &Distinct{Input: n}
	}
	return n, nil
}

// where keeps the rows for which all conditions are true; those with subqueries
// come last, so that these are asked for fewer rows.
func (b *builder) where(n Node, conds []*expr.Expr) (Node, error) {
	var plain, others []*expr.Expr
	for _, c := range conds {
		if c.HasSubquery() {
			others = append(others, c)
		} else {
			plain = append(plain, c)
		}
	}
	plain, err := b.exprs(plain, n)
	if err != nil {
		return nil, err
	}
	n = NewFilter(n, plain)
	for _, c := range others {
		if n, err = b.condition(n, c); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (b *builder) aggregate(n Node, r *bind.Select) (Node, error) {
	n, arrival := b.arrivalFor(n, r.Aggs)
	n, keys, err := b.attachTo(n, r.GroupBy)
	if err != nil {
		return nil, err
	}
	arguments := make([][]*expr.Expr, len(r.Aggs))
	for i, g := range r.Aggs {
		if n, arguments[i], err = b.attach(n, g.Call.Args); err != nil {
			return nil, err
		}
	}
	p := b.project(n)
	a := &Aggregate{}
	expand := &Expand{Sets: r.Sets, ID: r.SetID}
	seen := ColSet{}
	for _, k := range keys {
		if r.Sets != nil {
			c, err := p.argument(k.Expr)
			if err != nil {
				return nil, err
			}
			key := k.Col
			key.Type = c.Type.Nullable()
			expand.Keys = append(expand.Keys, ExpandKey{Col: key, From: c.ID})
			a.Keys = append(a.Keys, key)
			continue
		}
		c, err := p.add(k)
		if err != nil {
			return nil, err
		}
		if !seen[c.ID] {
			seen[c.ID] = true
			a.Keys = append(a.Keys, c)
		}
	}
	for i, g := range r.Aggs {
		call := g.Call
		call.Args = arguments[i]
		if arrival != nil && byArrival(call) {
			call = orderedBy(call, *arrival)
		}
		call, err := p.arguments(call)
		if err != nil {
			return nil, err
		}
		if same := findAgg(a.Aggs, call); same >= 0 {
			b.alias[g.ID] = a.Aggs[same].ID
			continue
		}
		a.Aggs = append(a.Aggs, Agg{Col: g.Col, Call: call})
	}
	a.Input = &Project{Input: n, Items: p.items}
	if r.Sets != nil {
		expand.Input = a.Input
		a.Input, a.Keys = expand, append(a.Keys, r.SetID)
	}
	return a, nil
}

// findAgg finds the same call among aggs, or gives −1.
func findAgg(aggs []Agg, call agg.Call) int {
	return slices.IndexFunc(aggs, func(a Agg) bool { return a.Call.Same(call) })
}

// projector collects the items of a Project over columns in.
type projector struct {
	b     *builder
	in    map[int]Col
	items []Computed
}

func (b *builder) project(n Node) *projector { return &projector{b: b, in: byID(n.Columns())} }

// add makes the column of it and returns the column as which it can be read: a
// mere renaming makes no column of its own.
func (p *projector) add(it Computed) (Col, error) {
	e, err := p.b.expr(it.Expr, p.in)
	if err != nil {
		return Col{}, err
	}
	if c, ok := p.in[e.Col]; ok && e.Op == expr.OpColumn {
		if it.ID != c.ID {
			p.b.alias[it.ID] = c.ID
		}
		p.push(PassThrough(c))
		return c, nil
	}
	p.push(Computed{Col: it.Col, Expr: e}) // a column of what is around, too
	return it.Col, nil
}

// argument makes a column of e, sharing one that computes the same.
func (p *projector) argument(e *expr.Expr) (Col, error) {
	e, err := p.b.expr(e, p.in)
	if err != nil {
		return Col{}, err
	}
	for _, it := range p.items {
		if expr.Equal(it.Expr, e) {
			return it.Col, nil
		}
	}
	if c, ok := p.in[e.Col]; ok && e.Op == expr.OpColumn {
		return p.add(Computed{Col: c, Expr: e})
	}
	c := Col{ID: p.b.ids.Next(), Name: e.String(), Type: e.Type}
	p.push(Computed{Col: c, Expr: e})
	return c, nil
}

func (p *projector) push(it Computed) {
	for _, old := range p.items {
		if old.ID == it.ID {
			return
		}
	}
	p.items = append(p.items, it)
}
