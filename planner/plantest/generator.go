package plantest

import (
	"pgregory.net/rapid"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Generator draws random trees and tables.
type Generator struct {
	t  *rapid.T
	id int
	// Applies makes some joins dependent ones.
	Applies bool
	outer   []logical.Col // what a dependent right side may read
}

// NewGenerator draws from t.
func NewGenerator(t *rapid.T) *Generator { return &Generator{t: t} }

// IDs gives out ids behind all that were used.
func (g *Generator) IDs() *logical.IDs {
	ids := &logical.IDs{}
	for ids.Next() < g.id {
	}
	return ids
}

// Database draws the tables t and u that trees scan.
func (g *Generator) Database() Database { return Database{"t": g.table(), "u": g.table()} }

// Tree draws a tree of at most depth levels over its leaves.
func (g *Generator) Tree(depth int) *logical.Tree {
	root := g.node(depth)
	return &logical.Tree{Root: root, Out: g.subset(root.Columns()), IDs: g.IDs()}
}

// Joins draws a tree that is mostly inner joins of some leaves, by equalities.
func (g *Generator) Joins() *logical.Tree {
	nodes := make([]logical.Node, g.pick(4)+2)
	for i := range nodes {
		if nodes[i] = g.leaf(); g.pick(4) == 0 {
			nodes[i] = g.node(1)
		}
	}
	for len(nodes) > 1 {
		i := g.pick(len(nodes) - 1)
		j := &logical.Join{Left: nodes[i], Right: nodes[i+1]}
		all := j.Columns()
		for range g.pick(3) {
			j.On = append(j.On, is("=", logical.Ref(all[g.pick(len(all))]), logical.Ref(all[g.pick(len(all))])))
		}
		if g.pick(3) == 0 {
			j.On = append(j.On, g.cond(all, 2))
		}
		if g.pick(6) == 0 {
			j.Kind = logical.JoinKind(g.pick(5))
		}
		nodes = append(append(nodes[:i:i], j), nodes[i+2:]...)
	}
	root := logical.NewFilter(nodes[0], g.conds(nodes[0].Columns()))
	return &logical.Tree{Root: root, Out: g.subset(root.Columns()), IDs: g.IDs()}
}

func (g *Generator) next() int { g.id++; return g.id }

func (g *Generator) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

// table has a unique first column, which is never NULL, and two others.
func (g *Generator) table() [][]Cell {
	var rows [][]Cell
	for i := range g.pick(5) {
		r := []Cell{num(int64(i))}
		for range 2 {
			if v := g.pick(4); v == 3 {
				r = append(r, nil)
			} else {
				r = append(r, num(int64(v)))
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func (g *Generator) node(depth int) logical.Node {
	if depth == 0 {
		return g.leaf()
	}
	switch g.pick(10) {
	case 0:
		return g.leaf()
	case 1, 2:
		in := g.node(depth - 1)
		return logical.NewFilter(in, g.conds(in.Columns()))
	case 3:
		return g.project(g.node(depth - 1))
	case 4:
		return &logical.Distinct{Input: g.node(depth - 1)}
	case 5:
		return g.aggregate(g.node(depth - 1))
	case 6:
		return g.union(depth)
	case 7:
		return g.setOp(depth)
	case 8:
		if g.Applies {
			return g.apply(depth)
		}
		fallthrough
	default:
		j := &logical.Join{Kind: logical.JoinKind(g.pick(5)), Left: g.node(depth - 1), Right: g.node(depth - 1)}
		inner := *j
		inner.Kind = logical.InnerJoin
		j.On = g.conds(inner.Columns())
		for range g.pick(3) { // what most joins are about
			l, r := j.Left.Columns(), j.Right.Columns()
			j.On = append(j.On, is("=", logical.Ref(l[g.pick(len(l))]), logical.Ref(r[g.pick(len(r))])))
		}
		return j
	}
}

func (g *Generator) leaf() logical.Node {
	bigint := types.MakeBigInt()
	if g.pick(5) == 0 {
		v := &logical.Values{Cols: []logical.Col{{ID: g.next(), Name: "v", Type: bigint}}}
		for range g.pick(3) {
			v.Rows = append(v.Rows, []*expr.Expr{g.constant()})
		}
		return v
	}
	key := bigint
	key.NotNull = true
	return scan([]string{"t", "u"}[g.pick(2)], column(g.next(), "k", key), column(g.next(), "a", bigint), column(g.next(), "b", bigint))
}

func (g *Generator) project(in logical.Node) logical.Node {
	p := &logical.Project{Input: in}
	for _, c := range g.subset(in.Columns()) {
		p.Items = append(p.Items, logical.PassThrough(c))
	}
	for range g.pick(2) + 1 {
		p.Items = append(p.Items, computed(g.next(), g.number(in.Columns(), 2)))
	}
	return p
}

func (g *Generator) aggregate(in logical.Node) logical.Node {
	a := &logical.Aggregate{Input: in, Keys: g.subset(in.Columns())}
	if g.pick(3) == 0 {
		a.Keys = nil
	}
	cols := in.Columns()
	for range g.pick(3) {
		fn := []string{"count", "sum", "min"}[g.pick(3)]
		c := call(g.next(), fn, logical.Ref(cols[g.pick(len(cols))]))
		c.Call.Distinct = g.pick(3) == 0
		a.Aggs = append(a.Aggs, c)
	}
	if len(a.Keys)+len(a.Aggs) == 0 {
		a.Aggs = append(a.Aggs, call(g.next(), "count"))
	}
	return a
}

// union has one column; a Sort with LIMIT over all columns stands in now and then.
func (g *Generator) union(depth int) logical.Node {
	un := &logical.Union{Cols: []logical.Col{{ID: g.next(), Name: "u", Type: types.MakeBigInt()}}}
	for range g.pick(2) + 1 {
		in := g.node(depth - 1)
		if g.pick(3) == 0 {
			s := &logical.Sort{Input: in, Limit: int64(g.pick(3)), Offset: int64(g.pick(2))}
			for _, c := range in.Columns() {
				s.Keys = append(s.Keys, bind.Order{Col: c.ID, Desc: g.pick(2) == 0})
			}
			in = s
		}
		cols := in.Columns()
		un.Ins, un.From = append(un.Ins, in), append(un.From, []int{cols[g.pick(len(cols))].ID})
	}
	return un
}

// subset are some columns, at least one, in order.
func (g *Generator) subset(cols []logical.Col) []logical.Col {
	var out []logical.Col
	for _, c := range cols {
		if g.pick(2) == 0 {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		out = cols[:1]
	}
	return out
}

func (g *Generator) constant() *expr.Expr {
	if v := g.pick(4); v < 3 {
		return expr.NewInt(int64(v))
	}
	return expr.NewConst(expr.Value{Null: true}, types.MakeBigInt())
}

func (g *Generator) number(cols []logical.Col, depth int) *expr.Expr {
	if len(g.outer) > 0 && g.pick(3) == 0 {
		return logical.Ref(g.outer[g.pick(len(g.outer))])
	}
	switch g.pick(5) {
	case 0:
		return g.constant()
	case 1:
		if depth > 0 {
			return do([]string{"+", "*", "coalesce"}[g.pick(3)], g.number(cols, depth-1), g.number(cols, depth-1))
		}
	}
	return logical.Ref(cols[g.pick(len(cols))])
}

func (g *Generator) conds(cols []logical.Col) []*expr.Expr {
	var list []*expr.Expr
	for range g.pick(3) {
		list = append(list, g.cond(cols, 2))
	}
	return list
}

func (g *Generator) cond(cols []logical.Col, depth int) *expr.Expr {
	if depth > 0 {
		switch g.pick(8) {
		case 0, 1:
			return is("and", g.cond(cols, depth-1), g.cond(cols, depth-1))
		case 2, 3:
			return is("or", g.cond(cols, depth-1), g.cond(cols, depth-1))
		case 4:
			return is("not", g.cond(cols, depth-1))
		}
	}
	switch g.pick(8) {
	case 0:
		return is("is null", g.number(cols, 1))
	case 1:
		return is("between", g.number(cols, 1), g.number(cols, 1), g.number(cols, 1))
	case 2:
		return is("<=>", g.number(cols, 1), g.number(cols, 1))
	case 3:
		return truth(g.pick(2) == 0)
	}
	return is([]string{"=", "<>", "<", ">"}[g.pick(4)], g.number(cols, 1), g.number(cols, 1))
}

func is(fn string, args ...*expr.Expr) *expr.Expr { return expr.NewCall(fn, types.MakeBool(), args...) }

func do(fn string, args ...*expr.Expr) *expr.Expr {
	return expr.NewCall(fn, types.MakeBigInt(), args...)
}

func truth(b bool) *expr.Expr { return expr.NewConst(expr.Value{I: int64(b2i(b))}, types.MakeBool()) }

func column(id int, name string, t types.Type) logical.Col {
	return logical.Col{ID: id, Name: name, Type: t}
}

func scan(name string, cols ...logical.Col) logical.Node {
	return &logical.Scan{
		Table: &catalog.Table{ID: catalog.ID(name[0]), Database: "d", Name: name, Kind: catalog.BaseTable, Primary: []int{0}}, Cols: cols, Positions: []int{0, 1, 2},
	}
}

func call(id int, fn string, args ...*expr.Expr) logical.Agg {
	return logical.Agg{Col: column(id, fn, types.MakeBigInt()), Call: agg.Call{Fn: fn, Args: args, Type: types.MakeBigInt()}}
}

func computed(id int, e *expr.Expr) logical.Computed {
	return logical.Computed{Col: column(id, "e", e.Type), Expr: e}
}
