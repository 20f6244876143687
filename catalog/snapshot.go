package catalog

import (
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/btree"

	"streamsql/sql/sqlerr"
)

// Snapshot is one version of the catalog in memory: a Reader over persistent
// B-trees. The With… and Without… methods answer a new snapshot that shares
// nearly everything with the old one, so that an edit costs O(log n) however
// much there is, and a reader keeps its version without a lock.
type Snapshot struct {
	version   uint64
	databases btree.Map[string, *Database]
	tables    btree.Map[string, *Table] // by tableKey
	ids       btree.Map[ID, *Table]
	readers   btree.Map[ID, []ID]          // who reads the key directly; slices are never changed in place
	functions btree.Map[string, *Function] // by functionKey
	callers   btree.Map[ID, []ID]          // as readers, of functions
	secrets   btree.Map[string, *Secret]

	// copying is held while the trees are copied: that marks the nodes of both
	// sides as shared, which is a write to the original.
	copying sync.Mutex
}

var _ Reader = (*Snapshot)(nil)

// NewSnapshot is the empty catalog, version 0.
func NewSnapshot() *Snapshot { return &Snapshot{} }

// tableKey orders tables by database, then name. No identifier holds a NUL.
func tableKey(db, name string) string { return db + "\x00" + name }

// next is a copy of s to be edited, one version on.
func (s *Snapshot) next() *Snapshot {
	s.copying.Lock()
	defer s.copying.Unlock()
	return &Snapshot{
		version:   s.version + 1,
		databases: *s.databases.Copy(),
		tables:    *s.tables.Copy(),
		ids:       *s.ids.Copy(),
		readers:   *s.readers.Copy(),
		functions: *s.functions.Copy(),
		callers:   *s.callers.Copy(),
		secrets:   *s.secrets.Copy(),
	}
}

// Version counts the edits since the empty catalog, unless WithVersion set it.
func (s *Snapshot) Version() uint64 { return s.version }

// Database finds a database.
func (s *Snapshot) Database(name string) (*Database, bool) { return s.databases.Get(name) }

// Databases lists them by name.
func (s *Snapshot) Databases() []*Database { return s.databases.Values() }

// Table finds any object that can stand in FROM.
func (s *Snapshot) Table(db, name string) (*Table, bool) { return s.tables.Get(tableKey(db, name)) }

// TableByID finds an object by its id.
func (s *Snapshot) TableByID(id ID) (*Table, bool) { return s.ids.Get(id) }

// Tables lists a database's objects by name.
func (s *Snapshot) Tables(db string) []*Table {
	var out []*Table
	prefix := tableKey(db, "")
	s.tables.Ascend(prefix, func(key string, t *Table) bool {
		if !strings.HasPrefix(key, prefix) {
			return false
		}
		out = append(out, t)
		return true
	})
	return out
}

// Readers lists the objects with a name whose query reads id directly, by name.
func (s *Snapshot) Readers(id ID) []*Table { return s.listed(&s.readers, id) }

// listed are the objects that one of the lists names, by name.
func (s *Snapshot) listed(lists *btree.Map[ID, []ID], id ID) []*Table {
	ids, _ := lists.Get(id)
	out := make([]*Table, 0, len(ids))
	for _, r := range ids {
		if t, ok := s.ids.Get(r); ok && !t.Hidden {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, compareNames)
	return out
}

// Objects lists everything that can stand in FROM, and what is hidden, by id. See
// InOrder.
func (s *Snapshot) Objects() []*Table { return s.ids.Values() }

// compareNames orders tables by database, then name.
func compareNames(a, b *Table) int {
	return strings.Compare(tableKey(a.Database, a.Name), tableKey(b.Database, b.Name))
}

// WithVersion is s under another version number, as the DDL log counts.
func (s *Snapshot) WithVersion(v uint64) *Snapshot {
	n := s.next()
	n.version = v
	return n
}

// WithDatabase adds a database; error 1007 when the name is taken.
func (s *Snapshot) WithDatabase(d *Database) (*Snapshot, error) {
	if _, ok := s.databases.Get(d.Name); ok {
		return nil, sqlerr.New(sqlerr.DBCreateExists, "Can't create database '%s'; database exists", d.Name)
	}
	n := s.next()
	n.databases.Set(d.Name, d)
	return n, nil
}

// WithoutDatabase drops a database and all that is in it; error 1008 when it is
// not there. Whether others read what is in it is DropPlan's question.
func (s *Snapshot) WithoutDatabase(name string) (*Snapshot, error) {
	if _, ok := s.databases.Get(name); !ok {
		return nil, sqlerr.New(sqlerr.DBDropExists, "Can't drop database '%s'; database doesn't exist", name)
	}
	n := s.next()
	for _, t := range s.Tables(name) {
		n.remove(t)
	}
	for _, f := range s.Functions(name) {
		n.functions.Delete(functionKey(name, f.Name()))
	}
	n.databases.Delete(name)
	return n, nil
}

// WithTable adds an object; error 1049 without its database, 1050 when the name
// is taken. A hidden one has neither.
func (s *Snapshot) WithTable(t *Table) (*Snapshot, error) {
	if t.Hidden {
		n := s.next()
		n.add(t)
		return n, nil
	}
	if _, ok := s.databases.Get(t.Database); !ok {
		return nil, UnknownDatabase(t.Database)
	}
	if _, ok := s.Table(t.Database, t.Name); ok {
		return nil, sqlerr.New(sqlerr.TableExists, "Table '%s' already exists", t.Name)
	}
	n := s.next()
	n.add(t)
	return n, nil
}

// WithChanged puts t in the place of the object with the same id, which may
// have had another name, query or columns; error 1146 when there is none.
func (s *Snapshot) WithChanged(t *Table) (*Snapshot, error) {
	old, ok := s.ids.Get(t.ID)
	if !ok {
		return nil, NoSuchTable(t.Database, t.Name)
	}
	if other, taken := s.Table(t.Database, t.Name); taken && other.ID != t.ID && !t.Hidden {
		return nil, sqlerr.New(sqlerr.TableExists, "Table '%s' already exists", t.Name)
	}
	n := s.next()
	n.remove(old)
	n.add(t)
	return n, nil
}

// WithoutTable drops an object. Nothing happens when it is not there.
func (s *Snapshot) WithoutTable(id ID) *Snapshot {
	t, ok := s.ids.Get(id)
	if !ok {
		return s
	}
	n := s.next()
	n.remove(t)
	return n
}

func (s *Snapshot) add(t *Table) {
	if !t.Hidden {
		s.tables.Set(tableKey(t.Database, t.Name), t)
	}
	s.ids.Set(t.ID, t)
	list(&s.readers, t.Reads, t.ID)
	list(&s.callers, t.Calls, t.ID)
}

// list adds reader to the lists of what it reads.
func list(lists *btree.Map[ID, []ID], reads []ID, reader ID) {
	for _, read := range reads {
		old, _ := lists.Get(read)
		if !slices.Contains(old, reader) {
			lists.Set(read, append(slices.Clone(old), reader))
		}
	}
}

// unlist takes reader off the lists of what it reads.
func unlist(lists *btree.Map[ID, []ID], reads []ID, reader ID) {
	for _, read := range reads {
		old, _ := lists.Get(read)
		left := slices.DeleteFunc(slices.Clone(old), func(id ID) bool { return id == reader })
		if len(left) == 0 {
			lists.Delete(read)
		} else {
			lists.Set(read, left)
		}
	}
}

func (s *Snapshot) remove(t *Table) {
	if !t.Hidden {
		s.tables.Delete(tableKey(t.Database, t.Name))
	}
	s.ids.Delete(t.ID)
	unlist(&s.readers, t.Reads, t.ID)
	unlist(&s.callers, t.Calls, t.ID)
}
