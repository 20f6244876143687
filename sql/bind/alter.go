package bind

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/sqlerr"
)

// RenameTables gives objects other names, one after the other.
type RenameTables struct{ Moves []Rename }

// Rename is one of its moves.
type Rename struct{ From, To Name }

// AlterTable changes a definition that no row depends on. Change makes the new
// descriptor of the one that the name has when it takes effect.
type AlterTable struct {
	Name   Name
	Change func(catalog.Table) (*catalog.Table, error)
}

func (*RenameTables) statement() {}
func (*AlterTable) statement()   {}

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

// alterTable binds the forms of ALTER TABLE that leave rows as they are.
func (b *binder) alterTable(n *ast.AlterTableStmt) (Statement, error) {
	name, err := b.name(n.Table)
	if err != nil {
		return nil, err
	}
	t, err := b.table(n.Table)
	if err != nil {
		return nil, err
	}
	if t.Kind != catalog.BaseTable && t.Kind != catalog.StreamTable {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", t.Database, t.Name)
	}
	if len(n.Specs) == 1 && n.Specs[0].Tp == ast.AlterTableRenameTable {
		move, err := b.rename(n.Table, n.Specs[0].NewTable)
		if n.Specs[0].NewTable.Schema.O == "" {
			move.To.DB = name.DB
		}
		return &RenameTables{Moves: []Rename{move}}, err
	}
	out := &AlterTable{Name: name, Change: func(t catalog.Table) (*catalog.Table, error) {
		t.Columns = slices.Clone(t.Columns)
		for _, s := range n.Specs {
			if err := b.alter(&t, s); err != nil {
				return nil, err
			}
		}
		return &t, nil
	}}
	_, err = out.Change(*t)
	return out, err
}

// alter applies one change to a descriptor.
func (b *binder) alter(t *catalog.Table, s *ast.AlterTableSpec) error {
	switch s.Tp {
	case ast.AlterTableRenameColumn:
		return renameColumn(t, s)
	case ast.AlterTableAlterColumn:
		def := s.NewColumns[0]
		i, err := columnIndex(t, t.Name, def.Name)
		if err != nil {
			return err
		}
		c := &creating{binder: b, table: t}
		t.Columns[i].Default = nil
		for _, o := range def.Options {
			if err := c.defaultOption(&t.Columns[i], o); err != nil {
				return err
			}
		}
		return c.checkDefaults()
	case ast.AlterTableAddColumns:
		for _, def := range s.NewColumns {
			if _, err := columnIndex(t, t.Name, def.Name); err == nil {
				return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", def.Name.Name.O)
			}
		}
		return sqlerr.Unsupported("ALTER TABLE … ADD COLUMN")
	case ast.AlterTableDropColumn:
		if _, err := columnIndex(t, t.Name, s.OldColumnName); err != nil {
			return sqlerr.New(sqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", s.OldColumnName.Name.O)
		}
		return sqlerr.Unsupported("ALTER TABLE … DROP COLUMN")
	case ast.AlterTableOption:
		for _, o := range s.Options {
			if o.Tp != ast.TableOptionComment {
				return sqlerr.Unsupported("ALTER TABLE of this option")
			}
			t.Comment = o.StrValue
		}
		return nil
	}
	if form := alterForms[s.Tp]; form != "" {
		return sqlerr.Unsupported("ALTER TABLE … " + form)
	}
	return sqlerr.Unsupported("this form of ALTER TABLE")
}

func renameColumn(t *catalog.Table, s *ast.AlterTableSpec) error {
	i, err := columnIndex(t, t.Name, s.OldColumnName)
	if err != nil {
		return err
	}
	to := s.NewColumnName.Name.O
	if err := checkIdentifier(to, sqlerr.WrongColumnName, "column"); err != nil {
		return err
	}
	for k, c := range t.Columns {
		if k != i && sameName(c.Name, to) {
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", to)
		}
		if c.Generated != "" {
			return sqlerr.Unsupported("renaming a column of a table with generated columns")
		}
	}
	t.Columns[i].Name = to
	return nil
}

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
	ast.AlterTableEnableKeys:          "ENABLE KEYS",
	ast.AlterTableDisableKeys:         "DISABLE KEYS",
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
