package bind

import (
	"streamsql/catalog"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// CreateSecret makes a secret. Secrets belong to the server, not to a database.
type CreateSecret struct {
	Name        string
	Value       string
	OrReplace   bool
	IfNotExists bool
}

// DropSecret drops one.
type DropSecret struct {
	Name     string
	IfExists bool
}

func (b *binder) createSecret(s *parser.CreateSecret) (Statement, error) {
	if err := checkIdentifier(s.Name, sqlerr.WrongArguments, "secret"); err != nil {
		return nil, err
	}
	return &CreateSecret{Name: s.Name, Value: s.Value, OrReplace: s.OrReplace, IfNotExists: s.IfNotExists}, nil
}

// secretNeeds is what a secret, that belongs to the server, asks for.
func secretNeeds(p catalog.Privilege) []catalog.Need { return []catalog.Need{{Privilege: p}} }
