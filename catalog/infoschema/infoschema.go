// Package infoschema is information_schema, system views over a version of the
// catalog, as MySQL has them, and streamsql, the engine's own. They are tables to
// the binder and the planner like all others; their rows are computed when they
// are read.
package infoschema

import (
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/sql/types"
)

// Name and EngineName are the databases.
const (
	Name       = "information_schema"
	EngineName = "streamsql"
)

// FirstID is where the ids of system views begin: no stored object gets one.
const FirstID = catalog.ID(1) << 48

// engineFirst is where the ids of the views of streamsql begin.
const engineFirst = FirstID + 1<<16

// schema is one of the databases.
type schema struct {
	database    *catalog.Database
	definitions []definition
	list        []*catalog.Table          // by id: the first has the database's id + 1
	byName      map[string]*catalog.Table // in upper case
}

var schemas = []*schema{
	{database: &catalog.Database{ID: FirstID, Name: Name, Collation: "utf8mb4_general_ci"}, definitions: definitions},
	{database: &catalog.Database{ID: engineFirst, Name: EngineName, Collation: "utf8mb4_general_ci"}, definitions: engineDefinitions},
}

// init reads the definitions. The ids follow their order, and are not stored.
func init() {
	for _, s := range schemas {
		s.byName = map[string]*catalog.Table{}
		for _, d := range s.definitions {
			name, columns, _ := strings.Cut(d.columns, ":")
			t := &catalog.Table{
				ID: s.database.ID + 1 + catalog.ID(len(s.list)), Database: s.database.Name, Name: strings.TrimSpace(name), Kind: catalog.Virtual,
			}
			for f := range strings.FieldsSeq(columns) {
				t.Columns = append(t.Columns, column(f))
			}
			s.byName[strings.ToUpper(t.Name)] = t
			s.list = append(s.list, t)
		}
	}
}

// schemaOf finds a system database by name, in any case; nil: it is none.
func schemaOf(name string) *schema {
	for _, s := range schemas {
		if strings.EqualFold(name, s.database.Name) {
			return s
		}
	}
	return nil
}

// find finds a system view.
func find(id catalog.ID) (*catalog.Table, *definition) {
	for _, s := range schemas {
		if at := int64(id) - int64(s.database.ID) - 1; at >= 0 && at < int64(len(s.list)) {
			return s.list[at], &s.definitions[at]
		}
	}
	return nil, nil
}

// column reads a definition: a name, with # behind it for an integer, @ for a
// point of time, % and ! for one with microseconds, as a clock shows it or in the
// session's time zone, + for long text.
func column(def string) catalog.Column {
	name := strings.TrimRight(def, "#@+%!")
	c := catalog.Column{Name: name, Type: types.Type{Kind: types.VarChar, Len: 255, Collation: types.UTF8MB4GeneralCI}}
	if namesObject(name) {
		c.Type.Collation = types.UTF8MB4Bin
	}
	switch {
	case strings.HasSuffix(def, "#"):
		c.Type = types.MakeBigInt()
	case strings.HasSuffix(def, "%"):
		c.Type = types.MakeDateTime(6)
	case strings.HasSuffix(def, "!"):
		c.Type = types.Type{Kind: types.Timestamp, Scale: 6}
	case strings.HasSuffix(def, "@"):
		c.Type = types.MakeDateTime(0)
	case strings.HasSuffix(def, "+"):
		c.Type.Kind, c.Type.Len = types.Text, 65535
	}
	return c
}

// namesObject tells columns with names of databases and tables, in which case
// matters (lower_case_table_names = 0). In all other text it does not.
func namesObject(column string) bool {
	return strings.HasSuffix(column, "_CATALOG") || strings.HasSuffix(column, "_SCHEMA") || strings.HasSuffix(column, "TABLE_NAME") ||
		column == "CATALOG_NAME" || column == "SCHEMA_NAME"
}

// Wrap adds the system databases to a catalog. Their names are the same in every case.
func Wrap(r catalog.Reader) catalog.Reader { return reader{r} }

type reader struct{ catalog.Reader }

func (r reader) Database(name string) (*catalog.Database, bool) {
	if s := schemaOf(name); s != nil {
		return s.database, true
	}
	return r.Reader.Database(name)
}

func (r reader) Databases() []*catalog.Database {
	all := slices.Clone(r.Reader.Databases())
	for _, s := range schemas {
		all = append(all, s.database)
	}
	slices.SortFunc(all, func(a, b *catalog.Database) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (r reader) Table(db, name string) (*catalog.Table, bool) {
	if s := schemaOf(db); s != nil {
		t, ok := s.byName[strings.ToUpper(name)]
		return t, ok
	}
	return r.Reader.Table(db, name)
}

func (r reader) TableByID(id catalog.ID) (*catalog.Table, bool) {
	if t, _ := find(id); t != nil {
		return t, true
	}
	return r.Reader.TableByID(id)
}

func (r reader) Tables(db string) []*catalog.Table {
	if s := schemaOf(db); s != nil {
		all := slices.Clone(s.list)
		slices.SortFunc(all, func(a, b *catalog.Table) int { return strings.Compare(a.Name, b.Name) })
		return all
	}
	return r.Reader.Tables(db)
}
