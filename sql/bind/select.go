package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// block is a SELECT while it is bound. Expressions stand over the columns of
// FROM, with aggregates as columns, until group() puts them over groups.
type block struct {
	*binder
	node      *ast.SelectStmt
	src       source
	sel       *Select
	group     *grouping
	fields    []field
	having    *expr.Expr
	order     []*expr.Expr   // constants do not order, and stay constants
	groupedBy *parser.Window // the window in GROUP BY
	overs     *overing
}

// field is a column of the SELECT list.
type field struct {
	label string
	expr  *expr.Expr
	// column is how the field was written if it is a bare column.
	column *ast.ColumnName
}

// selectQuery binds SELECT and TABLE.
func (b *binder) selectQuery(n *ast.SelectStmt) (*Query, error) {
	if err := b.refuseSelect(n); err != nil {
		return nil, err
	}
	s := &block{binder: b, node: n, sel: &Select{}}
	if err := s.bindFrom(); err != nil {
		return nil, err
	}
	s.group = &grouping{b: b, from: &s.src.scope, window: s.sel.Window, windowText: s.groupedBy}
	for _, step := range []func() error{
		s.bindWindows, s.bindFields, s.bindGroupBy, s.bindHaving, s.bindOrder, s.overGroups,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s.finish()
}

func (b *binder) refuseSelect(n *ast.SelectStmt) error {
	switch {
	case n.SelectIntoOpt != nil:
		return sqlerr.Unsupported("SELECT … INTO")
	case n.SelectStmtOpts != nil && n.CalcFoundRows:
		return sqlerr.Unsupported("SQL_CALC_FOUND_ROWS")
	}
	if n.SelectStmtOpts != nil {
		b.selectOptions(n.SelectStmtOpts)
	}
	if n.LockInfo != nil && n.LockInfo.LockType != ast.SelectLockNone {
		b.env.warn(sqlerr.NotSupportedYet, strings.ToUpper(n.LockInfo.LockType.String())+" has no effect: reads are of a snapshot")
	}
	return nil
}

// bindFrom binds FROM and WHERE.
func (s *block) bindFrom() error {
	var err error
	if s.node.From != nil {
		if joinedTables(s.node.From.TableRefs) > maxJoined {
			return sqlerr.New(sqlerr.TooManyTables, "Too many tables; StreamSQL can only use %d tables in a join", maxJoined)
		}
		if s.src, err = s.from(s.node.From.TableRefs); err != nil {
			return err
		}
		s.sel.From = s.src.rel
	}
	if s.node.Where != nil {
		s.sel.Where, err = s.conjuncts(s.node.Where, &names{clause: "where clause", from: &s.src.scope})
	}
	if err != nil {
		return err
	}
	return s.groupWindow()
}

func (s *block) bindFields() error {
	if s.node.Kind == ast.SelectStmtKindTable {
		return s.star(&ast.WildCardField{})
	}
	in := &names{clause: "field list", from: &s.src.scope, group: s.group, overs: s.overs}
	for _, f := range s.node.Fields.Fields {
		if f.WildCard != nil {
			if err := s.star(f.WildCard); err != nil {
				return err
			}
			continue
		}
		e, err := s.expr(f.Expr, in)
		if err != nil {
			return err
		}
		if e.Op == expr.OpParam && e.Type.Kind == types.Null {
			e = s.typed(e, types.MakeVarChar(255))
		}
		made := field{label: label(f), expr: e}
		if c, ok := bare(f.Expr).(*ast.ColumnNameExpr); ok {
			made.column = c.Name
		}
		s.fields = append(s.fields, made)
	}
	return nil
}

func (s *block) star(w *ast.WildCardField) error {
	if s.sel.From == nil {
		return sqlerr.New(sqlerr.NoTablesUsed, "No tables used")
	}
	cols, err := s.src.scope.star(w.Schema.O, w.Table.O)
	if err != nil {
		return err
	}
	for _, v := range cols {
		name := &ast.ColumnName{Name: ast.NewCIStr(v.Name), Table: ast.NewCIStr(v.table)}
		s.fields = append(s.fields, field{label: v.Name, expr: s.reference(v), column: name})
	}
	return nil
}

// bare is an expression without its parentheses.
func bare(e ast.ExprNode) ast.ExprNode {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}

// label is the name of a field: its alias, its column's name, the value of a
// string, or its text as typed.
func label(f *ast.SelectField) string {
	if f.AsName.O != "" {
		return f.AsName.O
	}
	switch e := bare(f.Expr).(type) {
	case *ast.ColumnNameExpr:
		return e.Name.Name.O
	case *parser.Literal:
		switch v := e.GetValue().(type) {
		case nil:
			return "NULL"
		case string:
			return v
		}
		if e.IsBool() {
			return strings.ToUpper(f.Text())
		}
	}
	return f.Text()
}

// alias finds the fields that a name means: by their label, or as the column
// that it qualifies. Several are error 1052 unless they are the same.
func (s *block) alias(n *ast.ColumnName, clause string) (*expr.Expr, error) {
	var found *expr.Expr
	for i := range s.fields {
		f := &s.fields[i]
		if n.Table.O == "" {
			if !sameName(f.label, n.Name.O) {
				continue
			}
		} else if f.column == nil || f.column.Table.O != n.Table.O || !sameName(f.column.Name.O, n.Name.O) {
			continue
		}
		if found != nil && !expr.Equal(found, f.expr) {
			return nil, sqlerr.New(sqlerr.NonUniq, "Column '%s' in %s is ambiguous", nameText(n), clause)
		}
		found = f.expr
	}
	if found != nil && clause != "order clause" && s.overs.uses(found) {
		return nil, sqlerr.New(sqlerr.WindowInvalidAliasUse, "You cannot use the alias '%s' of an expression containing a window function in this context.'", nameText(n))
	}
	return found, nil
}

func (s *block) labels() []string {
	out := make([]string, len(s.fields))
	for i, f := range s.fields {
		out[i] = f.label
	}
	return out
}

// bindGroupBy binds GROUP BY: names are columns of FROM, or else aliases.
func (s *block) bindGroupBy() error {
	if s.node.GroupBy == nil {
		return nil
	}
	const clause = "group statement"
	in := &names{clause: clause, from: &s.src.scope, more: s.labels(),
		last: func(n *ast.ColumnName) (*expr.Expr, error) { return s.alias(n, clause) }}
	sets, parts := []set{{}}, false
	var elements []set
	for _, item := range s.node.GroupBy.Items {
		more, ok, err := s.groupingSets(item.Expr, in)
		if err == nil && !ok {
			var one set
			one, err = s.groupByOne(item.Expr, in)
			more, elements = []set{one}, append(elements, one)
		}
		if err != nil {
			return err
		}
		parts = parts || ok
		if sets, err = crossSets(sets, more); err != nil {
			return err
		}
	}
	if s.node.GroupBy.Rollup {
		if parts {
			return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of WITH ROLLUP and ROLLUP, CUBE or GROUPING SETS")
		}
		sets, parts = rollup(elements), true
	}
	if parts {
		s.group.divide(sets)
	}
	s.sel.Grouped = true
	s.partWindow()
	return nil
}

// groupByOne groups by an expression or a window: its places in grouping.by. A
// constant beside others does not divide anything and has none.
func (s *block) groupByOne(node ast.ExprNode, in *names) (set, error) {
	if w := s.markedCall(node); w != nil && w.Part == "" {
		return s.groupByWindow(), nil
	}
	i, ok, err := position(node, len(s.fields), in.clause)
	if err != nil {
		return nil, err
	}
	var e *expr.Expr
	if ok {
		e = s.fields[i].expr
	} else if e, err = s.expr(node, in); err != nil {
		return nil, err
	}
	if s.group.uses(e) {
		return nil, sqlerr.New(sqlerr.WrongGroupField, "Can't group on '%s'", s.groupedText(i, ok, node, e))
	}
	if e.Op == expr.OpConst && len(s.group.by) > 0 && s.group.place(e) < 0 {
		return set{}, nil
	}
	return set{s.group.key(e)}, nil
}

func (s *block) groupedText(i int, ordinal bool, node ast.ExprNode, e *expr.Expr) string {
	if ordinal {
		return s.fields[i].label
	}
	if c, ok := node.(*ast.ColumnNameExpr); ok {
		return nameText(c.Name)
	}
	return e.String()
}

// bindHaving binds HAVING: names are columns that are grouped by, or else
// fields; within aggregates, columns of FROM.
func (s *block) bindHaving() error {
	if s.node.Having == nil {
		return nil
	}
	const clause = "having clause"
	resolve := func(n *ast.ColumnName) (*expr.Expr, error) {
		// An ambiguous column is told of below, when no field has the name.
		if v, err := s.src.scope.find(n, clause); err == nil && v != nil {
			for _, c := range s.group.by {
				if c.Expr.Op == expr.OpColumn && c.Expr.Col == v.ID {
					return v.ref(), nil
				}
			}
		}
		return s.alias(n, clause)
	}
	var err error
	s.having, err = s.condition(s.node.Having.Expr, &names{clause: clause, first: resolve, group: s.group, more: s.labels()})
	return err
}

// bindOrder binds ORDER BY. A bare name means a field before a column of FROM;
// within an expression it is the other way round.
func (s *block) bindOrder() error {
	if s.node.OrderBy == nil {
		return nil
	}
	const clause = "order clause"
	alias := func(n *ast.ColumnName) (*expr.Expr, error) { return s.alias(n, clause) }
	for _, item := range s.node.OrderBy.Items {
		i, ok, err := position(item.Expr, len(s.fields), clause)
		if err != nil {
			return err
		}
		if ok {
			s.order = append(s.order, s.fields[i].expr)
			continue
		}
		in := &names{clause: clause, from: &s.src.scope, group: s.group, overs: s.overs, last: alias, more: s.labels()}
		if _, ok := bare(item.Expr).(*ast.ColumnNameExpr); ok {
			in.first, in.last = alias, nil
		}
		e, err := s.expr(item.Expr, in)
		if err != nil {
			return err
		}
		s.order = append(s.order, e)
	}
	return nil
}

// overGroups puts fields, HAVING and ORDER BY over the groups, if there are any.
func (s *block) overGroups() error {
	g := s.group
	if len(g.aggs) > 0 {
		s.sel.Grouped = true
	}
	if !s.sel.Grouped && len(g.groupings) > 0 {
		return sqlerr.New(sqlerr.InvalidGroupFuncUse, "Invalid use of group function")
	}
	if !s.sel.Grouped {
		s.sel.Where = s.andHaving(s.sel.Where) // of single rows
		s.windowsOver(s.src.scope.own())
		return nil
	}
	g.learnEqualities(s.sel.Where)
	g.learnJoins(s.sel.From)
	if err := s.windowsOverGroups(); err != nil {
		return err
	}
	for i := range s.fields {
		e, bad := g.over(s.fields[i].expr)
		if bad != nil {
			return s.notGrouped(bad, i+1, "SELECT list")
		}
		if g.sets != nil { // what is NULL in some sets is no longer the column
			e = builtin.Convert(e, builtin.EnumText(e.Type))
		}
		s.fields[i].expr = e
	}
	if s.having != nil { // split afterwards: it may be what is grouped by, an AND
		e, bad := g.over(s.having)
		if bad != nil {
			return s.notGrouped(bad, 1, "HAVING clause")
		}
		s.having = e
	}
	for i, o := range s.order {
		e, bad := g.over(o)
		if bad != nil {
			return s.notGrouped(bad, i+1, "ORDER BY")
		}
		s.order[i] = e
	}
	s.sel.GroupBy, s.sel.Aggs, s.sel.Having = g.by, g.aggs, s.andHaving(nil)
	s.sel.Sets, s.sel.SetID = g.sets, g.setID
	s.windowsOver(g.columns())
	return g.failed
}

// andHaving is a list of conditions with HAVING behind them.
func (s *block) andHaving(list []*expr.Expr) []*expr.Expr {
	if s.having == nil {
		return list
	}
	return splitAnd(s.having, list)
}

// notGrouped is error 1055 or 1140.
func (s *block) notGrouped(v *visible, n int, list string) error {
	const why = "this is incompatible with sql_mode=only_full_group_by"
	switch {
	case s.node.GroupBy == nil:
		return sqlerr.New(sqlerr.MixOfGroupFunc, "In aggregated query without GROUP BY, expression #%d of %s contains nonaggregated column '%s'; %s",
			n, list, v.full(), why)
	default:
		return sqlerr.New(sqlerr.WrongFieldWithGroup, "Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column '%s' which is not functionally dependent on columns in GROUP BY clause; %s",
			n, list, v.full(), why)
	}
}

// finish makes the projection, and what orders it.
func (s *block) finish() (*Query, error) {
	q := &Query{Root: s.sel}
	for _, f := range s.fields {
		c := Col{ID: s.newID(), Name: f.label, Type: f.expr.Type}
		s.sel.Project = append(s.sel.Project, Computed{Col: c, Expr: f.expr})
		q.Out = append(q.Out, c)
	}
	s.selects = append(s.selects, s.sel)
	s.sel.Distinct = s.node.Distinct
	var err error
	if q.Limit, q.Offset, err = s.limit(s.node.Limit); err != nil {
		return nil, err
	}
	if s.node.OrderBy == nil {
		return q, nil
	}
	items := s.node.OrderBy.Items
	if !s.sel.Distinct {
		for i, o := range s.order {
			if k := s.projected(s.sel, o); k.Op == expr.OpColumn {
				q.OrderBy = append(q.OrderBy, Order{Col: k.Col, Desc: items[i].Desc})
			}
		}
		return q, nil
	}
	keys := make([]*expr.Expr, len(s.order))
	for i, o := range s.order {
		if keys[i], err = s.overFields(o, i+1); err != nil {
			return nil, err
		}
	}
	return s.sorted(q, keys, items)
}

// overFields puts an ORDER BY expression of a SELECT DISTINCT over its fields;
// error 3065 if it needs more than they tell.
func (s *block) overFields(e *expr.Expr, n int) (*expr.Expr, error) {
	for _, p := range s.sel.Project {
		if expr.Equal(p.Expr, e) {
			return expr.NewColumn(p.ID, p.Name, p.Type), nil
		}
	}
	if e.Op == expr.OpColumn && s.outer[e.Col] {
		return e, nil
	}
	if e.Op == expr.OpColumn {
		name := e.Name
		if v := s.src.scope.byID(e.Col); v != nil {
			name = v.full()
		}
		return nil, sqlerr.New(sqlerr.FieldInOrderNotSelect, "Expression #%d of ORDER BY clause is not in SELECT list, references column '%s' which is not in SELECT list; this is incompatible with DISTINCT", n, name)
	}
	c := *e
	c.Args = make([]*expr.Expr, len(e.Args))
	for i, a := range e.Args {
		var err error
		if c.Args[i], err = s.overFields(a, n); err != nil {
			return nil, err
		}
	}
	return &c, nil
}
