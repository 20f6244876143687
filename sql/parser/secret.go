package parser

import (
	"strings"

	"streamsql/sql/sqlerr"
)

// CreateSecret is CREATE [OR REPLACE] SECRET [IF NOT EXISTS] name AS 'text'.
type CreateSecret struct {
	Name        string
	OrReplace   bool
	IfNotExists bool
	Value       string
}

// DropSecret is DROP SECRET [IF EXISTS] name.
type DropSecret struct {
	Name     string
	IfExists bool
}

// secretMark begins the value of an option that is SECRET name. No text that is
// typed begins with it.
const secretMark = "\x00secret:"

// SecretOf is the name of the secret that an option's value stands for; false: it
// is a value itself.
func SecretOf(option string) (name string, ok bool) { return strings.CutPrefix(option, secretMark) }

// createSecret reads CREATE SECRET, false: the statement is another one.
func (p *Parser) createSecret(st *Statement) (bool, error) {
	s := &CreateSecret{}
	c := cursor{p: p, i: 1}
	s.OrReplace = c.acceptText("or", "replace")
	if !c.accept(kwSecret) {
		return false, nil
	}
	st.CreateSecret = s
	s.IfNotExists = c.ifNotExists()
	var err error
	if s.Name, err = c.identifier(); err != nil {
		return true, err
	}
	if err := c.expect(kwAs); err != nil {
		return true, err
	}
	if s.Value, err = c.text(); err != nil {
		return true, err
	}
	if strings.HasPrefix(s.Value, secretMark) {
		return true, sqlerr.New(sqlerr.WrongArguments, "A secret is a text without NUL")
	}
	return true, c.expectEnd()
}

// dropSecret reads DROP SECRET, false: the statement is another one.
func (p *Parser) dropSecret(st *Statement) (bool, error) {
	c := cursor{p: p, i: 1}
	if !c.accept(kwSecret) {
		return false, nil
	}
	d := &DropSecret{IfExists: c.ifExists()}
	var err error
	if d.Name, err = c.identifier(); err != nil {
		return true, err
	}
	st.DropSecret = d
	return true, c.expectEnd()
}
