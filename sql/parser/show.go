package parser

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// flushStreams reads FLUSH STREAMS [view, …] [WITH TIMEOUT seconds].
func (p *Parser) flushStreams(st *Statement) (err error) {
	f := &FlushStreams{}
	c := cursor{p: p, i: 2}
	if p.word(c.i) != kwWith && !p.isEnd(c.i) {
		if f.Names, err = c.tableNames(); err != nil {
			return err
		}
	}
	if c.accept(kwWith) {
		if err := c.expect(kwTimeout); err != nil {
			return err
		}
		if f.Timeout, err = c.number(); err != nil {
			return err
		}
	}
	st.Flush = f
	return c.expectEnd()
}

// show reads the SHOW statements that are ours; false: it is not one of them.
func (p *Parser) show(st *Statement) (bool, error) {
	s := &ShowStreams{}
	c := cursor{p: p, i: 1}
	var err error
	switch {
	case c.accept(kwStream, kwTables):
		s.What = "stream tables"
		err = c.showList(s)
	case c.accept(kwDimension, kwTables):
		s.What = "dimension tables"
		err = c.showList(s)
	case c.accept(kwMaterialized, kwViews):
		s.What = "materialized views"
		err = c.showList(s)
	case c.acceptText("secrets"):
		s.What = "secrets"
		err = c.showList(s)
	case c.acceptText("sinks"):
		s.What = "sinks"
		err = c.showList(s)
	case c.acceptText("continuous", "queries"):
		s.What = "continuous queries"
		err = c.showList(s)
	case c.acceptText("resource", "groups"):
		s.What = "resource groups"
		err = c.showList(s)
	case c.accept(kwStream, kwStatus):
		s.What = "stream status"
		err = c.showList(s)
	case c.accept(kwCreate, kwMaterialized, kwView):
		s.What = "create materialized view"
		s.Name, err = c.tableName()
	case c.acceptText("create", "function"):
		s.What = "create function"
		s.Name, err = c.tableName()
	case c.accept(kwCreate, kwSink):
		s.What = "create sink"
		s.Name, err = c.tableName()
	case c.acceptText("create", "continuous", "query"):
		s.What = "create continuous query"
		s.Name, err = c.tableName()
	case c.accept(kwCreate, kwDimension, kwTable):
		s.What = "create dimension table"
		s.Name, err = c.tableName()
	case c.accept(kwCreate, kwStream, kwTable):
		s.What = "create stream table"
		s.Name, err = c.tableName()
	default:
		return false, nil
	}
	if err != nil {
		return true, err
	}
	st.Show = s
	return true, c.expectEnd()
}

// showList reads [FOR name] [FROM db] [LIKE 'pattern']; FOR belongs to SHOW
// STREAM STATUS alone.
func (c *cursor) showList(s *ShowStreams) (err error) {
	if s.What == "stream status" && c.accept(kwFor) {
		if s.Name, err = c.tableName(); err != nil {
			return err
		}
	}
	if c.accept(kwFrom) || c.accept(kwIn) {
		if s.DB, err = c.identifier(); err != nil {
			return err
		}
	}
	if c.accept(kwLike) {
		s.Like, err = c.text()
	}
	if err == nil && c.accept(kwWhere) && !c.p.isEnd(c.i) {
		end := len(c.p.tokens) - 1
		s.Where, err = c.p.expression(c.p.tokens[c.i].pos, c.p.tokens[end-1].end)
		c.i = end
	}
	return err
}

// explainFormats are the values of EXPLAIN FORMAT = …, and which of ours each
// asks for.
var explainFormats = map[string]string{"text": "text", "json": "json", "dot": "dot", "traditional": "text", "tree": "text"}

// explain reads EXPLAIN [FORMAT = format] statement or name; the format is put into
// TiDB's node in lower case, "text" if none is given. EXPLAIN table
// without more remains TiDB's (it is SHOW COLUMNS).
func (p *Parser) explain(st *Statement) error {
	if done, err := p.describeLike(st); done || err != nil {
		return err
	}
	c := cursor{p: p, i: 1}
	format, err := c.explainFormat()
	if err != nil {
		return err
	}
	formatted, begin := c.i > 1, c.i
	if (p.word(0) == kwExplain && c.kind() || formatted) && c.named(st, format) {
		st.Analyze.PlanOnly = true
		return nil
	}
	c.i = begin
	if formatted {
		p.blank(p.tokens[1].pos, p.tokens[c.i-1].end)
	}
	if p.word(c.i) == kwCreate {
		return c.explainCreate(st, format)
	}
	if err := p.standard(st, 0); err != nil {
		return err
	}
	if x, ok := st.Node.(*ast.ExplainStmt); ok {
		x.Format = format
	}
	return nil
}

// explainCreate reads EXPLAIN of CREATE MATERIALIZED VIEW, SINK or CONTINUOUS QUERY: the
// plan that it would run.
func (c *cursor) explainCreate(st *Statement, format string) error {
	p := c.p
	create := p.createMaterializedView
	switch {
	case p.word(c.i+1) == kwSink:
		create = p.createSink
	case p.isContinuousQuery(c.i + 1):
		create = p.createContinuousQuery
	case p.word(c.i+1) != kwMaterialized || p.word(c.i+2) != kwView:
		return sqlerr.Unsupported("EXPLAIN CREATE, except of a materialized view, a sink or a continuous query")
	}
	p.blank(0, p.tokens[c.i].pos)
	p.tokens = p.tokens[c.i:]
	st.ExplainFormat = format
	return create(st)
}

// describeLike reads DESCRIBE table 'pattern', which TiDB's grammar lacks, as
// the SHOW COLUMNS that it stands for; false: it is not that.
func (p *Parser) describeLike(st *Statement) (bool, error) {
	c := cursor{p: p, i: 1}
	if _, err := c.tableName(); err != nil || p.tokens[c.i].kind != tokString || !p.isEnd(c.i+1) {
		return false, nil
	}
	table := p.text[p.tokens[1].pos:p.tokens[c.i-1].end]
	p.tidb.SetSQLMode(p.sqlMode())
	nodes, _, err := p.tidb.ParseSQL("SHOW COLUMNS FROM " + table + " LIKE " + p.textOf(c.i))
	if err != nil {
		return true, p.unexpected(c.i)
	}
	st.Node = nodes[0]
	st.Node.SetText(nil, st.Text)
	return true, nil
}
