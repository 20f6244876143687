package parser

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tidb "github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"streamsql/sql/sqlerr"
)

// maxTokens bounds what goes through TiDB's parser (about 0.3 µs and 300 bytes
// a token): a larger statement is refused before it costs anybody else.
const maxTokens = 1_000_000

// largeText is from how many bytes on the buffers are not kept for the next
// statement.
const largeText = 1 << 20

// Parser parses one statement at a time. It keeps its buffers, and is not safe
// for concurrent use: one per session.
type Parser struct {
	tidb *tidb.Parser

	// Of the statement being parsed.
	text   string  // as typed
	mode   Mode    //
	tokens []token // without comments; the last one is of kind tokEnd
	buf    []byte  // text as TiDB is given it, same length; empty while it is text itself
	levels []level // of the walk over the tokens
	casts  []int   // offsets of the CAST or CONVERT whose type INT is disguised
	outer  []outerJoin
	full   bool // one of outer is a FULL JOIN
	params int
	newRow *RowAlias
	timed  map[int]*TimedOn // by where the condition begins

	version   [2]int   // where the last executed version comment begins, and its closing mark is
	clauses   []behind // behind aggregates, that TiDB's grammar does not have
	distincts []hiddenDistinct
	overs     []hiddenOver
	renamed   []int // offsets of functions' names that are disguised

	windows []*Window
	named   []ColumnNames

	asOfRead *AsOf
	changes  map[int]*ast.TableName // views of CHANGES(…), by their second argument
}

// New returns a parser.
func New() *Parser { return &Parser{tidb: tidb.New()} }

// Parse parses one statement; a final semicolon is allowed. Errors are
// *sqlerr.Error: 1064 with the place in the text as typed, 1065 for a text
// without a statement, 1235 with the name of a feature that is not there yet,
// 1300 for bytes that are not UTF-8.
func (p *Parser) Parse(text string, m Mode) (st *Statement, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.tidb = tidb.New()
			st, err = nil, sqlerr.New(sqlerr.UnknownError, "The parser failed on this statement: %v", r)
		}
	}()
	if len(text) > largeText {
		defer p.shrink()
	}
	if err := p.tokenize(text, m); err != nil {
		return nil, err
	}
	if p.tokens[0].kind == tokEnd {
		return nil, sqlerr.New(sqlerr.EmptyQuery, "Query was empty")
	}
	st = &Statement{Text: strings.TrimRight(p.text, " \t\r\n\v\f")}
	if err := p.statement(st); err != nil {
		return nil, err
	}
	return st, nil
}

// shrink drops what a large statement made grow.
func (p *Parser) shrink() { *p = Parser{tidb: tidb.New()} }

// tokenize cuts the text into p.tokens and takes the final semicolon off.
func (p *Parser) tokenize(text string, m Mode) error {
	p.text, p.mode = text, m
	p.tokens, p.buf, p.casts, p.params = p.tokens[:0], p.buf[:0], p.casts[:0], 0
	p.newRow, p.outer, p.full = nil, p.outer[:0], false
	p.timed = nil
	p.clauses, p.renamed, p.distincts, p.overs = p.clauses[:0], p.renamed[:0], p.distincts[:0], p.overs[:0]
	p.windows, p.named = nil, nil
	p.asOfRead, p.changes = nil, nil
	l := lexer{text: text, mode: m, blank: p.blank}
	for {
		t := l.next()
		switch t.kind {
		case tokBad:
			if err := p.checkUTF8(t); err != nil {
				return err
			}
			return syntaxError(text, t.pos)
		case tokParam:
			p.params++
		}
		p.tokens = append(p.tokens, t)
		if t.kind == tokEnd {
			break
		}
		if len(p.tokens) > maxTokens {
			return errorAt(text, t.pos, fmt.Sprintf("The statement has more than %d words and signs", maxTokens))
		}
	}
	p.version = [2]int{l.opened, l.closed}
	for i, t := range p.tokens {
		if t.kind == tokOp && t.op == ';' {
			if next := p.tokens[i+1]; next.kind != tokEnd {
				return syntaxError(text, next.pos)
			}
			p.text = text[:t.pos]
			if len(p.buf) > 0 {
				p.buf = p.buf[:t.pos]
			}
			p.tokens = append(p.tokens[:i], token{pos: t.pos, end: t.pos})
			break
		}
	}
	if !utf8.ValidString(p.text) {
		for _, t := range p.tokens {
			if err := p.checkUTF8(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkUTF8 refuses bytes that are not UTF-8, save in a _binary'…' literal.
func (p *Parser) checkUTF8(t token) error {
	s := p.text[t.pos:t.end]
	if utf8.ValidString(s) {
		return nil
	}
	if n := len(p.tokens); t.kind == tokString {
		i, _ := slices.BinarySearchFunc(p.tokens[:n], t.pos, func(t token, pos int) int { return t.pos - pos })
		if i > 0 && strings.EqualFold(p.textOf(i-1), "_binary") {
			return nil
		}
	}
	if t.kind == tokString || t.kind == tokQuoted {
		s = s[:len(s)-1] // the message shows what is between the quotes
	}
	bad := 0
	for bad < len(s) {
		r, n := utf8.DecodeRuneInString(s[bad:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		bad += n
	}
	return sqlerr.New(sqlerr.InvalidCharacter, "Invalid utf8mb4 character string: '%X' %s",
		s[bad:min(len(s), bad+3)], place(p.text, t.pos+bad))
}

// blank hides text[from:to] from TiDB's parser.
func (p *Parser) blank(from, to int) {
	p.edit()
	for i := from; i < to; i++ {
		p.buf[i] = ' '
	}
}

// overwrite puts s in the place of text[from:to], which is not shorter.
func (p *Parser) overwrite(from, to int, s string) {
	p.blank(from, to)
	copy(p.buf[from:], s)
}

func (p *Parser) edit() {
	if len(p.buf) == 0 {
		p.buf = append(p.buf, p.text...)
	}
}

// textOf is token i as typed.
func (p *Parser) textOf(i int) string { return p.text[p.tokens[i].pos:p.tokens[i].end] }

// word is the keyword that token i is; beyond either end, none.
func (p *Parser) word(i int) keyword {
	if i < 0 || i >= len(p.tokens) {
		return kwNone
	}
	return p.tokens[i].word
}

// op is the first byte of the operator that token i is; 0 for another token.
func (p *Parser) op(i int) byte {
	if i < 0 || i >= len(p.tokens) {
		return 0
	}
	return p.tokens[i].op
}

func (p *Parser) isEnd(i int) bool { return p.tokens[i].kind == tokEnd }

// unexpected is the syntax error at token i.
func (p *Parser) unexpected(i int) error { return syntaxError(p.text, p.tokens[i].pos) }

// statement tells the statements of the dialect from MySQL's.
func (p *Parser) statement(st *Statement) error {
	if done, err := p.alterView(st); done {
		return err
	}
	if done, err := p.alter(st); done {
		return err
	}
	if err := p.refuseStatement(); err != nil {
		return err
	}
	if done, err := p.reading(st); done {
		return err
	}
	if done, err := p.kill(st); done {
		return err
	}
	switch p.word(0) {
	case kwCreate:
		switch {
		case p.word(1) == kwStream && p.word(2) == kwTable:
			return p.createStreamTable(st)
		case p.word(1) == kwTemporary && p.word(2) == kwStream && p.word(3) == kwTable:
			p.blank(p.tokens[1].pos, p.tokens[1].end)
			p.tokens = slices.Delete(p.tokens, 1, 2)
			if err := p.createStreamTable(st); err != nil {
				return err
			}
			st.Stream.Temporary = true
			return nil
		case p.word(1) == kwDimension && p.word(2) == kwTable:
			if err := p.createStreamTable(st); err != nil {
				return err
			}
			st.Stream.Dimension = true
			return nil
		case p.word(1) == kwMaterialized && p.word(2) == kwView:
			return p.createMaterializedView(st)
		case p.word(1) == kwSink:
			return p.createSink(st)
		case p.isContinuousQuery(1):
			return p.createContinuousQuery(st)
		case p.word(1) != kwTable && p.word(1) != kwView:
			if ok, err := p.createFunction(st); ok {
				return err
			}
			if ok, err := p.createSecret(st); ok {
				return err
			}
		case p.word(1) == kwTable && p.tableOptions() > 0:
			return sqlerr.Unsupported("CREATE TABLE … WITH (…)")
		}
	case kwDrop:
		return p.drop(st)
	case kwFlush:
		if p.word(1) == kwStreams {
			return p.flushStreams(st)
		}
	case kwShow:
		if ok, err := p.show(st); ok || err != nil {
			return err
		}
	case kwExplain, kwDescribe, kwDesc:
		return p.explain(st)
	}
	p.rollbackWork()
	if ok, err := p.alterStreamTable(st); ok {
		return err
	}
	return p.standard(st, 0)
}

// rollbackWork leaves out WORK, which says nothing, before TO of a savepoint, where
// TiDB's grammar lacks it.
func (p *Parser) rollbackWork() {
	if c := (cursor{p: p}); c.acceptText("rollback", "work", "to") {
		p.blank(p.tokens[1].pos, p.tokens[1].end)
	}
}

// standard hands the text to TiDB's parser, after the walk over its tokens from
// the given one on.
func (p *Parser) standard(st *Statement, from int) error {
	if err := p.walk(from); err != nil {
		return err
	}
	if err := p.parseClauses(); err != nil {
		return err
	}
	if err := p.parseOvers(); err != nil {
		return err
	}
	sent := p.text
	if len(p.buf) > 0 {
		sent = string(p.buf)
	}
	p.tidb.SetSQLMode(p.sqlMode())
	nodes, warnings, err := p.tidb.ParseSQL(sent)
	if err != nil {
		return fromTiDB(p.text, sent, err)
	}
	if len(nodes) != 1 {
		return p.unexpected(len(p.tokens) - 1)
	}
	st.Node, st.NewRow, st.Windows = nodes[0], p.newRow, p.windows
	st.AsOf, st.Changes, st.Named = p.asOfRead, p.changes, p.named
	for _, w := range warnings {
		st.Warnings = append(st.Warnings, warning(w))
	}
	return p.finish(st, sent)
}

func (p *Parser) sqlMode() (m mysql.SQLMode) {
	if p.mode&ANSIQuotes != 0 {
		m |= mysql.ModeANSIQuotes
	}
	if p.mode&NoBackslashEscapes != 0 {
		m |= mysql.ModeNoBackslashEscapes
	}
	if p.mode&PipesAsConcat != 0 {
		m |= mysql.ModePipesAsConcat
	}
	if p.mode&HighNotPrecedence != 0 {
		m |= mysql.ModeHighNotPrecedence
	}
	if p.mode&RealAsFloat != 0 {
		m |= mysql.ModeRealAsFloat
	}
	return m
}

// finish puts the text as typed back into the tree, where the tree quotes it,
// and numbers the parameters.
func (p *Parser) finish(st *Statement, sent string) error {
	if len(p.buf) == 0 && p.params == 0 {
		return nil
	}
	slices.Sort(p.casts)
	f := finisher{text: p.text, sent: sent, casts: p.casts, timed: p.timed, version: p.version, clauses: p.clauses, renamed: p.renamed, distincts: p.distincts, overs: p.overs}
	if p.full {
		slices.SortStableFunc(p.outer, func(a, b outerJoin) int { return a.from - b.from })
		f.outer = p.outer
	}
	st.Node.Accept(&f)
	if at := f.unused(); at >= 0 {
		return errorAt(p.text, at, "FILTER, WITHIN GROUP, DISTINCT and OVER belong to an aggregate function")
	}
	st.Node.SetText(nil, st.Text)
	if st.AsOf != nil {
		st.AsOf.Expr.Accept(&f)
	}
	if f.patched != len(p.casts) || f.lost || f.joined != len(p.timed) {
		return p.unexpected(len(p.tokens) - 1)
	}
	for _, w := range p.windows {
		for _, v := range w.Intervals {
			if v.Param != nil {
				f.params = append(f.params, v.Param)
			}
		}
	}
	slices.SortFunc(f.params, func(a, b *Param) int { return a.Offset - b.Offset })
	for i, param := range f.params {
		param.Order = i
	}
	st.Params = f.params
	return nil
}

// finisher walks a tree for Parser.finish.
type finisher struct {
	text, sent string
	casts      []int
	patched    int
	outer      []outerJoin // of a text with a FULL JOIN, in the order of their SELECTs
	lost       bool        // outer does not fit the tree
	params     []*Param
	timed      map[int]*TimedOn
	joined     int
	version    [2]int
	clauses    []behind
	distincts  []hiddenDistinct
	overs      []hiddenOver
	renamed    []int
}

// Enter implements ast.Visitor.
func (f *finisher) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SelectStmt:
		if len(f.outer) > 0 {
			f.restoreFullJoins(n)
		}
	case *ast.SelectField:
		if end := f.fieldEnd(n.Offset + len(n.OriginalText())); end <= len(f.text) {
			n.SetText(nil, f.text[n.Offset:end])
		}
	case *ast.CreateViewStmt:
		query := n.Select.OriginalText()
		if at := strings.LastIndex(f.sent, query); at >= 0 {
			// The tree's text ends before blanks, which stand for what the dialect has there.
			end := at + len(query)
			end += len(f.sent[end:]) - len(strings.TrimLeft(f.sent[end:], " \t\r\n"))
			// A dump has the statement in a comment of MySQL's own, /*!50001 … */.
			if opened, closed := f.version[0], f.version[1]; opened < at && at < closed {
				end = min(end, closed)
			}
			n.Select.SetText(nil, strings.TrimSpace(f.text[at:end]))
		}
	case *ast.FuncCastExpr:
		if _, ok := slices.BinarySearch(f.casts, n.OriginTextPosition()); ok {
			f.patched++
			n.Tp = signedType()
		}
	case *Param:
		f.params = append(f.params, n)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *finisher) Leave(n ast.Node) (ast.Node, bool) {
	if j, ok := n.(*ast.Join); ok && f.timed != nil {
		f.timedJoin(j)
	}
	switch e := n.(type) {
	case *ast.AggregateFuncExpr:
		return f.call(e), true
	case *ast.FuncCallExpr:
		return f.call(e), true
	case *ast.WindowFuncExpr:
		return f.call(e), true
	}
	return n, true
}
