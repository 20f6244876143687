package bind

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// CreateIndex makes an index of a table, an upsert stream or a materialized view.
type CreateIndex struct {
	Table Name
	Name  string
	// Define finds the columns in the table as it is when the statement takes effect, and
	// makes the query of what the index holds: see catalog.SecondaryIndex.
	Define func(*catalog.Table) (columns []int, q *Query, err error)
}

// DropIndex drops an index.
type DropIndex struct {
	Table Name
	Name  string
}

// createIndex binds CREATE INDEX, and ADD INDEX of ALTER TABLE.
func (b *binder) createIndex(table *ast.TableName, name string, parts []*ast.IndexPartSpecification) (Statement, error) {
	on, err := b.name(table)
	if err != nil {
		return nil, err
	}
	t, err := b.table(table)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = indexName(t, parts)
	}
	if err := checkIdentifier(name, sqlerr.WrongNameForIndex, "index"); err != nil {
		return nil, err
	}
	if sameName(name, "PRIMARY") {
		return nil, sqlerr.New(sqlerr.WrongNameForIndex, "Incorrect index name '%s'", name)
	}
	out := b.index(on, name, parts)
	_, _, err = out.Define(t)
	return out, err
}

func (b *binder) index(on Name, name string, parts []*ast.IndexPartSpecification) *CreateIndex {
	return &CreateIndex{Table: on, Name: name, Define: func(t *catalog.Table) ([]int, *Query, error) {
		columns, err := b.indexColumns(t, name, parts)
		if err != nil {
			return nil, nil, err
		}
		q, err := b.indexQuery(t, columns)
		return columns, q, err
	}}
}

// indexName is MySQL's name for an index that has none: that of its first column, with a
// number if it is taken.
func indexName(t *catalog.Table, parts []*ast.IndexPartSpecification) string {
	if parts[0].Column == nil {
		return "functional_index"
	}
	return freeKeyName(parts[0].Column.Name.O, func(name string) bool { return hasIndex(t, name) })
}

// hasIndex reports that a key or an index has the name.
func hasIndex(t *catalog.Table, name string) bool {
	return sameName(name, "PRIMARY") ||
		slices.ContainsFunc(t.Unique, func(k catalog.Key) bool { return sameName(k.Name, name) }) ||
		slices.ContainsFunc(t.Indexes, func(x catalog.SecondaryIndex) bool { return sameName(x.Name, name) })
}

// indexColumns are the columns of an index: errors 1061, 1072, 1170, 3152, and 1347 for
// what has none.
func (b *binder) indexColumns(t *catalog.Table, name string, parts []*ast.IndexPartSpecification) ([]int, error) {
	switch {
	case t.Kind == catalog.BaseTable, t.Kind == catalog.MaterializedView, t.Upsert():
	case t.Kind == catalog.StreamTable:
		return nil, sqlerr.Unsupported("an index of a stream table without a primary key; make one of a materialized view over it")
	default:
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", t.Database, t.Name)
	}
	if hasIndex(t, name) {
		return nil, duplicateKey(name)
	}
	for _, p := range parts {
		if p.Desc {
			b.env.warn(sqlerr.NotSupportedYet, "DESC of an index column has no effect")
		}
	}
	c := &creating{binder: b, table: t}
	columns, err := c.keyColumns(parts)
	if err != nil {
		return nil, err
	}
	return columns, c.checkKey(columns)
}

// indexQuery reads the values of an index and what its rows are found by.
func (b *binder) indexQuery(t *catalog.Table, columns []int) (*Query, error) {
	src, err := b.scan(t, t.Name)
	if err != nil {
		return nil, err
	}
	scan := src.rel.(*Scan)
	sel := &Select{From: scan}
	q := &Query{Root: sel, Limit: -1}
	for n, i := range slices.Concat(columns, t.FoundBy()) {
		c := scan.Cols[i]
		col := Col{ID: b.newID(), Name: c.Name + "#" + itoa(n), Type: c.Type}
		sel.Project = append(sel.Project, Computed{Col: col, Expr: expr.NewColumn(c.ID, c.Name, c.Type)})
		q.Out = append(q.Out, col)
	}
	return q, nil
}

// dropIndex binds DROP INDEX, also of ALTER TABLE: error 1091 for one that is not there.
func (b *binder) dropIndex(table *ast.TableName, name string) (Statement, error) {
	on, err := b.name(table)
	if err != nil {
		return nil, err
	}
	t, err := b.table(table)
	if err != nil {
		return nil, err
	}
	out := &DropIndex{Table: on, Name: name}
	if sameName(name, "PRIMARY") || slices.ContainsFunc(t.Unique, func(k catalog.Key) bool { return sameName(k.Name, name) }) {
		return nil, sqlerr.Unsupported("DROP INDEX of a key")
	}
	_, err = out.Resolve(t)
	return out, err
}

// Resolve finds the index among those of a table.
func (d *DropIndex) Resolve(t *catalog.Table) (int, error) {
	i := slices.IndexFunc(t.Indexes, func(x catalog.SecondaryIndex) bool { return sameName(x.Name, d.Name) })
	if i < 0 {
		return 0, sqlerr.New(sqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", d.Name)
	}
	return i, nil
}

// createIndexStatement binds CREATE [UNIQUE] INDEX.
func (b *binder) createIndexStatement(n *ast.CreateIndexStmt) (Statement, error) {
	switch n.KeyType {
	case ast.IndexKeyTypeNone:
	case ast.IndexKeyTypeUnique:
		return nil, sqlerr.Unsupported("CREATE UNIQUE INDEX; name the key in CREATE TABLE")
	default:
		return nil, sqlerr.Unsupported("this kind of index")
	}
	if n.IfNotExists {
		return nil, sqlerr.Unsupported("CREATE INDEX IF NOT EXISTS")
	}
	return b.createIndex(n.Table, n.IndexName, n.IndexPartSpecifications)
}

// dropIndexStatement binds DROP INDEX i ON t.
func (b *binder) dropIndexStatement(n *ast.DropIndexStmt) (Statement, error) {
	if n.IfExists {
		return nil, sqlerr.Unsupported("DROP INDEX IF EXISTS")
	}
	return b.dropIndex(n.Table, n.IndexName)
}

// alterIndex binds ALTER TABLE … ADD INDEX and DROP INDEX, each alone; nil: it is another change.
func (b *binder) alterIndex(n *ast.AlterTableStmt) (Statement, error) {
	if len(n.Specs) != 1 {
		return nil, nil
	}
	switch s := n.Specs[0]; {
	case s.Tp == ast.AlterTableDropIndex:
		return b.dropIndex(n.Table, s.Name)
	case s.Tp == ast.AlterTableAddConstraint && (s.Constraint.Tp == ast.ConstraintIndex || s.Constraint.Tp == ast.ConstraintKey):
		return b.createIndex(n.Table, s.Constraint.Name, s.Constraint.Keys)
	}
	return nil, nil
}
