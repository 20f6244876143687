package bind

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// createView binds CREATE [OR REPLACE] VIEW.
func (b *binder) createView(n *ast.CreateViewStmt, s *parser.Statement) (Statement, error) {
	if n.CheckOption != ast.CheckOptionCascaded || hasCheckOption(s.Text) {
		return nil, sqlerr.Unsupported("WITH CHECK OPTION")
	}
	if s.AlterView {
		if old, err := b.table(n.ViewName); err != nil {
			return nil, err
		} else if old.Kind != catalog.View {
			return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", old.Database, old.Name)
		}
	}
	t, err := b.newTable(n.ViewName, catalog.View)
	if err != nil {
		return nil, err
	}
	t.Text, t.Query = s.Text, n.Select.Text()
	q, err := b.define(t, n.Select, originals(n.Cols))
	if err != nil {
		return nil, err
	}
	if n.OrReplace {
		if old, ok := b.env.Catalog.Table(t.Database, t.Name); ok {
			if old.Kind != catalog.View {
				return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", t.Database, t.Name)
			}
			for _, r := range t.Reads {
				if catalog.ReadsFrom(b.env.Catalog, r, old.ID) {
					return nil, sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", t.Database, t.Name)
				}
			}
		}
	}
	return &CreateTable{Table: t, Query: q, OrReplace: n.OrReplace, Reads: b.reads}, nil
}

// hasCheckOption reports whether a statement ends in CHECK OPTION: the tree
// says CASCADED with and without it.
func hasCheckOption(text string) bool {
	words := strings.Fields(strings.ToUpper(text))
	n := len(words)
	return n >= 2 && words[n-2] == "CHECK" && words[n-1] == "OPTION"
}

// createContinuous binds what makes a continuous query.
func (b *binder) createContinuous(s *parser.Statement) (Statement, error) {
	switch {
	case s.Sink != nil:
		return b.createSink(s)
	case s.Query != nil:
		return b.createContinuousQuery(s)
	}
	return b.createMaterializedView(s)
}

// createMaterializedView binds CREATE MATERIALIZED VIEW. Its rows must not
// depend on when they are computed, nor on their order, unless a LIMIT says which are the first.
func (b *binder) createMaterializedView(s *parser.Statement) (Statement, error) {
	n := s.MatView
	t, err := b.newTable(n.Name, catalog.MaterializedView)
	if err != nil {
		return nil, err
	}
	t.Text, t.Query, t.Options = s.Text, n.QueryText, n.Options
	q, err := b.defineContinuous(t, n.Query, n.Columns)
	if err != nil {
		return nil, err
	}
	q.EmitOnClose = n.EmitOnClose
	return &CreateTable{Table: t, Query: q, IfNotExists: n.IfNotExists, Reads: b.reads}, nil
}

// createSink binds CREATE SINK: a continuous query as a materialized view is.
func (b *binder) createSink(s *parser.Statement) (Statement, error) {
	n := s.Sink
	t, err := b.newTable(n.Name, catalog.Sink)
	if err != nil {
		return nil, err
	}
	t.Text, t.Query, t.Options = s.Text, n.QueryText, n.Options
	q, err := b.defineContinuous(t, n.Query, nil)
	if err != nil {
		return nil, err
	}
	q.EmitOnClose = n.EmitOnClose
	return &CreateTable{Table: t, Query: q, IfNotExists: n.IfNotExists, Reads: b.reads}, nil
}

// defineContinuous is define of a query that runs, with the options that say how.
func (b *binder) defineContinuous(t *catalog.Table, node ast.StmtNode, columns []string) (*Query, error) {
	b.continuous = true
	q, err := b.define(t, node, columns)
	if err != nil {
		return nil, err
	}
	return q, b.run(t, q)
}

// run makes a query one that runs: it has no order, and the options say what becomes of late rows.
func (b *binder) run(t *catalog.Table, q *Query) error {
	if q.Limit < 0 && q.Offset == 0 && len(q.OrderBy) > 0 { // a result has no order
		q.OrderBy = nil
		b.noEffect("ORDER BY without LIMIT in a " + string(t.Kind))
	}
	if v, ok := t.Options["allowed_lateness"]; ok {
		if q.Lateness, ok = optionDuration(v); !ok || q.Lateness < 0 {
			return sqlerr.New(sqlerr.WrongArguments, "allowed_lateness is a time such as '5 s' or '10 minutes', not '%s'", v)
		}
	}
	_, q.KeepLate = t.Options["late_rows"]
	return nil
}

// define binds the query of a view, and makes its columns and what it reads
// part of the descriptor.
func (b *binder) define(t *catalog.Table, node ast.StmtNode, columns []string) (*Query, error) {
	b.view = true
	q, err := b.query(node)
	if err != nil {
		return nil, err
	}
	for _, c := range columns {
		if err := checkIdentifier(c, sqlerr.WrongColumnName, "column"); err != nil {
			return nil, err
		}
	}
	if len(columns) == 0 {
		for i := range q.Out { // MySQL's names for expressions whose text is none
			if name := q.Out[i].Name; utf8.RuneCountInString(name) > maxIdentifier || name == "" {
				q.Out[i].Name = "Name_exp_" + itoa(i+1)
			}
		}
	}
	if q, err = renamed(q, columns); err != nil {
		return nil, err
	}
	for _, c := range q.Out {
		t.Columns = append(t.Columns, catalog.Column{Name: c.Name, Type: c.Type})
	}
	t.Calls = b.calls
	t.Reads, err = b.readIDs(t)
	return q, err
}

// readIDs are the objects that a view depends on: those that its query names,
// and as a continuous query keeps its plan, those that it reads through others.
func (b *binder) readIDs(of *catalog.Table) ([]catalog.ID, error) {
	read := b.reads
	if of.Continuous() {
		read = append(slices.Clone(read), b.scanned...)
	}
	var out []catalog.ID
	for _, t := range read {
		if t.Kind == catalog.Virtual && of.Continuous() {
			return nil, sqlerr.Unsupported("a system view in a " + string(of.Kind))
		}
		if t.ID != 0 && !slices.Contains(out, t.ID) {
			out = append(out, t.ID)
		}
	}
	return out, nil
}
