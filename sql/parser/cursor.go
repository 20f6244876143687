package parser

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// cursor reads the statements that are wholly ours, token by token. Its
// methods return a syntax error at the token that does not fit.
type cursor struct {
	p *Parser
	i int // the token to be read
}

// accept passes over the keywords if they all come next.
func (c *cursor) accept(words ...keyword) bool {
	for k, w := range words {
		if c.p.word(c.i+k) != w {
			return false
		}
	}
	c.i += len(words)
	return true
}

func (c *cursor) expect(words ...keyword) error {
	for _, w := range words {
		if !c.accept(w) {
			return c.unexpected()
		}
	}
	return nil
}

func (c *cursor) acceptOp(op byte) bool {
	if c.p.op(c.i) != op {
		return false
	}
	c.i++
	return true
}

func (c *cursor) expectOp(op byte) error {
	if !c.acceptOp(op) {
		return c.unexpected()
	}
	return nil
}

func (c *cursor) expectEnd() error {
	if !c.p.isEnd(c.i) {
		return c.unexpected()
	}
	return nil
}

func (c *cursor) unexpected() error { return c.p.unexpected(c.i) }

// ifExists passes over IF EXISTS, ifNotExists over IF NOT EXISTS.
func (c *cursor) ifExists() bool    { return c.accept(kwIf, kwExists) }
func (c *cursor) ifNotExists() bool { return c.accept(kwIf, kwNot, kwExists) }

// identifier reads a name: a word that is not reserved, or a quoted one.
func (c *cursor) identifier() (string, error) {
	s := c.p.textOf(c.i)
	switch t := c.p.tokens[c.i]; t.kind {
	case tokWord:
		if isReserved(s) && c.p.op(c.i-1) != '.' {
			return "", c.unexpected()
		}
	case tokQuoted:
		quote := s[:1]
		s = strings.ReplaceAll(s[1:len(s)-1], quote+quote, quote)
		if s == "" {
			return "", c.unexpected()
		}
	default:
		return "", c.unexpected()
	}
	c.i++
	return s, nil
}

// tableName reads name or db.name.
func (c *cursor) tableName() (*ast.TableName, error) {
	name, err := c.identifier()
	if err != nil {
		return nil, err
	}
	t := &ast.TableName{Name: ast.NewCIStr(name)}
	if c.acceptOp('.') {
		if name, err = c.identifier(); err != nil {
			return nil, err
		}
		t.Schema, t.Name = t.Name, ast.NewCIStr(name)
	}
	return t, nil
}

// tableNames reads one or more names.
func (c *cursor) tableNames() (names []*ast.TableName, err error) {
	for {
		name, err := c.tableName()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
		if !c.acceptOp(',') {
			return names, nil
		}
	}
}

// text reads a string, unescaped.
func (c *cursor) text() (string, error) {
	t := c.p.tokens[c.i]
	if t.kind != tokString {
		return "", c.unexpected()
	}
	c.i++
	return string(appendUnquoted(nil, c.p.text[t.pos:t.end], c.p.mode)), nil
}

// number reads a number that is not negative.
func (c *cursor) number() (float64, error) {
	f, err := strconv.ParseFloat(c.p.textOf(c.i), 64)
	if c.p.tokens[c.i].kind != tokNumber || err != nil {
		return 0, c.unexpected()
	}
	c.i++
	return f, nil
}

// options reads (key = value, …), the keys returned in lower case. A value is
// a string, a number with or without a sign, or a word.
func (c *cursor) options() (map[string]string, error) {
	if err := c.expectOp('('); err != nil {
		return nil, err
	}
	options := map[string]string{}
	for {
		key, err := c.optionKey()
		if err != nil {
			return nil, err
		}
		if _, twice := options[key]; twice {
			return nil, sqlerr.New(sqlerr.DupArgument, "Option '%s' used twice in statement", key)
		}
		if err := c.expectOp('='); err != nil {
			return nil, err
		}
		if options[key], err = c.optionValue(); err != nil {
			return nil, err
		}
		if c.acceptOp(')') {
			return options, nil
		}
		if err := c.expectOp(','); err != nil {
			return nil, err
		}
	}
}

// optionKey reads a key: a word, reserved or not, a quoted name or a string,
// or several with dots between them.
func (c *cursor) optionKey() (string, error) {
	var parts []string
	for {
		switch t := c.p.tokens[c.i]; t.kind {
		case tokWord:
			parts = append(parts, c.p.textOf(c.i))
			c.i++
		case tokString:
			s, err := c.text()
			if err != nil {
				return "", err
			}
			parts = append(parts, s)
		default:
			s, err := c.identifier()
			if err != nil {
				return "", err
			}
			parts = append(parts, s)
		}
		if !c.acceptOp('.') {
			return strings.ToLower(strings.Join(parts, ".")), nil
		}
	}
}

func (c *cursor) optionValue() (string, error) {
	sign := ""
	if op := c.p.op(c.i); (op == '-' || op == '+') && c.p.tokens[c.i+1].kind == tokNumber {
		if op == '-' {
			sign = "-"
		}
		c.i++
	}
	switch t := c.p.tokens[c.i]; {
	case t.kind == tokString:
		return c.text()
	case t.word == kwSecret && c.p.tokens[c.i+1].kind != tokOp:
		c.i++
		name, err := c.identifier()
		return secretMark + name, err
	case t.kind == tokNumber, t.kind == tokWord:
		c.i++
		return sign + c.p.text[t.pos:t.end], nil
	}
	return "", c.unexpected()
}
