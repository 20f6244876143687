package catalog

import (
	"fmt"
	"strings"

	"streamsql/sql/routine"
	"streamsql/sql/sqlerr"
)

// Function describes a function of the user's own. It is immutable.
type Function struct {
	ID         ID                  `json:"id"`
	Definition *routine.Definition `json:"definition"`
	Comment    string              `json:"comment,omitempty"`
	Text       string              `json:"text"` // the CREATE statement as typed
	Session    Session             `json:"session"`
	CreatedAt  int64               `json:"created_at"` // microseconds since 1970 UTC
	AlteredAt  int64               `json:"altered_at"`
}

// Database is where the function is.
func (f *Function) Database() string { return f.Definition.Database }

// Name is the function's name, as written.
func (f *Function) Name() string { return f.Definition.Name }

// functionKey orders functions by database, then name. A name is the same in every case.
func functionKey(db, name string) string { return db + "\x00" + strings.ToLower(name) }

// Function finds a function of the user's own, by its name in any case.
func (s *Snapshot) Function(db, name string) (*Function, bool) {
	return s.functions.Get(functionKey(db, name))
}

// Functions lists a database's functions by name.
func (s *Snapshot) Functions(db string) []*Function {
	var out []*Function
	prefix := functionKey(db, "")
	s.functions.Ascend(prefix, func(key string, f *Function) bool {
		if !strings.HasPrefix(key, prefix) {
			return false
		}
		out = append(out, f)
		return true
	})
	return out
}

// HasFunction reports whether there is a function with an id.
func (s *Snapshot) HasFunction(id ID) bool {
	found := false
	s.functions.Scan(func(_ string, f *Function) bool {
		found = f.ID == id
		return !found
	})
	return found
}

// Callers lists the objects whose query calls a function, by name.
func (s *Snapshot) Callers(id ID) []*Table {
	return s.listed(&s.callers, id)
}

// WithFunction adds a function, or puts it in the place of the one with the same
// name; error 1049 without its database.
func (s *Snapshot) WithFunction(f *Function) (*Snapshot, error) {
	if _, ok := s.databases.Get(f.Database()); !ok {
		return nil, UnknownDatabase(f.Database())
	}
	n := s.next()
	n.functions.Set(functionKey(f.Database(), f.Name()), f)
	return n, nil
}

// WithoutFunction drops a function. Nothing happens when it is not there.
func (s *Snapshot) WithoutFunction(f *Function) *Snapshot {
	n := s.next()
	n.functions.Delete(functionKey(f.Database(), f.Name()))
	return n
}

// DropFunctionPlan lists what goes with a function: with cascade what calls it, and
// the readers of that. Without, error 3730 names what calls it.
func DropFunctionPlan(r Reader, f *Function, cascade bool) ([]*Table, error) {
	callers := r.Callers(f.ID)
	if len(callers) == 0 {
		return nil, nil
	}
	if cascade {
		return DropPlan(r, callers, true)
	}
	names := make([]string, len(callers))
	for i, t := range callers {
		names[i] = fmt.Sprintf("%s '%s.%s'", t.Kind, t.Database, t.Name)
	}
	verb, them := "calls", "it"
	if len(callers) > 1 {
		verb, them = "call", "them"
	}
	return nil, sqlerr.New(sqlerr.DropWithReaders, "Cannot drop function '%s.%s': %s %s it; drop %s first, or add CASCADE",
		f.Database(), f.Name(), strings.Join(names, ", "), verb, them)
}

// FunctionsFree answers nil when the functions of a database may go with it: only
// what goes too calls them.
func FunctionsFree(r Reader, db string) error {
	for _, f := range r.Functions(db) {
		for _, t := range r.Callers(f.ID) {
			if t.Database != db {
				_, err := DropFunctionPlan(r, f, false)
				return err
			}
		}
	}
	return nil
}
