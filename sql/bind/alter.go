package bind

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// RenameTables gives objects other names, one after the other.
type RenameTables struct{ Moves []Rename }

// Rename is one of its moves.
type Rename struct{ From, To Name }

// AlterTable changes a definition. No row is written anew. Change makes the new
// descriptor of the one that the name has when it takes effect.
type AlterTable struct {
	Name   Name
	Change func(catalog.Table) (*Altered, error)
}

// Altered is a table as it is to be.
type Altered struct {
	Table *catalog.Table
	Added []AddedColumn
}

// AddedColumn is a column that ALTER adds.
type AddedColumn struct {
	Column int        // its place
	Value  *expr.Expr // a constant, or a function of the statement's time: what the rows have that are there
	// Made up: the column is NOT NULL and has no DEFAULT; where there are rows, dates have no
	// such value.
	MadeUp bool
}

// SetOptions gives options of an object other values; empty: what holds where nothing
// is said.
type SetOptions struct {
	Table   *catalog.Table
	Options map[string]string
}

// alterObject binds ALTER of any kind of object: SET, and RENAME TO.
func (b *binder) alterObject(n *parser.Alter) (Statement, error) {
	t, err := b.table(n.Name)
	if err != nil {
		return nil, err
	}
	altersTable := n.Kind == "" && (t.Kind == catalog.BaseTable || t.Kind == catalog.StreamTable)
	if n.Kind != string(t.Kind) && !altersTable {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not %s", t.Database, t.Name, strings.ToUpper(cmp.Or(n.Kind, "base table")))
	}
	if n.To != nil {
		move, err := b.rename(n.Name, n.To)
		if n.To.Schema.O == "" {
			move.To.DB = t.Database
		}
		return &RenameTables{Moves: []Rename{move}}, err
	}
	out := &SetOptions{Table: t, Options: map[string]string{}}
	for k, v := range n.Options {
		if strings.EqualFold(v, "default") {
			v = ""
		}
		out.Options[k] = v
	}
	return out, nil
}

// name is a table's name with its database.
func (b *binder) name(n *ast.TableName) (Name, error) {
	db, err := b.database(n.Schema)
	return Name{DB: db, Name: n.Name.O}, err
}

// renameTables binds RENAME TABLE a TO b, ….
func (b *binder) renameTables(n *ast.RenameTableStmt) (Statement, error) {
	out := &RenameTables{}
	for _, m := range n.TableToTables {
		move, err := b.rename(m.OldTable, m.NewTable)
		if err != nil {
			return nil, err
		}
		out.Moves = append(out.Moves, move)
	}
	return out, nil
}

func (b *binder) rename(from, to *ast.TableName) (m Rename, err error) {
	if m.From, err = b.name(from); err != nil {
		return m, err
	}
	if m.To, err = b.name(to); err != nil {
		return m, err
	}
	return m, checkIdentifier(m.To.Name, sqlerr.WrongTableName, "table")
}

// Resolve is the catalog with the names changed, and the objects that have new
// ones: errors 1146, 1049, 1050.
func (r *RenameTables) Resolve(cat *catalog.Snapshot) (*catalog.Snapshot, []*catalog.Table, error) {
	var changed []*catalog.Table
	for _, m := range r.Moves {
		old, ok := cat.Table(m.From.DB, m.From.Name)
		if !ok {
			return nil, nil, catalog.NoSuchTable(m.From.DB, m.From.Name)
		}
		if _, ok := cat.Database(m.To.DB); !ok {
			return nil, nil, catalog.UnknownDatabase(m.To.DB)
		}
		t := *old
		t.Database, t.Name = m.To.DB, m.To.Name
		var err error
		if cat, err = cat.WithChanged(&t); err != nil {
			return nil, nil, err
		}
		changed = slices.DeleteFunc(changed, func(c *catalog.Table) bool { return c.ID == t.ID })
		changed = append(changed, &t)
	}
	return cat, changed, nil
}

// alterTable binds ALTER TABLE, and ALTER STREAM TABLE.
func (b *binder) alterTable(n *ast.AlterTableStmt, stream bool) (Statement, error) {
	name, err := b.name(n.Table)
	if err != nil {
		return nil, err
	}
	if s, err := b.alterIndex(n); s != nil || err != nil {
		return s, err
	}
	t, err := b.table(n.Table)
	if err != nil {
		return nil, err
	}
	if t.Kind != catalog.BaseTable && t.Kind != catalog.StreamTable {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", t.Database, t.Name)
	}
	if stream && t.Kind != catalog.StreamTable {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not STREAM TABLE", t.Database, t.Name)
	}
	if len(n.Specs) == 1 && n.Specs[0].Tp == ast.AlterTableRenameTable {
		move, err := b.rename(n.Table, n.Specs[0].NewTable)
		if n.Specs[0].NewTable.Schema.O == "" {
			move.To.DB = name.DB
		}
		return &RenameTables{Moves: []Rename{move}}, err
	}
	out := &AlterTable{Name: name, Change: func(t catalog.Table) (*Altered, error) {
		t.Columns = slices.Clone(t.Columns)
		a := &altering{binder: b, table: &t}
		for _, s := range n.Specs {
			if err := a.alter(s); err != nil {
				return nil, err
			}
		}
		if len(t.Visible()) == 0 {
			return nil, sqlerr.New(sqlerr.CantRemoveAllFields, "You can't delete all columns with ALTER TABLE; use DROP TABLE instead")
		}
		return &Altered{&t, a.added}, nil
	}}
	_, err = out.Change(*t)
	return out, err
}

// altering is an ALTER TABLE while it is applied to a descriptor.
type altering struct {
	*binder
	table *catalog.Table // as it has become so far
	added []AddedColumn
}

// alter applies one change.
func (a *altering) alter(s *ast.AlterTableSpec) error {
	switch s.Tp {
	case ast.AlterTableRenameColumn:
		return a.renameColumn(s)
	case ast.AlterTableAlterColumn:
		return a.setDefault(s.NewColumns[0])
	case ast.AlterTableAddColumns:
		return a.addColumns(s)
	case ast.AlterTableDropColumn:
		return a.dropColumn(s)
	case ast.AlterTableEnableKeys, ast.AlterTableDisableKeys:
		return nil // indexes are always kept; dumps say so around their rows
	case ast.AlterTableOption:
		for _, o := range s.Options {
			if o.Tp != ast.TableOptionComment {
				return sqlerr.Unsupported("ALTER TABLE of this option")
			}
			a.table.Comment = o.StrValue
		}
		return nil
	}
	if form := alterForms[s.Tp]; form != "" {
		return sqlerr.Unsupported("ALTER TABLE … " + form)
	}
	return sqlerr.Unsupported("this form of ALTER TABLE")
}

// setDefault is ALTER COLUMN c SET DEFAULT, and DROP DEFAULT.
func (a *altering) setDefault(def *ast.ColumnDef) error {
	i, err := columnIndex(a.table, a.table.Name, def.Name)
	if err != nil {
		return err
	}
	c := &creating{binder: a.binder, table: a.table, stream: a.table.Kind == catalog.StreamTable}
	a.table.Columns[i].Default = nil
	for _, o := range def.Options {
		if err := c.defaultOption(&a.table.Columns[i], o); err != nil {
			return err
		}
	}
	return c.checkDefaults()
}

// renameColumn is RENAME COLUMN. Generated columns that are computed from it name it anew.
func (a *altering) renameColumn(s *ast.AlterTableSpec) error {
	t := a.table
	i, err := columnIndex(t, t.Name, s.OldColumnName)
	if err != nil {
		return err
	}
	to := s.NewColumnName.Name.O
	if err := a.checkName(to); err != nil {
		return err
	}
	for k, c := range t.Columns {
		if k != i && !c.Hidden && sameName(c.Name, to) {
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", to)
		}
	}
	for k, c := range t.Columns {
		if c.Generated == "" {
			continue
		}
		if t.Columns[k].Generated, err = renamedIn(c.Generated, t.Columns[i].Name, to); err != nil {
			return err
		}
	}
	t.Columns[i].Name = to
	return nil
}

// renamedIn is the text of an expression in which a column has another name.
func renamedIn(text, from, to string) (string, error) {
	stmt, err := parseStored("SELECT "+text, 0)
	if err != nil {
		return "", err
	}
	stmt.Node.Accept(columnRenamer{from, to})
	return restored(stmt.Node.(*ast.SelectStmt).Fields.Fields[0].Expr)
}

type columnRenamer struct{ from, to string }

// Enter implements ast.Visitor.
func (r columnRenamer) Enter(n ast.Node) (ast.Node, bool) {
	if c, ok := n.(*ast.ColumnName); ok && sameName(c.Name.O, r.from) {
		c.Name = ast.NewCIStr(r.to)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (r columnRenamer) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// alterForms are the forms of ALTER TABLE that are not there, as one writes them.
var alterForms = map[ast.AlterTableType]string{
	ast.AlterTableModifyColumn:        "MODIFY COLUMN",
	ast.AlterTableChangeColumn:        "CHANGE COLUMN",
	ast.AlterTableAddConstraint:       "ADD key or constraint",
	ast.AlterTableDropPrimaryKey:      "DROP PRIMARY KEY",
	ast.AlterTableDropIndex:           "DROP INDEX",
	ast.AlterTableRenameIndex:         "RENAME INDEX",
	ast.AlterTableDropForeignKey:      "DROP FOREIGN KEY",
	ast.AlterTableOrderByColumns:      "ORDER BY",
	ast.AlterTableAlterCheck:          "ALTER CHECK",
	ast.AlterTableDropCheck:           "DROP CHECK",
	ast.AlterTablePartition:           "PARTITION BY",
	ast.AlterTableForce:               "FORCE",
	ast.AlterTableIndexInvisible:      "ALTER INDEX",
	ast.AlterTableAddPartitions:       "ADD PARTITION",
	ast.AlterTableDropPartition:       "DROP PARTITION",
	ast.AlterTableTruncatePartition:   "TRUNCATE PARTITION",
	ast.AlterTableRemovePartitioning:  "REMOVE PARTITIONING",
	ast.AlterTableExchangePartition:   "EXCHANGE PARTITION",
	ast.AlterTableDiscardTablespace:   "DISCARD TABLESPACE",
	ast.AlterTableImportTablespace:    "IMPORT TABLESPACE",
	ast.AlterTableCoalescePartitions:  "COALESCE PARTITION",
	ast.AlterTableReorganizePartition: "REORGANIZE PARTITION",
}
