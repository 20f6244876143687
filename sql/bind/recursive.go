package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/builtin"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Recursive is the rows of a recursive common table expression: those that Query
// gives over an empty working table, then those that it gives for these as the
// working table's rows, and so on until there are none.
type Recursive struct {
	// Query is a union of the non-recursive members and the recursive ones, which
	// scan Working once each. It is a tree of its own.
	Query   *Query
	Working *catalog.Table
	// Limit and Offset of all rows; Limit −1: none.
	Limit, Offset int64
	Cols          []Col // own ids, positionally
}

// Columns of a recursive expression.
func (r *Recursive) Columns() []Col { return r.Cols }

// working is the table of a recursive expression while its members are bound.
type working struct {
	table *catalog.Table
	depth int // of the member's query
	uses  int
}

// recursive binds a common table expression that may read itself; nil: it does not.
func (b *binder) recursive(c *cte) (*Query, error) {
	list, order, limit := members(c.def.Query.Query)
	first := -1
	for i, m := range list {
		switch reads := mentions(m, c.def.Name.O); {
		case reads && first < 0:
			first = i
		case !reads && first >= 0:
			return nil, b.recursiveFirst(c)
		}
	}
	switch {
	case first < 0 && (len(list) > 0 || !mentions(c.def.Query.Query, c.def.Name.O)):
		return nil, nil
	case first < 0 || len(list) == 1:
		return nil, sqlerr.New(sqlerr.CTERecursiveRequiresUnion, "Recursive Common Table Expression '%s' should contain a UNION", c.def.Name.O)
	case first == 0:
		return nil, b.recursiveFirst(c)
	case b.continuous:
		return nil, sqlerr.Unsupported("WITH RECURSIVE in a materialized view")
	case order != nil:
		return nil, sqlerr.Unsupported("ORDER BY over a recursive common table expression")
	}
	distinct, err := recursiveOperators(list[first:])
	if err != nil {
		return nil, err
	}
	seeds := &ast.SetOprSelectList{Selects: list[:first]}
	seed, err := b.setOperation(seeds, nil, nil)
	if err != nil {
		return nil, err
	}
	return b.fixpoint(c, seed, list[first:], distinct, limit)
}

func (b *binder) recursiveFirst(c *cte) error {
	return sqlerr.New(sqlerr.CTERecursiveRequiresNonrecursiveFirst, "Recursive Common Table Expression '%s' should have one or more non-recursive query blocks followed by one or more recursive ones", c.def.Name.O)
}

// recursiveOperators reports whether UNION, and not UNION ALL, stands before the
// recursive members.
func recursiveOperators(list []ast.Node) (distinct bool, err error) {
	for i, m := range list {
		op := operator(m)
		if op == nil || *op != ast.Union && *op != ast.UnionAll {
			return false, sqlerr.Unsupported("INTERSECT or EXCEPT with a recursive query block")
		}
		if i > 0 && distinct != (*op == ast.Union) {
			return false, sqlerr.Unsupported("UNION and UNION ALL between recursive query blocks")
		}
		distinct = *op == ast.Union
	}
	return distinct, nil
}

// fixpoint binds the recursive members over the working table, whose columns
// are seed's; types are decided by these alone.
func (b *binder) fixpoint(c *cte, seed *Query, list []ast.Node, distinct bool, limit *ast.Limit) (*Query, error) {
	seed, err := renamed(seed, originals(c.def.ColNameList))
	if err != nil {
		return nil, err
	}
	b.recursions = append(b.recursions, &Recursive{})
	r := b.recursions[len(b.recursions)-1]
	r.Working = &catalog.Table{ID: WorkingID(len(b.recursions) - 1), Name: c.def.Name.O, Kind: catalog.StreamTable}
	seedTypes, err := b.unified("UNION", []*Query{seed})
	if err != nil {
		return nil, err
	}
	for i, col := range seed.Out {
		if seedTypes[i].NotNull = false; seedTypes[i].Kind == types.Null { // as MySQL: a text of no length
			seedTypes[i] = types.MakeVarChar(0)
		}
		r.Working.Columns = append(r.Working.Columns, catalog.Column{Name: col.Name, Type: seedTypes[i]})
	}
	inputs := []*Query{b.wrapped(seed)}
	for _, m := range list {
		q, err := b.recursiveMember(c, r, m)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, q)
	}
	for i, q := range inputs {
		long := longer(q.Out, seedTypes)
		inputs[i] = b.converted(q, seedTypes)
		for k, p := range inputs[i].Root.(*Select).Project {
			if long[k] {
				inputs[i].Root.(*Select).Project[k].Expr = builtin.Fits(p.Expr, seedTypes[k], seed.Out[k].Name)
			}
		}
	}
	r.Query = b.union(inputs, distinct, seed.Out, seedTypes)
	r.Cols = b.named(seed.Out, seedTypes)
	if r.Limit, r.Offset, err = b.limit(limit); err != nil {
		return nil, err
	}
	return &Query{Root: r, Out: r.Cols, Limit: -1}, nil
}

// longer are the columns whose texts may be longer than the types ts take.
func longer(cols []Col, ts []types.Type) map[int]bool {
	out := map[int]bool{}
	for i, c := range cols {
		out[i] = ts[i].Class() == types.ClassBytes && ts[i].Kind != types.JSON && (c.Type.Class() != types.ClassBytes || c.Type.Len > ts[i].Len)
	}
	return out
}

// WorkingID is the id by which the working table of the i-th recursive
// expression of a statement is known: no stored object has one.
func WorkingID(i int) catalog.ID { return catalog.ID(1)<<56 + catalog.ID(2*i) }

// recursiveMember binds one recursive query block.
func (b *binder) recursiveMember(c *cte, r *Recursive, m ast.Node) (*Query, error) {
	w := &working{table: r.Working, depth: b.queries + 1}
	around := b.ctes
	b.ctes = &cte{def: c.def, outer: c.outer, frame: c.frame, used: true, working: w}
	q, err := b.subquery(m)
	b.ctes = around
	if err != nil {
		return nil, err
	}
	name := c.def.Name.O
	sel, ok := q.Root.(*Select)
	switch {
	case w.uses != 1:
		return nil, notOnce(name)
	case !ok || sel.Distinct || len(q.OrderBy) > 0 || q.Limit >= 0:
		return nil, sqlerr.Unsupported("ORDER BY / LIMIT / SELECT DISTINCT in recursive query block of Common Table Expression")
	case sel.Grouped:
		return nil, sqlerr.New(sqlerr.CTERecursiveForbidsAggregation, "Recursive Common Table Expression '%s' can contain neither aggregation nor window functions in recursive query block", name)
	case mayPad(sel.From, r.Working, false):
		return nil, sqlerr.New(sqlerr.CTERecursiveForbiddenJoinOrder, "In recursive query block of Recursive Common Table Expression '%s', the recursive table must neither be in the right argument of a LEFT JOIN, nor be forced to be non-first with join order hints", name)
	}
	return q, nil
}

func notOnce(name string) error {
	return sqlerr.New(sqlerr.CTERecursiveRequiresSingleReference, "In recursive query block of Recursive Common Table Expression '%s', the recursive table must be referenced only once, and not in any subquery", name)
}

// mayPad reports that t is read where a join may pad its rows with NULLs.
func mayPad(r Rel, t *catalog.Table, inside bool) bool {
	switch r := r.(type) {
	case *Scan:
		return inside && r.Table == t
	case *Join:
		return mayPad(r.Left, t, inside || r.Kind == FullJoin) || mayPad(r.Right, t, inside || r.Kind != InnerJoin)
	case *TimedJoin:
		return mayPad(r.Left, t, inside) || mayPad(r.Right, t, true)
	}
	return false
}

// scanWorking reads the working table of a recursive expression, in the FROM of
// a recursive member itself.
func (b *binder) scanWorking(w *working, alias string) (source, error) {
	if w.uses++; w.uses > 1 || b.queries != w.depth {
		return source{}, notOnce(w.table.Name)
	}
	return b.scan(w.table, alias)
}

// members are the query blocks of a set operation, with what stands behind it;
// none for another query.
func members(node ast.Node) ([]ast.Node, *ast.OrderByClause, *ast.Limit) {
	switch n := node.(type) {
	case *ast.SetOprStmt:
		return n.SelectList.Selects, n.OrderBy, n.Limit
	case *ast.SetOprSelectList:
		return n.Selects, n.OrderBy, n.Limit
	}
	return nil, nil, nil
}

// mentions reports that a query names a table without a database.
func mentions(node ast.Node, name string) bool {
	v := &mention{name: name}
	node.Accept(v)
	return v.found
}

type mention struct {
	name  string
	found bool
}

// Enter implements ast.Visitor.
func (m *mention) Enter(n ast.Node) (ast.Node, bool) {
	if t, ok := n.(*ast.TableName); ok && t.Schema.O == "" && t.Name.O == m.name {
		m.found = true
	}
	return n, m.found
}

// Leave implements ast.Visitor.
func (m *mention) Leave(n ast.Node) (ast.Node, bool) { return n, true }
