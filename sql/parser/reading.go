package parser

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// Subscribe is SUBSCRIBE TO view [WITH (…)].
type Subscribe struct {
	View    *ast.TableName
	Options map[string]string // keys in lower case
}

// Control is PAUSE, RESUME or RESTART CONTINUOUS QUERY name.
type Control struct {
	Verb string // "pause", "resume", "restart"
	Name *ast.TableName
}

// Analyze is EXPLAIN of what has a name: [ANALYZE] [FORMAT = format] [MATERIALIZED VIEW |
// VIEW | CONTINUOUS QUERY | SINK] name.
type Analyze struct {
	Name   *ast.TableName
	Format string
	// PlanOnly: without ANALYZE, so that only the plan is wanted.
	PlanOnly bool
}

// acceptText passes over words that are not keywords of the pre-pass, if they all
// come next; in lower case.
func (c *cursor) acceptText(words ...string) bool {
	for k, w := range words {
		if t := c.p.tokens[min(c.i+k, len(c.p.tokens)-1)]; t.kind != tokWord || !strings.EqualFold(c.p.textOf(c.i+k), w) {
			return false
		}
	}
	c.i += len(words)
	return true
}

// reading reads the statements about results that are wholly ours; false: it is
// none of them.
func (p *Parser) reading(st *Statement) (bool, error) {
	c := cursor{p: p}
	switch {
	case c.acceptText("subscribe"):
		return true, c.subscribe(st)
	case c.acceptText("pause"), c.acceptText("resume"), c.acceptText("restart"):
		return true, c.control(st)
	case c.accept(kwExplain), c.accept(kwDescribe), c.accept(kwDesc):
		return c.analyze(st)
	}
	return false, nil
}

func (c *cursor) control(st *Statement) (err error) {
	k := &Control{Verb: strings.ToLower(c.p.textOf(c.i - 1))}
	if !c.acceptText("continuous", "query") && !c.accept(kwMaterialized, kwView) {
		return c.unexpected()
	}
	if k.Name, err = c.tableName(); err != nil {
		return err
	}
	st.Control = k
	return c.expectEnd()
}

// analyze reads EXPLAIN ANALYZE [FORMAT = format] of a name or a statement; false:
// it is an EXPLAIN without ANALYZE.
func (c *cursor) analyze(st *Statement) (bool, error) {
	word := c.i
	if !c.accept(kwAnalyze) {
		format, err := c.explainFormat()
		if word = c.i; err != nil || format == "" || !c.accept(kwAnalyze) {
			return false, nil // explain will say what is wrong
		}
	}
	p := c.p
	p.blank(p.tokens[word].pos, p.tokens[word].end)
	p.tokens = append(p.tokens[:word], p.tokens[word+1:]...)
	c.i = 1
	format, err := c.explainFormat()
	if err != nil {
		return true, err
	}
	begin := c.i
	if c.kind(); c.named(st, format) {
		return true, nil
	}
	if c.i = begin; c.named(st, format) {
		return true, nil
	}
	if err := p.explain(st); err != nil {
		return true, err
	}
	x, ok := st.Node.(*ast.ExplainStmt)
	if !ok {
		return true, p.unexpected(1)
	}
	x.Analyze = true
	return true, nil
}

// kind passes over what kind of continuous query or view a name is of; false: none is
// said.
func (c *cursor) kind() bool {
	return c.accept(kwMaterialized, kwView) || c.accept(kwView) || c.accept(kwSink) || c.acceptText("continuous", "query")
}

// named reads the name of what EXPLAIN ANALYZE is of, if that is all there is.
func (c *cursor) named(st *Statement, format string) bool {
	name, err := c.tableName()
	if err != nil || !c.p.isEnd(c.i) {
		return false
	}
	st.Analyze = &Analyze{Name: name, Format: format}
	return true
}

// explainFormat reads [FORMAT = format]; without, it is text.
func (c *cursor) explainFormat() (string, error) {
	if c.p.word(c.i) != kwFormat || c.p.op(c.i+1) != '=' {
		return "text", nil
	}
	c.i += 2
	name := c.p.textOf(c.i)
	if c.p.tokens[c.i].kind == tokString {
		name, _ = c.text()
	} else {
		c.i++
	}
	known, ok := explainFormats[strings.ToLower(name)]
	if !ok {
		return "", sqlerr.New(sqlerr.UnknownExplainFormat, "Unknown EXPLAIN format name: '%s'", name)
	}
	return known, nil
}

func (c *cursor) subscribe(st *Statement) (err error) {
	s := &Subscribe{}
	if !c.acceptText("to") {
		return c.unexpected()
	}
	if s.View, err = c.tableName(); err != nil {
		return err
	}
	if c.accept(kwWith) {
		if s.Options, err = c.options(); err != nil {
			return err
		}
	}
	st.Subscribe = s
	return c.expectEnd()
}

// AsOf is AS OF BATCH n or AS OF TIMESTAMP t at the end of a query, or behind the
// only table of its FROM: all of the query reads what was there then.
type AsOf struct {
	Batch bool // else TIMESTAMP
	Expr  ast.ExprNode
}

// asOf reads AS OF BATCH and AS OF TIMESTAMP at token i of the walk, and hides it
// from TiDB's parser; false: it is something else.
func (p *Parser) asOf(i int, top *level) (bool, error) {
	c := cursor{p: p, i: i + 2}
	a := &AsOf{Batch: c.acceptText("batch")}
	if !a.Batch && !c.acceptText("timestamp") {
		return false, nil
	}
	switch p.word(0) {
	case kwSelect, kwWith, kwValues, kwTable, kwExplain, kwDescribe, kwDesc:
	default:
		if p.op(0) != '(' {
			return false, nil
		}
	}
	if len(p.levels) > 1 || p.asOfRead != nil {
		return true, sqlerr.Unsupported("AS OF within a query (it belongs at the end, and is for all tables)")
	}
	end := p.asOfEnd(c.i)
	if end == c.i {
		return true, c.unexpected()
	}
	if !p.isEnd(end) && !p.onlyTable(i, top) {
		return true, sqlerr.Unsupported("AS OF for one of several tables (at the end of the query it is for all)")
	}
	from, to := p.tokens[c.i].pos, p.tokens[end-1].end
	expr, err := p.expression(from, to)
	if err != nil {
		return true, err
	}
	a.Expr, p.asOfRead = expr, a
	p.blank(p.tokens[i].pos, to)
	return true, nil
}

// asOfEnd is the first token behind the expression that begins at token i.
func (p *Parser) asOfEnd(i int) int {
	for depth := 0; !p.isEnd(i); i++ {
		switch p.op(i) {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
		switch p.word(i) {
		case kwWhere, kwGroup, kwHaving, kwOrder, kwLimit, kwWindow, kwUnion, kwExcept, kwIntersect, kwJoin, kwInner, kwLeft,
			kwRight, kwFull, kwCross, kwNatural, kwStraightJoin, kwFor, kwAs, kwInto:
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// onlyTable reports that what stands before token i is the one table of a FROM, and
// that no set operation follows.
func (p *Parser) onlyTable(i int, top *level) bool {
	if top.clause != clauseFrom {
		return false
	}
	for k := i - 1; p.word(k) != kwFrom; k-- {
		if p.op(k) == ',' || p.op(k) == ')' || p.word(k) == kwJoin || p.word(k) == kwStraightJoin {
			return false
		}
	}
	switch p.word(p.asOfEnd(i + 3)) {
	case kwWhere, kwGroup, kwHaving, kwOrder, kwLimit, kwWindow:
	default:
		return false
	}
	for k := i; !p.isEnd(k); k++ {
		if w := p.word(k); w == kwUnion || w == kwExcept || w == kwIntersect {
			return false
		}
	}
	return true
}

// expression parses a piece of the text.
func (p *Parser) expression(from, to int) (ast.ExprNode, error) {
	const head = "SELECT "
	p.tidb.SetSQLMode(p.sqlMode())
	nodes, _, err := p.tidb.ParseSQL(head + p.text[from:to])
	if err != nil || len(nodes) != 1 {
		return nil, syntaxError(p.text, from)
	}
	sel, ok := nodes[0].(*ast.SelectStmt)
	if !ok || sel.From != nil || len(sel.Fields.Fields) != 1 || sel.Fields.Fields[0].Expr == nil || sel.Fields.Fields[0].AsName.L != "" {
		return nil, syntaxError(p.text, from)
	}
	e := sel.Fields.Fields[0].Expr
	f := finisher{text: p.text, sent: p.text}
	e.Accept(&f)
	for _, param := range f.params {
		param.Offset += from - len(head)
	}
	return e, nil
}

// changesFunction reads CHANGES(view, batch) in FROM at token i. TiDB's parser is
// given a subquery, (SELECT batch), in its place; the name is kept by where its
// expression stands.
func (p *Parser) changesFunction(i int) error {
	c := cursor{p: p, i: i + 2}
	view, err := c.tableName()
	if err != nil {
		return err
	}
	comma := p.tokens[c.i]
	if err := c.expectOp(','); err != nil {
		return err
	}
	p.overwrite(p.tokens[i].pos, p.tokens[i+1].end, "(SELECT ")
	p.blank(p.tokens[i+2].pos, comma.end)
	if p.changes == nil {
		p.changes = map[int]*ast.TableName{}
	}
	p.changes[p.tokens[c.i].pos] = view
	return nil
}
