package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// drop binds the DROP statements of the dialect.
func (b *binder) drop(d *parser.Drop) (Statement, error) {
	names := make([]Name, len(d.Names))
	for i, n := range d.Names {
		db, err := b.database(n.Schema)
		if err != nil {
			return nil, err
		}
		names[i] = Name{DB: db, Name: n.Name.O}
	}
	kind := map[string]catalog.Kind{
		"stream table": catalog.StreamTable, "materialized view": catalog.MaterializedView,
		"dimension table": catalog.DimensionTable, "sink": catalog.Sink, "continuous query": catalog.ContinuousQuery, "table": catalog.BaseTable, "view": catalog.View,
	}[d.Kind]
	out := &DropTables{Kind: kind, Names: names, IfExists: d.IfExists, Cascade: d.Cascade}
	if _, _, err := out.Resolve(b.env.Catalog); err != nil {
		return nil, err
	}
	return out, nil
}

// dropTables binds MySQL's DROP TABLE and DROP VIEW.
func (b *binder) dropTables(n *ast.DropTableStmt) (Statement, error) {
	if n.TemporaryKeyword != ast.TemporaryNone {
		return nil, sqlerr.Unsupported("DROP TEMPORARY TABLE")
	}
	kind := "table"
	if n.IsView {
		kind = "view"
	}
	return b.drop(&parser.Drop{Kind: kind, Names: n.Tables, IfExists: n.IfExists})
}

// Resolve finds in one version of the catalog what the statement drops: with
// CASCADE the readers too, each before what it reads. missing are the names that
// IF EXISTS passes over. Errors: 1051 for what is not there, 1347 for an object
// of another kind, 3730 for one that others read.
func (d *DropTables) Resolve(r catalog.Reader) (order []*catalog.Table, missing []string, err error) {
	var targets []*catalog.Table
	seen := make(map[Name]bool)
	for _, n := range d.Names {
		full := n.DB + "." + n.Name
		if seen[n] {
			return nil, nil, sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", n.Name)
		}
		seen[n] = true
		t, ok := r.Table(n.DB, n.Name)
		switch {
		case !ok:
			missing = append(missing, full)
		case t.Kind != d.Kind:
			return nil, nil, sqlerr.New(sqlerr.WrongObject, "'%s' is not %s; it is a %s: use DROP %s",
				full, strings.ToUpper(string(d.Kind)), t.Kind, strings.ToUpper(string(t.Kind)))
		default:
			targets = append(targets, t)
		}
	}
	if len(missing) > 0 && !d.IfExists {
		return nil, nil, sqlerr.New(sqlerr.BadTable, "Unknown table '%s'", strings.Join(missing, ","))
	}
	order, err = catalog.DropPlan(r, targets, d.Cascade)
	return order, missing, err
}
