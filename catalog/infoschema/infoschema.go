// Package infoschema is information_schema: system views over a version of the
// catalog, as MySQL has them. They are tables to the binder and the planner like
// all others; their rows are computed when they are read.
package infoschema

import (
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/sql/types"
)

// Name of the database.
const Name = "information_schema"

// FirstID is where the ids of system views begin: no stored object gets one.
const FirstID = catalog.ID(1) << 48

var (
	database = &catalog.Database{ID: FirstID, Name: Name, Collation: "utf8mb4_general_ci"}
	byName   = map[string]*catalog.Table{} // in upper case
	list     []*catalog.Table              // the id's place
)

// init reads the definitions. The ids follow their order, and are not stored.
func init() {
	for _, d := range definitions {
		name, columns, _ := strings.Cut(d.columns, ":")
		t := &catalog.Table{
			ID: FirstID + 1 + catalog.ID(len(list)), Database: Name, Name: strings.TrimSpace(name), Kind: catalog.Virtual,
		}
		for f := range strings.FieldsSeq(columns) {
			t.Columns = append(t.Columns, column(f))
		}
		byName[t.Name] = t
		list = append(list, t)
	}
}

// column reads a definition: a name, with # behind it for an integer, @ for a
// point of time.
func column(def string) catalog.Column {
	name := strings.TrimRight(def, "#@")
	c := catalog.Column{Name: name, Type: types.Type{Kind: types.VarChar, Len: 255, Collation: types.UTF8MB4GeneralCI}}
	switch {
	case strings.HasSuffix(def, "#"):
		c.Type = types.MakeBigInt()
	case strings.HasSuffix(def, "@"):
		c.Type = types.MakeDateTime(0)
	}
	return c
}

// Wrap adds information_schema to a catalog. Its names are the same in every case.
func Wrap(r catalog.Reader) catalog.Reader { return reader{r} }

type reader struct{ catalog.Reader }

func (r reader) Database(name string) (*catalog.Database, bool) {
	if strings.EqualFold(name, Name) {
		return database, true
	}
	return r.Reader.Database(name)
}

func (r reader) Databases() []*catalog.Database {
	all := append(slices.Clone(r.Reader.Databases()), database)
	slices.SortFunc(all, func(a, b *catalog.Database) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (r reader) Table(db, name string) (*catalog.Table, bool) {
	if strings.EqualFold(db, Name) {
		t, ok := byName[strings.ToUpper(name)]
		return t, ok
	}
	return r.Reader.Table(db, name)
}

func (r reader) TableByID(id catalog.ID) (*catalog.Table, bool) {
	if id > FirstID && int(id-FirstID) <= len(list) {
		return list[id-FirstID-1], true
	}
	return r.Reader.TableByID(id)
}

func (r reader) Tables(db string) []*catalog.Table {
	if strings.EqualFold(db, Name) {
		all := slices.Clone(list)
		slices.SortFunc(all, func(a, b *catalog.Table) int { return strings.Compare(a.Name, b.Name) })
		return all
	}
	return r.Reader.Tables(db)
}
