package bind

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/reference"
	"streamsql/sql/sqlerr"
)

// checkName is error 1166 for what no column may be called.
func (a *altering) checkName(name string) error {
	if err := checkIdentifier(name, sqlerr.WrongColumnName, "column"); err != nil {
		return err
	}
	if reservedColumn(name, a.table.Kind == catalog.StreamTable) {
		return sqlerr.New(sqlerr.WrongColumnName, "Incorrect column name '%s'", name)
	}
	return nil
}

// addColumns is ADD COLUMN. A column that is added stands behind all others in the rows;
// where people see it, FIRST and AFTER say.
func (a *altering) addColumns(s *ast.AlterTableSpec) error {
	if a.table.Options["connector"] != "" {
		return sqlerr.Unsupported("ADD COLUMN to a stream table with a connector")
	}
	for _, def := range s.NewColumns {
		if err := a.addColumn(def, s.Position); err != nil {
			return err
		}
	}
	return nil
}

func (a *altering) addColumn(def *ast.ColumnDef, at *ast.ColumnPosition) error {
	t, name := a.table, def.Name.Name.O
	if err := a.checkName(name); err != nil {
		return err
	}
	if _, err := columnIndex(t, t.Name, def.Name); err == nil {
		return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name)
	}
	if len(t.Columns) >= maxColumns {
		return sqlerr.New(sqlerr.TooManyFields, "Too many columns")
	}
	c := &creating{binder: a.binder, table: t, stream: t.Kind == catalog.StreamTable}
	if err := c.defaultCollation(nil); err != nil {
		return err
	}
	typ, err := columnType(name, def.Tp, c.collation)
	if err != nil {
		return err
	}
	i := len(t.Columns)
	t.Columns = append(t.Columns, catalog.Column{Name: name, Type: typ})
	for _, o := range def.Options {
		if what := notAdded[o.Tp]; what != "" {
			return sqlerr.Unsupported("ALTER TABLE … ADD COLUMN … " + what)
		}
		if err := c.columnOption(i, o); err != nil {
			return err
		}
	}
	if err := c.checkDefaults(); err != nil {
		return err
	}
	if err := a.initial(i); err != nil {
		return err
	}
	return a.place(i, at)
}

// notAdded are the column options that ADD COLUMN does not take.
var notAdded = map[ast.ColumnOptionType]string{
	ast.ColumnOptionPrimaryKey:    "PRIMARY KEY",
	ast.ColumnOptionUniqKey:       "UNIQUE",
	ast.ColumnOptionAutoIncrement: "AUTO_INCREMENT",
	ast.ColumnOptionGenerated:     "GENERATED ALWAYS AS",
}

// initial finds what the rows that are there have in column i: its DEFAULT, NULL, or what
// MySQL makes up for NOT NULL.
func (a *altering) initial(i int) error {
	col := &a.table.Columns[i]
	in := newInserting(a.table, a.env)
	added := AddedColumn{Column: i}
	if col.Default == nil && col.Type.NotNull {
		added.Value, added.MadeUp = implicitDefault(col.Type), true
		a.added = append(a.added, added)
		return nil
	}
	var err error
	if added.Value, err = in.defaultOf(i); err != nil {
		return err
	}
	varies := added.Value.HasSubquery()
	added.Value.Walk(func(x *expr.Expr) bool {
		call := x.Op == expr.OpCall && !sameName(x.Fn, "now") && !sameName(x.Fn, "current_timestamp")
		varies = varies || call && (x.Routine != nil || !builtin.Deterministic(x.Fn) || reference.VariesBy(x.Fn, len(x.Args)) != reference.Never)
		return true
	})
	if varies {
		return sqlerr.Unsupported("ADD COLUMN with a DEFAULT that differs from row to row")
	}
	a.added = append(a.added, added)
	return nil
}

// place puts the last column where people are to see it.
func (a *altering) place(i int, at *ast.ColumnPosition) error {
	t := a.table
	last := at == nil || at.Tp == ast.ColumnPositionNone
	if last && t.Order == nil {
		return nil
	}
	order := slices.DeleteFunc(slices.Clone(t.InSight()), func(c int) bool { return c == i })
	to := len(order)
	switch {
	case last:
	case at.Tp == ast.ColumnPositionFirst:
		to = 0
	default:
		after, err := columnIndex(t, t.Name, at.RelativeColumn)
		if err != nil || after == i {
			return sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", at.RelativeColumn.Name.O, t.Name)
		}
		to = slices.Index(order, after) + 1
	}
	t.Order = slices.Insert(order, to, i)
	return nil
}

// dropColumn is DROP COLUMN. The column's place stays in the rows.
func (a *altering) dropColumn(s *ast.AlterTableSpec) error {
	t := a.table
	i, err := columnIndex(t, t.Name, s.OldColumnName)
	if err != nil {
		return sqlerr.New(sqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", s.OldColumnName.Name.O)
	}
	if t.Options["connector"] != "" {
		return sqlerr.Unsupported("DROP COLUMN of a stream table with a connector")
	}
	col := &t.Columns[i]
	if slices.Contains(t.Primary, i) || slices.ContainsFunc(t.Unique, func(k catalog.Key) bool { return slices.Contains(k.Columns, i) }) {
		return sqlerr.Unsupported("DROP COLUMN of a column of a key")
	}
	for _, x := range t.Indexes {
		if slices.Contains(x.Columns, i) {
			return sqlerr.New(sqlerr.WrongArguments, "Column '%s' cannot be dropped: index '%s' is made of it; drop that first", col.Name, x.Name)
		}
	}
	if t.EventTime != nil && t.EventTime.Column == i {
		return sqlerr.New(sqlerr.WrongArguments, "Column '%s' cannot be dropped: the watermark of '%s' is made of it", col.Name, t.Name)
	}
	for _, c := range t.Columns {
		if c.Generated == "" || c.Name == col.Name {
			continue
		}
		if text, err := renamedIn(c.Generated, col.Name, col.Name+"\x00"); err != nil || strings.Contains(text, "\x00") {
			return sqlerr.New(sqlerr.DependentByGenerated, "Column '%s' has a generated column dependency.", col.Name)
		}
	}
	col.Name += "#" + itoa(i)
	col.Hidden, col.Dropped = true, true
	col.Type.NotNull, col.Default, col.Generated, col.AutoIncrement = false, nil, "", false
	return nil
}
