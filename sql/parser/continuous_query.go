package parser

import "github.com/pingcap/tidb/pkg/parser/ast"

// CreateContinuousQuery is CREATE CONTINUOUS QUERY [IF NOT EXISTS] name INTO target
// [(columns)] [WITH (…)] AS query. Target is what takes the rows of the query, Columns
// those of its columns that get a value; none: all.
type CreateContinuousQuery struct {
	Name        *ast.TableName
	IfNotExists bool
	Target      *ast.TableName
	Columns     []string
	Options     map[string]string
	Query       ast.StmtNode
	QueryText   string
	EmitOnClose bool
}

// isContinuousQuery reports the words CONTINUOUS QUERY at token i.
func (p *Parser) isContinuousQuery(i int) bool {
	c := cursor{p: p, i: i}
	return c.acceptText("continuous", "query")
}

// createContinuousQuery reads CREATE CONTINUOUS QUERY.
func (p *Parser) createContinuousQuery(st *Statement) error {
	q := &CreateContinuousQuery{}
	st.Query = q
	c := cursor{p: p, i: 3}
	q.IfNotExists = c.ifNotExists()
	var err error
	if q.Name, err = c.tableName(); err != nil {
		return err
	}
	if err := c.expect(kwInto); err != nil {
		return err
	}
	if q.Target, err = c.tableName(); err != nil {
		return err
	}
	if c.acceptOp('(') {
		if q.Columns, err = c.columnList(); err != nil {
			return err
		}
	}
	if c.accept(kwWith) {
		if q.Options, err = c.options(); err != nil {
			return err
		}
	}
	if err := c.expect(kwAs); err != nil {
		return err
	}
	q.Query, q.QueryText, q.EmitOnClose, err = p.definition(st, c.i)
	return err
}
