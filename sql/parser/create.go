package parser

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// createStreamTable reads CREATE STREAM TABLE [IF NOT EXISTS] name (…) [WITH
// (…)]: the word STREAM and the options are hidden, TiDB's parser reads the
// rest as CREATE TABLE.
func (p *Parser) createStreamTable(st *Statement) error {
	st.Stream = &StreamTable{}
	var err error
	if st.Stream.Options, err = p.optionsBehind(0); err != nil {
		return err
	}
	if st.Stream.Watermark, err = p.watermark(); err != nil {
		return err
	}
	p.blank(p.tokens[1].pos, p.tokens[1].end)
	if err := p.standard(st, 0); err != nil {
		return err
	}
	create, ok := st.Node.(*ast.CreateTableStmt)
	switch {
	case !ok:
		return p.unexpected(1)
	case create.Select != nil:
		return sqlerr.Unsupported("CREATE STREAM TABLE … AS SELECT")
	case create.ReferTable != nil:
		return sqlerr.Unsupported("CREATE STREAM TABLE … LIKE")
	}
	return nil
}

// tableOptions finds the WITH of WITH (…) behind the columns of a table: the
// first one outside of all brackets. It returns 0 if there is none.
func (p *Parser) tableOptions() int { return p.tableOptionsFrom(0) }

// tableOptionsFrom is tableOptions of the tokens from the given one on.
func (p *Parser) tableOptionsFrom(from int) int {
	depth := 0
	for i := from; i < len(p.tokens); i++ {
		switch t := p.tokens[i]; {
		case t.op == '(':
			depth++
		case t.op == ')':
			depth--
		case t.word == kwWith && depth == 0 && p.op(i+1) == '(':
			return i
		}
	}
	return 0
}

// createMaterializedView reads CREATE MATERIALIZED VIEW [IF NOT EXISTS] name
// [(columns)] [WITH (…)] AS query [EMIT CHANGES | EMIT ON WINDOW CLOSE]. TiDB's parser is given the
// query alone, all before and behind it being blank.
func (p *Parser) createMaterializedView(st *Statement) error {
	v := &CreateMaterializedView{}
	c := cursor{p: p, i: 3}
	v.IfNotExists = c.ifNotExists()
	var err error
	if v.Name, err = c.tableName(); err != nil {
		return err
	}
	if c.acceptOp('(') {
		if v.Columns, err = c.columnList(); err != nil {
			return err
		}
	}
	if c.accept(kwWith) {
		if v.Options, err = c.options(); err != nil {
			return err
		}
	}
	if err := c.expect(kwAs); err != nil {
		return err
	}
	if v.Query, v.QueryText, v.EmitOnClose, err = p.definition(st, c.i); err != nil {
		return err
	}
	st.MatView = v
	return nil
}

// definition reads the query of a continuous query, from the given token to the end.
func (p *Parser) definition(st *Statement, query int) (node ast.StmtNode, text string, onClose bool, err error) {
	switch {
	case p.op(query) == '(':
	case p.word(query) == kwSelect, p.word(query) == kwWith, p.word(query) == kwValues, p.word(query) == kwTable:
	default:
		return nil, "", false, p.unexpected(query)
	}
	end := len(p.tokens) - 1
	if n := p.emitWords(end); n > 0 {
		onClose = n > 2
		p.blank(p.tokens[end-n].pos, p.tokens[end].pos)
		p.tokens[end-n] = p.tokens[end]
		end -= n
		p.tokens = p.tokens[:end+1]
	}
	p.blank(0, p.tokens[query].pos)
	text = strings.TrimSpace(p.text[p.tokens[query].pos:p.tokens[end-1].end])
	if err := p.standard(st, query); err != nil {
		return nil, "", false, err
	}
	node, st.Node = st.Node, nil
	return node, text, onClose, nil
}

// columnList reads names up to the closing bracket.
func (c *cursor) columnList() (names []string, err error) {
	for {
		name, err := c.identifier()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
		if c.acceptOp(')') {
			return names, nil
		}
		if err := c.expectOp(','); err != nil {
			return nil, err
		}
	}
}
