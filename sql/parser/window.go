package parser

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// WindowMark stands in TiDB's tree for a window, followed by its index in
// Statement.Windows: as the alias of a table (mark and index as one word), or as
// the name of a function whose argument is the index. Text cannot hold it: no
// name of MySQL's has a character beyond U+FFFF, and a text with the mark and a
// window is refused.
const WindowMark = "\U0010FFFF"

// maxWindows bounds the windows of a statement.
const maxWindows = 1000

// Window is TUMBLE, HOP, SESSION or CUMULATE: a table function, or a function
// of GROUP BY, or with Part one that answers a bound of the latter.
type Window struct {
	Kind string // "tumble", "hop", "session", "cumulate"
	Part string // "", "start", "end"
	// Time is the column that tells the time; nil: PROCTIME().
	Time *ast.ColumnName
	// Intervals as written: size; slide, size; gap; step, max. A further one is the
	// offset.
	Intervals []Interval
	Partition []*ast.ColumnName
	Alias     string // of the table function; empty: none
	Text      string // as typed
	// JSON, if set: it is no window but JSON_TABLE, of the one field of the query
	// that stands there. Alias is its name.
	JSON *JSONTable
}

// Interval is INTERVAL value unit, both as typed, the value unquoted. Of a `?` the
// value is what Param gets.
type Interval struct {
	Value, Unit string
	Param       *Param // nil: there is none
}

// windowWords are the functions, with their kind and part.
var windowWords = map[keyword][2]string{
	kwTumble: {"tumble", ""}, kwTumbleStart: {"tumble", "start"}, kwTumbleEnd: {"tumble", "end"},
	kwHop: {"hop", ""}, kwHopStart: {"hop", "start"}, kwHopEnd: {"hop", "end"},
	kwSession: {"session", ""}, kwSessionStart: {"session", "start"}, kwSessionEnd: {"session", "end"},
	kwCumulate: {"cumulate", ""}, kwCumulateStart: {"cumulate", "start"}, kwCumulateEnd: {"cumulate", "end"},
}

// rewriteWindow takes a window that begins at token i out of the text, and puts
// the mark in its place: a table function becomes its first argument with the
// mark for an alias, any other a call of the mark.
func (p *Parser) rewriteWindow(i int, top *level) error {
	if p.op(i+1) != '(' || p.op(i-1) == '.' {
		return nil
	}
	if top.clause == clauseFrom && p.startsTable(i) && strings.EqualFold(p.textOf(i), "json_table") {
		return p.rewriteJSONTable(i)
	}
	name, table := i, top.clause == clauseFrom && p.startsTable(i)
	if table && p.word(i) == kwTable && p.op(i+3) == '(' {
		name = i + 2
	}
	kind, ok := windowWords[p.word(name)]
	if !ok || !top.inside || table && kind[1] != "" {
		return nil
	}
	if strings.Contains(p.text, WindowMark) {
		return syntaxError(p.text, strings.Index(p.text, WindowMark))
	}
	if len(p.windows) == maxWindows {
		return sqlerr.New(sqlerr.TooManyTables, "Too many windows; a statement can use %d", maxWindows)
	}
	w := &Window{Kind: kind[0], Part: kind[1]}
	c := cursor{p: p, i: name + 2}
	if table {
		return w.explained(c.windowTable(i, w), "table, time, ")
	}
	return w.explained(c.windowCall(i, w), "time, ")
}

// windowArguments are what stands behind a window's time.
var windowArguments = map[string]string{
	"tumble": "INTERVAL size [, INTERVAL offset]", "hop": "INTERVAL slide, INTERVAL size [, INTERVAL offset]",
	"session": "INTERVAL gap [, PARTITION BY column, …]", "cumulate": "INTERVAL step, INTERVAL max [, INTERVAL offset]",
}

// explained adds to a syntax error what w takes; first are the arguments before
// its intervals.
func (w *Window) explained(err error, first string) error {
	if err == nil {
		return nil
	}
	e := *sqlerr.From(err)
	if e.Code == sqlerr.ParseError {
		name := strings.ToUpper(w.Kind)
		if w.Part != "" {
			name += "_" + strings.ToUpper(w.Part)
		}
		e.Message += "; it is " + name + "(" + first + windowArguments[w.Kind] + ")"
	}
	return &e
}

// startsTable reports whether token i stands where a table begins.
func (p *Parser) startsTable(i int) bool {
	switch p.word(i - 1) {
	case kwFrom, kwJoin, kwStraightJoin:
		return true
	}
	return p.op(i-1) == ','
}

// windowTable reads the arguments of a table function that begins at token
// from, and its alias.
func (c *cursor) windowTable(from int, w *Window) error {
	first, last, err := c.windowInput(w)
	if err != nil {
		return err
	}
	if err := c.expectOp(','); err != nil {
		return err
	}
	if err := c.windowTime(w); err != nil {
		return err
	}
	if err := c.windowIntervals(w); err != nil {
		return err
	}
	if c.p.word(from) == kwTable {
		if err := c.expectOp(')'); err != nil {
			return err
		}
	}
	w.Text = c.p.text[c.p.tokens[from].pos:c.p.tokens[c.i-1].end]
	if err := c.windowAlias(w); err != nil {
		return err
	}
	p, end := c.p, c.p.tokens[c.i-1].end
	p.blank(p.tokens[from].pos, p.tokens[first].pos)
	at := p.tokens[last].end
	p.blank(at, end)
	mark := token{kind: tokWord, pos: at + 1, end: at + 1}
	mark.end += copy(p.buf[at+1:end], WindowMark+strconv.Itoa(len(p.windows)))
	p.windows = append(p.windows, w)
	input := append(slices.Clone(p.tokens[first:last+1]), mark)
	p.tokens = slices.Replace(p.tokens, from, c.i, input...)
	return nil
}

// windowInput passes over the first argument, a name or a query in brackets, and
// answers its first and last token.
func (c *cursor) windowInput(w *Window) (first, last int, err error) {
	if c.p.word(c.i) == kwTable {
		c.i++
	}
	first = c.i
	if c.p.op(c.i) != '(' {
		if _, err = c.tableName(); err != nil {
			return 0, 0, err
		}
		last = c.i - 1
	} else {
		if !c.p.startsQuery(c.i + 1) {
			c.i++
			return 0, 0, c.unexpected()
		}
		for depth := 0; ; c.i++ {
			switch {
			case c.p.isEnd(c.i):
				return 0, 0, c.unexpected()
			case c.p.op(c.i) == '(':
				depth++
			case c.p.op(c.i) == ')':
				depth--
			}
			if depth == 0 {
				break
			}
		}
		last = c.i
		c.i++
	}
	if c.partition() { // as Flink has it: TABLE t PARTITION BY k
		return first, last, c.partitionColumns(w)
	}
	return first, last, nil
}

// startsQuery reports whether a query begins at token i, maybe in brackets.
func (p *Parser) startsQuery(i int) bool {
	for p.op(i) == '(' {
		i++
	}
	switch p.word(i) {
	case kwSelect, kwWith, kwValues, kwTable:
		return true
	}
	return false
}

// windowTime reads a column, DESCRIPTOR(column) or PROCTIME().
func (c *cursor) windowTime(w *Window) (err error) {
	call := c.p.op(c.i+1) == '('
	switch {
	case call && strings.EqualFold(c.p.textOf(c.i), "proctime"):
		c.i += 2
		return c.expectOp(')')
	case call && strings.EqualFold(c.p.textOf(c.i), "descriptor"):
		c.i += 2
		if w.Time, err = c.windowColumn(); err != nil {
			return err
		}
		return c.expectOp(')')
	}
	w.Time, err = c.windowColumn()
	return err
}

// windowIntervals reads the intervals and PARTITION BY, and the closing bracket.
func (c *cursor) windowIntervals(w *Window) error {
	most := map[string]int{"tumble": 2, "hop": 3, "session": 1, "cumulate": 3}[w.Kind]
	least := max(most-1, 1)
	for {
		if len(w.Intervals) >= least && c.acceptOp(')') {
			return nil
		}
		if err := c.expectOp(','); err != nil {
			return err
		}
		if w.Kind == "session" && c.partition() && len(w.Intervals) > 0 {
			if err := c.partitionColumns(w); err != nil {
				return err
			}
			return c.expectOp(')')
		}
		if len(w.Intervals) == most {
			return c.unexpected()
		}
		if err := c.windowInterval(w); err != nil {
			return err
		}
	}
}

// windowInterval reads INTERVAL value unit.
func (c *cursor) windowInterval(w *Window) error {
	if err := c.expect(kwInterval); err != nil {
		return err
	}
	sign := ""
	if c.acceptOp('-') {
		sign = "-"
	}
	var v Interval
	switch t := c.p.tokens[c.i]; {
	case t.kind == tokParam && sign == "":
		v.Param = &Param{Offset: t.pos}
		c.i++
	case t.kind == tokString:
		text, err := c.text()
		if err != nil {
			return err
		}
		v.Value = sign + text
	case t.kind == tokNumber:
		v.Value = sign + c.p.textOf(c.i)
		c.i++
	default:
		return c.unexpected()
	}
	if c.p.tokens[c.i].kind != tokWord {
		return c.unexpected()
	}
	v.Unit = strings.ToLower(c.p.textOf(c.i))
	c.i++
	w.Intervals = append(w.Intervals, v)
	return nil
}

// partition reports PARTITION BY.
func (c *cursor) partition() bool {
	return c.p.tokens[c.i].kind == tokWord && strings.EqualFold(c.p.textOf(c.i), "partition") && c.p.word(c.i+1) == kwBy
}

// partitionColumns reads PARTITION BY column, …, the columns maybe in brackets.
func (c *cursor) partitionColumns(w *Window) error {
	if w.Kind != "session" || len(w.Partition) > 0 {
		return c.unexpected()
	}
	c.i += 2
	bracket := c.acceptOp('(')
	for {
		name, err := c.windowColumn()
		if err != nil {
			return err
		}
		w.Partition = append(w.Partition, name)
		// Behind a bare list may come the next argument.
		if !bracket && c.p.op(c.i) == ',' && c.p.op(c.i+2) == '(' || !c.acceptOp(',') {
			break
		}
	}
	if bracket {
		return c.expectOp(')')
	}
	return nil
}

// windowColumn reads [[db.]table.]column.
func (c *cursor) windowColumn() (*ast.ColumnName, error) {
	var parts []ast.CIStr
	for {
		name, err := c.identifier()
		if err != nil {
			return nil, err
		}
		parts = append(parts, ast.NewCIStr(name))
		if len(parts) == 3 || !c.acceptOp('.') {
			break
		}
	}
	n := &ast.ColumnName{Name: parts[len(parts)-1]}
	if len(parts) > 1 {
		n.Table = parts[len(parts)-2]
	}
	if len(parts) > 2 {
		n.Schema = parts[0]
	}
	return n, nil
}

// windowAlias reads [AS] name, if there is one.
func (c *cursor) windowAlias(w *Window) (err error) {
	if c.accept(kwAs) {
		w.Alias, err = c.identifier()
		return err
	}
	t := c.p.tokens[c.i]
	next := c.p.word(c.i + 1)
	switch t.word {
	case kwFull, kwSemi, kwAnti, kwAsof:
		if next == kwJoin || next == kwOuter || next == kwLeft {
			return nil
		}
	case kwEmit:
		if next == kwChanges || next == kwOn {
			return nil
		}
	case kwFor:
		return nil
	}
	if t.kind == tokQuoted || t.kind == tokWord && !isReserved(c.p.textOf(c.i)) {
		w.Alias, err = c.identifier()
	}
	return err
}

// windowCall reads the arguments of a window of GROUP BY, or of a bound of one,
// that begins at token from.
func (c *cursor) windowCall(from int, w *Window) error {
	if err := c.windowTime(w); err != nil {
		return err
	}
	if err := c.windowIntervals(w); err != nil {
		return err
	}
	if len(w.Partition) > 0 {
		return sqlerr.Unsupported("PARTITION BY in a window of GROUP BY (sessions are parted by the other expressions of GROUP BY)")
	}
	p := c.p
	pos, end := p.tokens[from].pos, p.tokens[c.i-1].end
	w.Text = p.text[pos:end]
	// The bracket closes where the call did, so that a field's text stays whole.
	index := strconv.Itoa(len(p.windows))
	open, close := pos+len(WindowMark), end-1
	p.overwrite(pos, end, WindowMark+"("+index)
	p.buf[close] = ')'
	p.windows = append(p.windows, w)
	p.tokens = slices.Replace(p.tokens, from, c.i,
		token{kind: tokWord, pos: pos, end: open}, token{kind: tokOp, op: '(', pos: open, end: open + 1},
		token{kind: tokNumber, pos: open + 1, end: open + 1 + len(index)}, token{kind: tokOp, op: ')', pos: close, end: end})
	return nil
}
