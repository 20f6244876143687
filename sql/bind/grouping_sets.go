package bind

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// maxSets bounds the grouping sets of a SELECT: CUBE doubles them with each column.
const maxSets = 1024

// groupingCall is GROUPING(…), standing as a column until GROUP BY is known.
type groupingCall struct {
	id   int
	args []*expr.Expr
}

// set is a grouping set: positions in grouping.by.
type set []int

// join is the set of all columns of both.
func (s set) join(t set) set {
	out := slices.Clone(s)
	for _, k := range t {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// crossSets joins each set of a with each of b.
func crossSets(a, b []set) ([]set, error) {
	if len(a)*len(b) > maxSets {
		return nil, sqlerr.Unsupported("more than " + itoa(maxSets) + " grouping sets")
	}
	out := make([]set, 0, len(a)*len(b))
	for _, s := range a {
		for _, t := range b {
			out = append(out, s.join(t))
		}
	}
	return out, nil
}

// rollup is the sets of the first n, n−1 … 0 elements.
func rollup(elements []set) []set {
	out := make([]set, len(elements)+1)
	all := set{}
	out[len(elements)] = all
	for i, e := range elements {
		all = all.join(e)
		out[len(elements)-1-i] = all
	}
	return out
}

// cube is the sets of all choices of elements.
func cube(elements []set) ([]set, error) {
	out := []set{{}}
	for _, e := range elements {
		var err error
		if out, err = crossSets(out, []set{e, {}}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// groupingSets are the sets of an item of GROUP BY; false: it is a plain expression.
func (s *block) groupingSets(node ast.ExprNode, in *names) ([]set, bool, error) {
	n, ok := node.(*ast.FuncCallExpr)
	if !ok {
		return nil, false, nil
	}
	switch n.FnName.L {
	case "rollup", "cube":
		elements := make([]set, len(n.Args))
		for i, a := range n.Args {
			var err error
			if elements[i], err = s.groupingElement(a, in); err != nil {
				return nil, true, err
			}
		}
		if n.FnName.L == "rollup" {
			return rollup(elements), true, nil
		}
		sets, err := cube(elements)
		return sets, true, err
	case "grouping sets":
		var sets []set
		for _, a := range n.Args {
			nested, ok, err := s.groupingSets(a, in)
			if err != nil {
				return nil, true, err
			}
			if !ok {
				e, err := s.groupingElement(a, in)
				if err != nil {
					return nil, true, err
				}
				nested = []set{e}
			}
			if sets = append(sets, nested...); len(sets) > maxSets {
				return nil, true, sqlerr.Unsupported("more than " + itoa(maxSets) + " grouping sets")
			}
		}
		return sets, true, nil
	}
	return nil, false, nil
}

// groupingElement is one element of a ROLLUP, CUBE or GROUPING SETS: an expression,
// several in brackets, or () (which the parser made an empty text of).
func (s *block) groupingElement(node ast.ExprNode, in *names) (set, error) {
	nodes := []ast.ExprNode{node}
	if row := asRow(node); row != nil {
		nodes = row
	} else if l, ok := node.(*parser.Literal); ok && l.GetValue() == "" {
		return set{}, nil
	}
	out := set{}
	for _, n := range nodes {
		one, err := s.groupByOne(n, in)
		if err != nil {
			return nil, err
		}
		out = out.join(one)
	}
	return out, nil
}

// groupingOf binds GROUPING(…).
func (b *binder) groupingOf(n *ast.FuncCallExpr, in *names) (*expr.Expr, error) {
	if in.group == nil || in.group.inside {
		return nil, sqlerr.New(sqlerr.InvalidGroupFuncUse, "Invalid use of group function")
	}
	if len(n.Args) == 0 || len(n.Args) > 63 {
		return nil, sqlerr.New(sqlerr.WrongParamCountNative, "Incorrect parameter count in the call to native function 'GROUPING'")
	}
	args, err := b.exprs(n.Args, in)
	if err != nil {
		return nil, err
	}
	g := in.group
	for _, c := range g.groupings {
		if slices.EqualFunc(c.args, args, expr.Equal) {
			return expr.NewColumn(c.id, "grouping", groupingType), nil
		}
	}
	c := groupingCall{b.newID(), args}
	g.groupings = append(g.groupings, c)
	return expr.NewColumn(c.id, "grouping", groupingType), nil
}

var groupingType = types.Type{Kind: types.BigInt, NotNull: true}

// groupingValue is what GROUPING(args) is in a set: a bit for each argument, the
// last one's lowest, that is set when the set does not hold it.
func (g *grouping) groupingValue(args []int, s set) int64 {
	v := int64(0)
	for _, k := range args {
		v <<= 1
		if !slices.Contains(s, k) {
			v |= 1
		}
	}
	return v
}

// resolveGrouping is GROUPING(…) over the number of the set.
func (g *grouping) resolveGrouping(c groupingCall) (*expr.Expr, error) {
	if g.sets == nil {
		return nil, sqlerr.New(sqlerr.InvalidGroupFuncUse, "Invalid use of group function")
	}
	args := make([]int, len(c.args))
	for i, a := range c.args {
		if args[i] = g.place(a); args[i] < 0 {
			return nil, sqlerr.New(sqlerr.GroupingNotGrouped, "Argument #%d of GROUPING function is not in GROUP BY", i+1)
		}
	}
	byValue := map[int64][]*expr.Expr{}
	var values []int64
	for i, s := range g.sets {
		v := g.groupingValue(args, s)
		if byValue[v] == nil {
			values = append(values, v)
		}
		byValue[v] = append(byValue[v], intLiteral(int64(i)))
	}
	id := expr.NewColumn(g.setID.ID, g.setID.Name, g.setID.Type)
	var cases []*expr.Expr
	for _, v := range values[1:] {
		is, err := g.b.call("in", append([]*expr.Expr{id}, byValue[v]...)...)
		if err != nil {
			return nil, err
		}
		cases = append(cases, is, intLiteral(v))
	}
	if len(cases) == 0 {
		return intLiteral(values[0]), nil
	}
	return g.b.call("case", append(cases, intLiteral(values[0]))...)
}

// place is where e stands among what is grouped by; −1: it does not.
func (g *grouping) place(e *expr.Expr) int {
	return slices.IndexFunc(g.by, func(c Computed) bool { return expr.Equal(c.Expr, e) })
}

// key is the place of e, which is grouped by from now on.
func (g *grouping) key(e *expr.Expr) int {
	if k := g.place(e); k >= 0 {
		return k
	}
	g.add(e)
	return len(g.by) - 1
}

// groupingNumber is the number of the GROUPING(…) that stands as a column; −1: it is none.
func (g *grouping) groupingNumber(col int) int {
	return slices.IndexFunc(g.groupings, func(c groupingCall) bool { return c.id == col })
}

// divide groups by several sets. A key is NULL in those that do not hold it.
func (g *grouping) divide(sets []set) {
	for i := range g.by {
		g.by[i].Type.NotNull = false
	}
	for _, s := range sets {
		g.sets = append(g.sets, s)
	}
	g.setID = Col{ID: g.b.newID(), Name: "grouping set", Type: groupingType}
}
