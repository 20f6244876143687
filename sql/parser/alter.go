package parser

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// alterStreamTable reads ALTER STREAM TABLE, which can say what ALTER TABLE can: the word
// STREAM is hidden from TiDB's parser. False: the statement is no such one.
func (p *Parser) alterStreamTable(st *Statement) (bool, error) {
	c := cursor{p: p}
	if !c.acceptText("alter") || !c.accept(kwStream, kwTable) {
		return false, nil
	}
	st.AlterStream = true
	p.blank(p.tokens[1].pos, p.tokens[1].end)
	return true, p.standard(st, c.i)
}

// alterView reads ALTER VIEW name … AS query as CREATE OR REPLACE VIEW of one that must be
// there; false: the statement is no such one.
func (p *Parser) alterView(st *Statement) (bool, error) {
	if c := (cursor{p: p}); !c.acceptText("alter") || !c.accept(kwView) {
		return false, nil
	}
	const verb = "CREATE OR REPLACE"
	from := p.tokens[0]
	if err := p.tokenize(p.text[:from.pos]+verb+p.text[from.end:], p.mode); err != nil {
		return true, err
	}
	st.AlterView = true
	return true, p.standard(st, 0)
}

// Alter is ALTER kind name SET (option = value, …), or … RENAME TO name.
type Alter struct {
	Kind    string // as catalog.Kind; empty: TABLE
	Name    *ast.TableName
	Options map[string]string // "default", in any case: what holds where nothing is said
	To      *ast.TableName    // nil: SET
}

// alter reads it; false: the statement is no such one.
func (p *Parser) alter(st *Statement) (bool, error) {
	s := &Alter{}
	c := cursor{p: p}
	if !c.acceptText("alter") {
		return false, nil
	}
	if s.Kind = c.objectKind(); s.Kind == "" && !c.accept(kwTable) {
		return false, nil
	}
	var err error
	altersColumns := s.Kind == "" || s.Kind == "stream table" // what TiDB's grammar has
	if s.Name, err = c.tableName(); err != nil {
		return !altersColumns, err
	}
	switch {
	case c.accept(kwSet) && p.op(c.i) == '(':
		s.Options, err = c.options()
	case s.Kind != "" && c.acceptText("rename", "to"):
		s.To, err = c.tableName()
	case altersColumns:
		return false, nil
	default:
		return true, sqlerr.Unsupported("ALTER " + strings.ToUpper(s.Kind) + " other than SET (option = value) and RENAME TO")
	}
	if err != nil {
		return true, err
	}
	st.Alter = s
	return true, c.expectEnd()
}

// objectKind reads the kind of an object, as the dialect has it and TiDB's grammar has not;
// empty: none is there.
func (c *cursor) objectKind() string {
	switch {
	case c.accept(kwStream, kwTable), c.accept(kwTemporary, kwStream, kwTable):
		return "stream table"
	case c.accept(kwDimension, kwTable):
		return "dimension table"
	case c.accept(kwMaterialized, kwView):
		return "materialized view"
	case c.accept(kwSink):
		return "sink"
	case c.acceptText("continuous", "query"):
		return "continuous query"
	}
	return ""
}
