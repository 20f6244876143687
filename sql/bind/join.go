package bind

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// join binds a join. A RIGHT one is bound as a LEFT with its sides exchanged;
// only the order of `*` remembers how it was written.
func (b *binder) join(n *ast.Join) (source, error) {
	left, err := b.from(n.Left)
	if err != nil || n.Right == nil {
		return left, err
	}
	sees := &left.scope
	if n.Tp == ast.RightJoin { // its rows come first
		sees = &scope{}
	}
	right, err := b.withLeft(sees, func() (source, error) { return b.from(n.Right) })
	if err != nil {
		return source{}, err
	}
	if err := unique(&left.scope, &right.scope); err != nil {
		return source{}, err
	}
	if out, ok, err := b.unfolded(n, left, right); ok {
		return out, err
	}
	if n.On != nil {
		if on, ok := n.On.Expr.(*parser.TimedOn); ok {
			return b.timedJoin(n, on, left, right)
		}
	}
	switch n.Tp {
	case ast.LeftJoin:
		return b.joinSides(n, LeftJoin, left, right, false)
	case ast.RightJoin:
		return b.joinSides(n, LeftJoin, right, left, true)
	case parser.FullJoin:
		return b.joinSides(n, FullJoin, left, right, false)
	default:
		return b.joinSides(n, InnerJoin, left, right, false)
	}
}

// joinSides joins l and r, which are the written right and left if exchanged.
func (b *binder) joinSides(n *ast.Join, kind JoinKind, l, r source, exchanged bool) (source, error) {
	j := &Join{Kind: kind, Left: l.rel, Right: r.rel, Straight: n.StraightJoin}
	j.Cols = append(j.Cols, padded(&l, kind == FullJoin)...)
	j.Cols = append(j.Cols, padded(&r, kind != InnerJoin)...)
	if n.NaturalJoin || len(n.Using) > 0 {
		return b.joinUsing(n, j, &l.scope, &r.scope)
	}
	out := source{rel: j}
	if exchanged {
		out.scope.cols = append(append(out.scope.cols, r.scope.cols...), l.scope.cols...)
	} else {
		out.scope.cols = append(append(out.scope.cols, l.scope.cols...), r.scope.cols...)
	}
	var err error
	if n.On != nil {
		j.On, err = b.conjuncts(n.On.Expr, &names{clause: "on clause", from: &out.scope})
	}
	return out, err
}

// padded are the columns of one side of a join; with pads they may be NULL, in
// what FROM offers too.
func padded(s *source, pads bool) []Col {
	cols := append([]Col(nil), s.rel.Columns()...)
	if !pads {
		return cols
	}
	for i := range cols {
		cols[i].Type = cols[i].Type.Nullable()
	}
	for i := range s.scope.cols {
		s.scope.cols[i].Type = s.scope.cols[i].Type.Nullable()
	}
	return cols
}

// joinUsing joins by the columns that both sides have or that USING names.
func (b *binder) joinUsing(n *ast.Join, j *Join, l, r *scope) (source, error) {
	common, err := commonColumns(n, l, r)
	if err != nil {
		return source{}, err
	}
	for _, pair := range common {
		eq, err := b.call("=", pair[0].ref(), pair[1].ref())
		if err != nil {
			return source{}, err
		}
		j.On = append(j.On, eq)
	}
	if j.Kind != FullJoin || len(common) == 0 {
		return source{rel: j, scope: mergedScope(l, r, common)}, nil
	}
	return b.coalesced(j, l, r, common)
}

// coalesced adds to a full join the columns that stand for the common ones of
// both sides, either of which may be NULL.
func (b *binder) coalesced(j *Join, l, r *scope, common [][2]*visible) (source, error) {
	out := scope{}
	s := &Select{From: j}
	for _, c := range j.Cols {
		s.Project = append(s.Project, Computed{Col: c, Expr: expr.NewColumn(c.ID, c.Name, c.Type)})
	}
	slices.SortFunc(common, func(a, b [2]*visible) int { return l.indexOf(a[0]) - l.indexOf(b[0]) })
	for _, pair := range common {
		e, err := b.call("coalesce", pair[0].ref(), pair[1].ref())
		if err != nil {
			return source{}, err
		}
		c := Col{ID: b.newID(), Name: pair[0].Name, Type: e.Type}
		s.Project = append(s.Project, Computed{Col: c, Expr: e})
		out.cols = append(out.cols, visible{Col: c})
		pair[0].merged, pair[1].merged = true, true
	}
	out.cols = append(append(out.cols, l.cols...), r.cols...)
	return source{rel: s, scope: out}, nil
}

// commonColumns pairs the columns that USING names or that NATURAL finds, in
// the order of the left side's `*`.
func commonColumns(n *ast.Join, l, r *scope) ([][2]*visible, error) {
	var out [][2]*visible
	if n.NaturalJoin {
		for i := range l.cols {
			a := &l.cols[i]
			if a.merged || a.hidden {
				continue
			}
			name := &ast.ColumnName{Name: ast.NewCIStr(a.Name)}
			c, err := r.find(name, "from clause")
			if err != nil {
				return nil, err
			}
			if c == nil {
				continue
			}
			if _, err := l.find(name, "from clause"); err != nil {
				return nil, err
			}
			out = append(out, [2]*visible{a, c})
		}
		return out, nil
	}
	for _, name := range n.Using {
		a, err := l.find(name, "from clause")
		if err != nil {
			return nil, err
		}
		c, err := r.find(name, "from clause")
		if err != nil {
			return nil, err
		}
		if a == nil {
			return nil, l.unknown(name, "from clause", nil)
		}
		if c == nil {
			return nil, r.unknown(name, "from clause", nil)
		}
		out = append(out, [2]*visible{a, c})
	}
	return out, nil
}

// mergedScope orders the columns as the standard says: the common ones, taken
// from the side that is never padded with NULLs, then what else left has, then
// right's. The right's common columns can be named by table only.
func mergedScope(l, r *scope, common [][2]*visible) scope {
	var out scope
	first, dropped := make(map[*visible]bool), make(map[*visible]bool)
	for i := range l.cols { // in left's order, whatever USING's
		for _, pair := range common {
			if pair[0] == &l.cols[i] {
				first[pair[0]], dropped[pair[1]] = true, true
				out.cols = append(out.cols, *pair[0])
			}
		}
	}
	for i := range l.cols {
		if !first[&l.cols[i]] {
			out.cols = append(out.cols, l.cols[i])
		}
	}
	for i := range r.cols {
		v := r.cols[i]
		v.merged = v.merged || dropped[&r.cols[i]]
		out.cols = append(out.cols, v)
	}
	return out
}

// unique is error 1066 when both sides have a table of the same name.
func unique(l, r *scope) error {
	type name struct{ db, table string }
	have := make(map[name]bool)
	for i := range l.cols {
		have[name{l.cols[i].db, l.cols[i].table}] = true
	}
	for i := range r.cols {
		if v := &r.cols[i]; v.table != "" && have[name{v.db, v.table}] {
			return sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", v.table)
		}
	}
	return nil
}

// conjuncts binds a condition and splits it at its ANDs.
func (b *binder) conjuncts(node ast.ExprNode, in *names) ([]*expr.Expr, error) {
	e, err := b.condition(node, in)
	if err != nil {
		return nil, err
	}
	return splitAnd(e, nil), nil
}

// condition binds a condition.
func (b *binder) condition(node ast.ExprNode, in *names) (*expr.Expr, error) {
	e, err := b.expr(node, in)
	if err != nil {
		return nil, err
	}
	whole := []*expr.Expr{e}
	b.settle(whole)
	return builtin.Condition(whole[0]), nil
}

// splitAnd appends the conjuncts of e to out.
func splitAnd(e *expr.Expr, out []*expr.Expr) []*expr.Expr {
	if e.Op == expr.OpCall && e.Fn == "and" {
		for _, a := range e.Args {
			out = splitAnd(a, out)
		}
		return out
	}
	return append(out, e)
}

// sameName compares identifiers of columns.
func sameName(a, b string) bool { return strings.EqualFold(a, b) }
