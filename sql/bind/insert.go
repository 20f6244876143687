package bind

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// inserting is an INSERT or REPLACE while it is bound.
type inserting struct {
	*binder
	table *catalog.Table
	// given says which of the values goes into each of the table's columns, −1: none.
	given    []int
	count    int // values a row has
	ignore   bool
	several  bool         // not an INSERT of one row: NULL may be the implicit default of a NOT NULL column
	defaults []*expr.Expr // by column, bound at first use
}

// insert binds INSERT and REPLACE.
func (b *binder) insert(n *ast.InsertStmt, newRow *parser.RowAlias) (Statement, error) {
	t, err := b.target(n.Table.TableRefs, "INSERT")
	if err != nil {
		return nil, err
	}
	if len(n.PartitionNames) > 0 {
		return nil, sqlerr.Unsupported("PARTITION")
	}
	if t.Kind == catalog.StreamTable && n.IsReplace && !t.Upsert() {
		return nil, sqlerr.Unsupported("REPLACE into a stream table without a primary key, which has nothing to replace; use INSERT")
	}
	if t.Kind == catalog.StreamTable && len(n.OnDuplicate) > 0 {
		return nil, sqlerr.Unsupported("ON DUPLICATE KEY UPDATE of a stream table")
	}
	b.priority(n.Priority)
	in := &inserting{binder: b, table: t, ignore: n.IgnoreErr, defaults: make([]*expr.Expr, len(t.Columns))}
	if err := in.columns(n.Columns); err != nil {
		return nil, err
	}
	out := &Insert{Table: t, Replace: n.IsReplace, Ignore: n.IgnoreErr}
	switch {
	case n.Select != nil:
		out.Source, err = in.fromQuery(n.Select)
	default:
		out.Rows, err = in.rows(n.Lists)
	}
	if err != nil {
		return nil, err
	}
	if len(n.OnDuplicate) > 0 {
		if err := in.onDuplicate(n.OnDuplicate, newRow, out); err != nil {
			return nil, err
		}
	}
	generated := hasGenerated(t)
	if out.Source == nil && (generated || anySubquery(out.Rows)) {
		out.Source, out.Rows = in.computed(out.Rows), nil
	}
	if generated {
		if out.Source, err = b.generate(t, out.Source); err != nil {
			return nil, err
		}
	}
	out.Params, out.Reads = b.params, b.reads
	return out, nil
}

// target is the one table that a statement changes: error 1471 or 1288 for what
// cannot be changed.
func (b *binder) target(join *ast.Join, verb string) (*catalog.Table, error) {
	source, ok := join.Left.(*ast.TableSource)
	if !ok || join.Right != nil {
		return nil, sqlerr.Unsupported(verb + " of several tables")
	}
	name, ok := source.Source.(*ast.TableName)
	if !ok {
		return nil, sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", source.AsName.O, verb)
	}
	if err := refuseTableName(name); err != nil {
		return nil, err
	}
	t, err := b.table(name)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Kind == catalog.BaseTable, t.Upsert():
	case t.Kind == catalog.StreamTable && verb == "INSERT":
	case t.Kind == catalog.StreamTable:
		return nil, sqlerr.Unsupported(verb + " of a stream table without a primary key")
	case verb == "INSERT":
		return nil, sqlerr.New(sqlerr.NonInsertableTable, "The target table %s of the INSERT is not insertable-into", t.Name)
	default:
		return nil, sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", t.Name, verb)
	}
	return t, nil
}

// columns reads the column list; without one it is all columns in order.
func (in *inserting) columns(list []*ast.ColumnName) error {
	in.unnamed(len(list) == 0)
	for _, name := range list {
		i, err := in.columnIndex(name)
		if err != nil {
			return err
		}
		if in.given[i] >= 0 {
			return sqlerr.New(sqlerr.FieldSpecifiedTwice, "Column '%s' specified twice", name.Name.O)
		}
		in.given[i] = in.count
		in.count++
	}
	return nil
}

// unnamed begins a column list: nothing is given yet, or all columns in order.
func (in *inserting) unnamed(all bool) {
	in.given = make([]int, len(in.table.Columns))
	for i := range in.given {
		in.given[i] = -1
	}
	if !all {
		return
	}
	for _, i := range in.table.Visible() {
		in.given[i] = in.count
		in.count++
	}
}

// columnIndex finds a column of the target by name.
func (in *inserting) columnIndex(name *ast.ColumnName) (int, error) {
	return columnIndex(in.table, in.table.Name, name)
}

// columnIndex finds the position of a column of t, which is known as alias.
func columnIndex(t *catalog.Table, alias string, name *ast.ColumnName) (int, error) {
	for i, c := range t.Columns {
		if !c.Hidden && sameName(c.Name, name.Name.O) && (name.Table.O == "" || name.Table.O == alias) {
			return i, nil
		}
	}
	s := scope{}
	for _, c := range t.Columns {
		s.cols = append(s.cols, visible{Col: Col{Name: c.Name}, db: t.Database, table: alias, hidden: c.Hidden})
	}
	return 0, s.unknown(name, "field list", nil)
}

// rows binds VALUES lists and SET.
func (in *inserting) rows(lists [][]ast.ExprNode) ([][]*expr.Expr, error) {
	in.several = len(lists) > 1
	out := make([][]*expr.Expr, len(lists))
	cells := make([]*expr.Expr, len(lists)*len(in.table.Columns))
	scope := &names{clause: "field list"}
	for r, list := range lists {
		count := in.count
		if len(list) == 0 { // VALUES (): defaults
			count = 0
		}
		if len(list) != count {
			return nil, wrongValueCount(r + 1)
		}
		out[r], cells = cells[:len(in.table.Columns):len(in.table.Columns)], cells[len(in.table.Columns):]
		for c, g := range in.given {
			var node ast.ExprNode
			if g >= 0 && len(list) > 0 {
				node = list[g]
			}
			var err error
			if out[r][c], err = in.value(c, node, scope); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// anySubquery reports a subquery among the values of rows.
func anySubquery(rows [][]*expr.Expr) bool {
	for _, r := range rows {
		if slices.ContainsFunc(r, (*expr.Expr).HasSubquery) {
			return true
		}
	}
	return false
}

// computed is a query that gives rows.
func (in *inserting) computed(rows [][]*expr.Expr) *Query {
	v := &Values{Rows: rows}
	for c, col := range in.table.Columns {
		t := col.Type
		for _, r := range rows {
			t.NotNull = t.NotNull && r[c].Type.NotNull
		}
		v.Cols = append(v.Cols, Col{ID: in.newID(), Name: col.Name, Type: t})
	}
	return &Query{Root: v, Out: v.Cols, Limit: -1}
}

func wrongValueCount(row int) error {
	return sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", row)
}

// value binds what goes into column c; nil stands for its default.
func (in *inserting) value(c int, node ast.ExprNode, scope *names) (*expr.Expr, error) {
	if node == nil {
		return in.defaultOf(c)
	}
	if d, ok := node.(*ast.DefaultExpr); ok {
		if d.Name == nil {
			return in.defaultOf(c)
		}
		i, err := in.columnIndex(d.Name)
		if err != nil {
			return nil, err
		}
		e, err := in.defaultOf(i)
		if err != nil || i == c {
			return e, err
		}
		return in.assign(c, e)
	}
	if name, ok := node.(*ast.ColumnNameExpr); ok {
		if _, err := in.columnIndex(name.Name); err != nil {
			return nil, err
		}
		return nil, sqlerr.Unsupported("a column as a value of INSERT")
	}
	if in.table.Columns[c].Generated != "" {
		return nil, refuseGenerated(in.table, c)
	}
	e, err := in.expr(node, scope)
	if err != nil {
		return nil, err
	}
	return in.assign(c, e)
}

// assign casts e as column c takes it. In an AUTO_INCREMENT column NULL stands
// for the next number, and so does 0 unless sql_mode says otherwise.
func (in *inserting) assign(c int, e *expr.Expr) (*expr.Expr, error) {
	col := &in.table.Columns[c]
	if !col.AutoIncrement {
		e, err := in.assigned(e, col.Type, col.Name)
		if err == nil && (in.several || in.ignore) {
			e = builtin.OrImplicit(e, implicitDefault(col.Type))
		}
		return e, err
	}
	whole := e.Op == expr.OpConst && e.Type.IsInteger()
	zeroIsNull := in.env.Mode&NoAutoValueOnZero == 0
	if whole && zeroIsNull && e.Value.I == 0 {
		e = expr.NewNull()
	}
	e, err := in.assigned(e, col.Type.Nullable(), col.Name)
	if err != nil || whole || e.IsNull() || !zeroIsNull {
		return e, err
	}
	return in.call("nullif", e, expr.NewInt(0))
}

// assigned is e as a column of type t takes it.
func (b *binder) assigned(e *expr.Expr, t types.Type, column string) (*expr.Expr, error) {
	if e.Op == expr.OpParam && e.Type.Kind == types.Null {
		e = b.typed(e, t.Nullable())
	}
	if constant := storedPlainly(e, t); constant != nil {
		return constant, nil
	}
	return builtin.AssignColumn(b.scalar, e, t, column)
}

// defaultOf is what column c gets when no value is given: its DEFAULT, NULL, or
// the next number; error 1364 when it has none of these.
func (in *inserting) defaultOf(c int) (*expr.Expr, error) {
	if in.defaults[c] != nil {
		return in.defaults[c], nil
	}
	e, err := in.newDefault(c)
	in.defaults[c] = e
	return e, err
}

func (in *inserting) newDefault(c int) (*expr.Expr, error) {
	col := &in.table.Columns[c]
	switch {
	case col.AutoIncrement || col.Hidden || col.Generated != "": // is to come
		return expr.NewConst(expr.Value{Null: true}, col.Type.Nullable()), nil
	case col.Default != nil:
		e, err := in.defaultValue(*col.Default)
		if err != nil {
			return nil, err
		}
		if e, err = in.assign(c, e); err != nil || !builtin.Foldable(e) {
			return e, err
		}
		if constant := stored(e); constant != nil {
			return constant, nil
		}
		return e, nil
	case !col.Type.NotNull:
		return expr.NewConst(expr.Value{Null: true}, col.Type), nil
	}
	message := sqlerr.New(sqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", col.Name)
	if in.env.Mode&Strict != 0 && !in.ignore {
		return nil, message
	}
	in.env.warn(message.Code, message.Message)
	return implicitDefault(col.Type), nil
}

// implicitDefault is MySQL's value for a NOT NULL column without a DEFAULT
// outside strict mode: 0, the empty text, the first element. Dates have no zero
// here: theirs is the first there is.
func implicitDefault(t types.Type) *expr.Expr {
	v := expr.Value{}
	switch {
	case t.Kind == types.Enum:
		v.I = 1
	case t.Kind == types.JSON:
		v.S = []byte("null")
	case t.Class() == types.ClassBytes:
		v.S = []byte{}
	}
	return expr.NewConst(v, t)
}

// fromQuery binds INSERT … SELECT: the query's columns cast into the table's.
func (in *inserting) fromQuery(node ast.ResultSetNode) (*Query, error) {
	q, err := in.query(node)
	if err != nil {
		return nil, err
	}
	if len(q.Out) != in.count {
		return nil, wrongValueCount(1)
	}
	exactColumns(q)
	in.several = true
	sel := &Select{From: &Derived{Query: q}}
	out := &Query{Root: sel, Limit: -1}
	for c, g := range in.given {
		var e *expr.Expr
		if g < 0 {
			e, err = in.defaultOf(c)
		} else if in.table.Columns[c].Generated != "" {
			return nil, refuseGenerated(in.table, c)
		} else {
			e, err = in.assign(c, expr.NewColumn(q.Out[g].ID, q.Out[g].Name, q.Out[g].Type))
		}
		if err != nil {
			return nil, err
		}
		t := in.table.Columns[c].Type
		t.NotNull = t.NotNull && e.Type.NotNull
		p := Computed{Col: Col{ID: in.newID(), Name: in.table.Columns[c].Name, Type: t}, Expr: e}
		sel.Project = append(sel.Project, p)
		out.Out = append(out.Out, p.Col)
	}
	return out, nil
}

// onDuplicate binds the assignments for a row whose key is there already: bare
// names are the old row, VALUES(col) the new one, and so is its alias, if it has
// one. Each sees those before it.
func (in *inserting) onDuplicate(list []*ast.Assignment, newRow *parser.RowAlias, out *Insert) error {
	old, inserted := &scope{}, &scope{}
	for i, c := range in.table.Columns {
		o := Col{ID: in.newID(), Name: c.Name, Type: c.Type}
		n := Col{ID: in.newID(), Name: c.Name, Type: c.Type}
		out.OldCols, out.NewCols = append(out.OldCols, o), append(out.NewCols, n)
		old.cols = append(old.cols, visible{Col: o, db: in.table.Database, table: in.table.Name, base: in.table, position: i, hidden: c.Hidden})
		inserted.cols = append(inserted.cols, visible{Col: n, db: in.table.Database, table: in.table.Name, base: in.table, position: i, hidden: c.Hidden})
	}
	both := old
	if newRow != nil {
		named, err := in.named(newRow, inserted)
		if err != nil {
			return err
		}
		both = &scope{cols: slices.Concat(old.cols, named)}
	}
	set := &assigning{inserting: in, alias: in.table.Name, current: old}
	for _, a := range list {
		if err := set.add(a, &names{clause: "field list", from: both, values: inserted, constant: "ON DUPLICATE KEY UPDATE"}); err != nil {
			return err
		}
	}
	if err := set.regenerate(); err != nil {
		return err
	}
	out.OnDuplicate = set.out
	return nil
}

// named are the columns of the inserted row under its alias: the columns that
// get values by the list of the alias if it has one, else all by their own names.
func (in *inserting) named(a *parser.RowAlias, inserted *scope) ([]visible, error) {
	if sameName(a.Name, in.table.Name) {
		return nil, sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", a.Name)
	}
	if len(a.Columns) > 0 && len(a.Columns) != in.count {
		return nil, wrongColumnList()
	}
	var cols []visible
	for i, v := range inserted.cols {
		v.db, v.table, v.base = "", a.Name, nil
		if len(a.Columns) > 0 {
			if in.given[i] < 0 {
				continue
			}
			v.Name = a.Columns[in.given[i]]
		}
		cols = append(cols, v)
	}
	return cols, nil
}
