package parser

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// CreateFunction is CREATE [OR REPLACE] [AGGREGATE] FUNCTION [IF NOT EXISTS] name
// (parameters) RETURNS type [COMMENT 'text'] [[NOT] DETERMINISTIC] LANGUAGE name AS
// code. Code is a string, between dollar quotes maybe; with File it names a file.
type CreateFunction struct {
	Name        *ast.TableName
	Aggregate   bool
	OrReplace   bool
	IfNotExists bool
	// Params are the parameters, Returns the result, as the columns of a table.
	Params   []*ast.ColumnDef
	Returns  *ast.ColumnDef
	Language string // in lower case
	Code     string
	File     bool
	Comment  string
}

// DropFunction is DROP [AGGREGATE] FUNCTION [IF EXISTS] name [CASCADE].
type DropFunction struct {
	Name     *ast.TableName
	IfExists bool
	Cascade  bool
}

// createFunction reads CREATE FUNCTION, false: the statement is another one.
func (p *Parser) createFunction(st *Statement) (bool, error) {
	f := &CreateFunction{}
	c := cursor{p: p, i: 1}
	f.OrReplace = c.acceptText("or", "replace")
	f.Aggregate = c.acceptText("aggregate")
	if !c.acceptText("function") {
		return false, nil
	}
	st.CreateFunction = f
	return true, f.read(&c)
}

func (f *CreateFunction) read(c *cursor) (err error) {
	f.IfNotExists = c.ifNotExists()
	if f.Name, err = c.tableName(); err != nil {
		return err
	}
	if c.acceptText("returns") {
		return sqlerr.Unsupported("CREATE FUNCTION … SONAME of a function without parameters; write name(x type, …) RETURNS type LANGUAGE WASM AS SONAME 'file'")
	}
	if err := c.expectOp('('); err != nil {
		return err
	}
	params := c.i
	for depth := 0; depth > 0 || c.p.op(c.i) != ')'; c.i++ {
		switch {
		case c.p.isEnd(c.i):
			return c.unexpected()
		case c.p.op(c.i) == '(':
			depth++
		case c.p.op(c.i) == ')':
			depth--
		}
	}
	end := c.i
	c.i++
	if !c.acceptText("returns") {
		return c.unexpected()
	}
	returns := c.i
	for !f.attribute(c) {
		if c.p.isEnd(c.i) {
			return c.unexpected()
		}
		c.i++
	}
	if err := f.types(c.p, params, end, returns, c.i); err != nil {
		return err
	}
	if err := f.attributes(c); err != nil {
		return err
	}
	return f.code(c)
}

// attribute reports that the next word begins an attribute of a function.
func (f *CreateFunction) attribute(c *cursor) bool {
	at := *c
	return at.acceptText("language") || at.acceptText("deterministic") || at.acceptText("not", "deterministic") || at.acceptText("comment") ||
		at.acceptText("no", "sql") || at.acceptText("contains", "sql") || at.acceptText("return") || at.acceptText("begin")
}

// attributes reads what stands before AS, in any order.
func (f *CreateFunction) attributes(c *cursor) (err error) {
	for {
		switch {
		case c.acceptText("language"):
			var name string
			if name, err = c.identifier(); err != nil {
				return err
			}
			f.Language = strings.ToLower(name)
		case c.acceptText("comment"):
			if f.Comment, err = c.text(); err != nil {
				return err
			}
		case c.acceptText("deterministic"), c.acceptText("no", "sql"), c.acceptText("contains", "sql"):
			// all of them are
		case c.acceptText("not", "deterministic"):
			return sqlerr.Unsupported("NOT DETERMINISTIC functions")
		default:
			return nil
		}
	}
}

// code reads AS and what is behind it.
func (f *CreateFunction) code(c *cursor) error {
	if f.Language == "" || f.Language == "sql" {
		return sqlerr.Unsupported("CREATE FUNCTION in SQL; write LANGUAGE JAVASCRIPT AS $$ … $$, or LANGUAGE WASM AS SONAME 'file'")
	}
	if err := c.expect(kwAs); err != nil {
		return err
	}
	f.File = c.acceptText("soname")
	if t := c.p.tokens[c.i]; t.kind == tokDollar && !f.File {
		f.Code = undollar(c.p.text[t.pos:t.end])
		c.i++
	} else {
		var err error
		if f.Code, err = c.text(); err != nil {
			return err
		}
	}
	return c.expectEnd()
}

// types reads the parameters and the result, given by tokens, as the columns of a table.
func (f *CreateFunction) types(p *Parser, params, end, returns, after int) error {
	columns := strings.TrimSpace(p.text[p.tokens[params].pos:p.tokens[end].pos])
	if columns != "" {
		columns += ", "
	}
	const result = "`result of the function`"
	text := "CREATE TABLE f (" + columns + result + " " + p.text[p.tokens[returns].pos:p.tokens[after].pos] + ")"
	p.tidb.SetSQLMode(p.sqlMode())
	nodes, _, err := p.tidb.ParseSQL(text)
	if err != nil || len(nodes) != 1 {
		return p.unexpected(params)
	}
	create, ok := nodes[0].(*ast.CreateTableStmt)
	if !ok || len(create.Constraints) > 0 || len(create.Cols) == 0 {
		return p.unexpected(params)
	}
	for _, col := range create.Cols {
		if len(col.Options) > 0 {
			return sqlerr.Unsupported("attributes of a function's parameters and result, other than the type")
		}
	}
	n := len(create.Cols) - 1
	f.Params, f.Returns = create.Cols[:n], create.Cols[n]
	return nil
}

// dropFunction reads DROP FUNCTION, false: the statement is another one.
func (p *Parser) dropFunction(st *Statement) (bool, error) {
	c := cursor{p: p, i: 1}
	c.acceptText("aggregate")
	if !c.acceptText("function") {
		return false, nil
	}
	d := &DropFunction{IfExists: c.ifExists()}
	var err error
	if d.Name, err = c.tableName(); err != nil {
		return true, err
	}
	if d.Cascade = c.accept(kwCascade); !d.Cascade {
		c.accept(kwRestrict)
	}
	st.DropFunction = d
	return true, c.expectEnd()
}
