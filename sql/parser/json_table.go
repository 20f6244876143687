package parser

import (
	"slices"
	"strconv"
	"strings"

	"streamsql/sql/sqlerr"
)

// JSONTable is JSON_TABLE(document, Path COLUMNS (Columns)), or with NESTED PATH a
// part of one.
type JSONTable struct {
	Path    string
	Columns []JSONColumn
}

// JSONColumn is a column of JSON_TABLE; with Nested it stands for several.
type JSONColumn struct {
	Name    string
	Type    string // as typed; empty: FOR ORDINALITY
	Exists  bool
	Path    string
	OnEmpty JSONResponse
	OnError JSONResponse
	Nested  *JSONTable
}

// JSONResponse is what stands behind ON EMPTY or ON ERROR: ERROR, DEFAULT with a JSON
// text, or else NULL.
type JSONResponse struct {
	Error   bool
	Default string
}

// maxNestedPaths bounds how deep NESTED PATH goes, as in MySQL.
const maxNestedPaths = 16

// rewriteJSONTable takes the JSON_TABLE that begins at token i out of the text: in its
// place stands a query of its document, with the mark of a window for an alias.
func (p *Parser) rewriteJSONTable(i int) error {
	if strings.Contains(p.text, WindowMark) {
		return syntaxError(p.text, strings.Index(p.text, WindowMark))
	}
	if len(p.windows) == maxWindows {
		return sqlerr.New(sqlerr.TooManyTables, "Too many windows; a statement can use %d", maxWindows)
	}
	c := cursor{p: p, i: i + 2}
	comma, err := c.document()
	if err != nil {
		return err
	}
	w := &Window{Kind: "json_table"}
	if w.JSON, err = c.jsonTable(0); err != nil {
		return err
	}
	if err := c.expectOp(')'); err != nil {
		return err
	}
	w.Text = p.text[p.tokens[i].pos:p.tokens[c.i-1].end]
	if err := c.windowAlias(w); err != nil {
		return err
	}
	if w.Alias == "" {
		return sqlerr.New(sqlerr.TableFunctionAlias, "Every table function must have an alias")
	}
	pos, at, end := p.tokens[i].pos, p.tokens[comma].pos, p.tokens[c.i-1].end
	p.overwrite(pos, p.tokens[i+1].end, "(SELECT")
	p.blank(at, end)
	mark := WindowMark + strconv.Itoa(len(p.windows))
	copy(p.buf[at:end], ") "+mark)
	p.windows = append(p.windows, w)
	tokens := []token{{kind: tokOp, op: '(', pos: pos, end: pos + 1}, {kind: tokWord, word: kwSelect, pos: pos + 1, end: pos + len("(SELECT")}}
	tokens = append(tokens, p.tokens[i+2:comma]...)
	tokens = append(tokens, token{kind: tokOp, op: ')', pos: at, end: at + 1}, token{kind: tokWord, pos: at + 2, end: at + 2 + len(mark)})
	p.tokens = slices.Replace(p.tokens, i, c.i, tokens...)
	return nil
}

// document passes over the first argument and the comma behind it, whose token it
// returns.
func (c *cursor) document() (comma int, err error) {
	start := c.i
	for depth := 0; ; c.i++ {
		switch op := c.p.op(c.i); {
		case c.p.isEnd(c.i), op == ')' && depth == 0, op == ',' && depth == 0 && c.i == start:
			return 0, c.unexpected()
		case op == '(':
			depth++
		case op == ')':
			depth--
		case op == ',' && depth == 0:
			c.i++
			return c.i - 1, nil
		}
	}
}

// says passes over a word that is no keyword of the pre-pass, in any case.
func (c *cursor) says(word string) bool {
	if c.p.tokens[c.i].kind == tokWord && strings.EqualFold(c.p.textOf(c.i), word) {
		c.i++
		return true
	}
	return false
}

// jsonTable reads path COLUMNS (…).
func (c *cursor) jsonTable(depth int) (*JSONTable, error) {
	if depth > maxNestedPaths {
		return nil, sqlerr.New(sqlerr.JSONTableNesting, "More than supported %d NESTED PATHs were found in JSON_TABLE", maxNestedPaths)
	}
	t := &JSONTable{}
	var err error
	if t.Path, err = c.text(); err != nil {
		return nil, err
	}
	if !c.says("columns") {
		return nil, c.unexpected()
	}
	if err := c.expectOp('('); err != nil {
		return nil, err
	}
	for {
		col, err := c.jsonColumn(depth)
		if err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, col)
		if !c.acceptOp(',') {
			return t, c.expectOp(')')
		}
	}
}

func (c *cursor) jsonColumn(depth int) (col JSONColumn, err error) {
	if c.says("nested") {
		c.says("path")
		col.Nested, err = c.jsonTable(depth + 1)
		return col, err
	}
	if col.Name, err = c.identifier(); err != nil {
		return col, err
	}
	if c.accept(kwFor) {
		if !c.says("ordinality") {
			err = c.unexpected()
		}
		return col, err
	}
	if col.Type, err = c.jsonType(); err != nil {
		return col, err
	}
	col.Exists = c.accept(kwExists)
	if !c.says("path") {
		return col, c.unexpected()
	}
	if col.Path, err = c.text(); err != nil || col.Exists {
		return col, err
	}
	return col, c.jsonResponses(&col)
}

// jsonType passes over the type of a column, which EXISTS or PATH ends.
func (c *cursor) jsonType() (string, error) {
	start := c.i
	for depth := 0; !c.p.isEnd(c.i); c.i++ {
		word := c.p.tokens[c.i].kind == tokWord && depth == 0
		switch op := c.p.op(c.i); {
		case word && (c.p.word(c.i) == kwExists || strings.EqualFold(c.p.textOf(c.i), "path")) && c.i > start:
			return c.p.text[c.p.tokens[start].pos:c.p.tokens[c.i-1].end], nil
		case op == '(':
			depth++
		case op == ')' && depth > 0:
			depth--
		case depth == 0 && op == ',' || op == ')':
			return "", c.unexpected()
		}
	}
	return "", c.unexpected()
}

// jsonResponses reads [… ON EMPTY] [… ON ERROR].
func (c *cursor) jsonResponses(col *JSONColumn) error {
	for _, on := range []struct {
		word string
		to   *JSONResponse
	}{{"empty", &col.OnEmpty}, {"error", &col.OnError}} {
		start := c.i
		var r JSONResponse
		switch {
		case c.says("null"):
		case c.says("error"):
			r.Error = true
		case c.says("default"):
			text, err := c.text()
			if err != nil {
				return err
			}
			r.Default = text
		default:
			continue
		}
		if !c.accept(kwOn) {
			return c.unexpected()
		}
		if c.says(on.word) {
			*on.to = r
		} else if on.word == "empty" && strings.EqualFold(c.p.textOf(c.i), "error") {
			c.i = start // ON ERROR alone
		} else {
			return c.unexpected()
		}
	}
	return nil
}
