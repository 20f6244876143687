package catalog

import (
	"fmt"
	"strings"

	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// Secret is a text that options name and nobody reads back. It is immutable.
type Secret struct {
	ID        ID     `json:"id"`
	Name      string `json:"name"`
	Sealed    []byte `json:"sealed"`     // as the engine encrypted it
	CreatedAt int64  `json:"created_at"` // microseconds since 1970 UTC
}

// Secret finds a secret by its name, as written.
func (s *Snapshot) Secret(name string) (*Secret, bool) { return s.secrets.Get(name) }

// Secrets lists them by name.
func (s *Snapshot) Secrets() []*Secret { return s.secrets.Values() }

// WithSecret adds a secret, or puts it in the place of the one with the same name.
func (s *Snapshot) WithSecret(x *Secret) *Snapshot {
	n := s.next()
	n.secrets.Set(x.Name, x)
	return n
}

// WithoutSecret drops a secret. Nothing happens when it is not there.
func (s *Snapshot) WithoutSecret(name string) *Snapshot {
	n := s.next()
	n.secrets.Delete(name)
	return n
}

// SecretFree answers nil when no object's options name a secret, else error 3730,
// which says whose do.
func (s *Snapshot) SecretFree(name string) error {
	var names []string
	for _, t := range s.Objects() {
		for _, v := range t.Options {
			if of, ok := parser.SecretOf(v); ok && of == name {
				names = append(names, fmt.Sprintf("%s '%s.%s'", t.Kind, t.Database, t.Name))
				break
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	return sqlerr.New(sqlerr.DropWithReaders, "Cannot drop secret '%s': options of %s name it", name, strings.Join(names, ", "))
}

// NoSuchSecret is the error of a name that no secret has.
func NoSuchSecret(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.WrongArguments, "Unknown secret '%s'", name)
}
