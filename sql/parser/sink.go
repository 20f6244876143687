package parser

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// CreateSink is CREATE SINK [IF NOT EXISTS] name {FROM table | AS query} with WITH
// (…) before or behind that. Query and QueryText of FROM are those of SELECT *.
type CreateSink struct {
	Name        *ast.TableName
	IfNotExists bool
	Options     map[string]string
	Query       ast.StmtNode
	QueryText   string
	EmitOnClose bool
}

// createSink reads CREATE SINK.
func (p *Parser) createSink(st *Statement) error {
	s := &CreateSink{}
	st.Sink = s
	c := cursor{p: p, i: 2}
	s.IfNotExists = c.ifNotExists()
	var err error
	if s.Name, err = c.tableName(); err != nil {
		return err
	}
	if c.accept(kwWith) {
		if s.Options, err = c.options(); err != nil {
			return err
		}
	} else if s.Options, err = p.optionsBehind(c.i); err != nil {
		return err
	}
	if c.accept(kwFrom) {
		if err := s.readAll(&c); err != nil {
			return err
		}
	} else {
		if err := c.expect(kwAs); err != nil {
			return err
		}
		if s.Query, s.QueryText, s.EmitOnClose, err = p.definition(st, c.i); err != nil {
			return err
		}
	}
	if s.Options == nil {
		return sqlerr.New(sqlerr.WrongArguments, "CREATE SINK says where to: WITH (connector = '…')")
	}
	return nil
}

// readAll reads the name behind FROM, up to the end: all of that is what the sink gets.
func (s *CreateSink) readAll(c *cursor) error {
	p, from := c.p, c.i
	if _, err := c.tableName(); err != nil {
		return err
	}
	if err := c.expectEnd(); err != nil {
		return err
	}
	s.QueryText = "SELECT * FROM " + p.text[p.tokens[from].pos:p.tokens[c.i-1].end]
	p.tidb.SetSQLMode(p.sqlMode())
	nodes, _, err := p.tidb.ParseSQL(s.QueryText)
	if err != nil {
		return p.unexpected(from)
	}
	s.Query = nodes[0]
	s.Query.SetText(nil, s.QueryText)
	return nil
}

// optionsBehind reads WITH (…) at the end of a statement, whose tokens from i on it
// takes away; nil: there is none.
func (p *Parser) optionsBehind(i int) (map[string]string, error) {
	at := p.tableOptionsFrom(i)
	if at == 0 {
		return nil, nil
	}
	c := cursor{p: p, i: at + 1}
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	if err := c.expectEnd(); err != nil {
		return nil, err
	}
	end := len(p.tokens) - 1
	p.blank(p.tokens[at].pos, p.tokens[end].pos)
	p.tokens[at] = p.tokens[end]
	p.tokens = p.tokens[:at+1]
	return options, nil
}
