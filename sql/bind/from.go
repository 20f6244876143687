package bind

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// source is a bound FROM, or a part of it: the relation and what it offers.
type source struct {
	rel   Rel
	scope scope
}

// from binds anything that can stand in FROM.
func (b *binder) from(node ast.ResultSetNode) (source, error) {
	if err := b.enter(); err != nil {
		return source{}, err
	}
	defer b.leave()
	switch n := node.(type) {
	case *ast.Join:
		return b.join(n)
	case *ast.TableSource:
		return b.tableSource(n)
	case *ast.TableName:
		return b.tableName(n, "")
	default:
		return source{}, sqlerr.Unsupported("this kind of table in FROM")
	}
}

// joinedTables counts what stands in a FROM, a derived table as one.
func joinedTables(node ast.ResultSetNode) int {
	for n := 1; ; {
		if t, ok := node.(*ast.TableSource); ok {
			node = t.Source // a join in brackets, else a leaf
		}
		j, ok := node.(*ast.Join)
		if !ok {
			return n
		}
		if j.Right != nil {
			n += joinedTables(j.Right)
		}
		node = j.Left
	}
}

func (b *binder) tableSource(n *ast.TableSource) (source, error) {
	if w := b.windowAt(n.AsName.O); w != nil {
		if w.JSON != nil {
			return b.jsonTable(n, w)
		}
		return b.windowTable(n, w)
	}
	alias, names := n.AsName.O, originals(n.ColumnNames)
	if k := parser.NamedIndex(alias); k >= 0 && k < len(b.derivedNames) {
		alias, names = b.derivedNames[k].Name, b.derivedNames[k].Columns
	}
	switch s := n.Source.(type) {
	case *ast.TableName:
		return b.tableName(s, alias)
	case *ast.SelectStmt, *ast.SetOprStmt:
		if sel, ok := s.(*ast.SelectStmt); ok {
			if feed, ours, err := b.changesOf(sel, alias); ours {
				return feed, err
			}
		}
		if alias == "" {
			return source{}, sqlerr.New(sqlerr.DerivedMustHaveAlias, "Every derived table must have its own alias")
		}
		if n.Lateral {
			return b.lateral(s, alias, names)
		}
		left := b.beside
		b.beside = nil
		q, err := b.subquery(s)
		b.beside = left
		if err != nil {
			return source{}, err
		}
		return b.derived(q, alias, names)
	default:
		return b.from(s)
	}
}

// subquery binds a query in FROM; the order of its rows is dropped unless it
// decides which rows there are.
func (b *binder) subquery(node ast.Node) (*Query, error) {
	if err := b.relation(); err != nil {
		return nil, err
	}
	q, err := b.query(node)
	if err != nil {
		return nil, err
	}
	if q.Limit < 0 && q.Offset == 0 {
		q.OrderBy = nil
	}
	return q, nil
}

// tableName binds a name in FROM: a CTE, a view, or something with rows.
func (b *binder) tableName(n *ast.TableName, alias string) (source, error) {
	if err := refuseTableName(n); err != nil {
		return source{}, err
	}
	b.indexHints(n)
	if alias == "" {
		alias = n.Name.O
	}
	if n.Schema.O == "" {
		if c := b.ctes.find(n.Name.O); c != nil && c.working != nil {
			return b.scanWorking(c.working, alias)
		} else if c != nil {
			return b.useCTE(c, alias)
		}
	}
	t, err := b.table(n)
	if err != nil {
		return source{}, err
	}
	b.read(t)
	if t.Kind == catalog.View {
		return b.expandView(t, alias)
	}
	return b.scan(t, alias)
}

func refuseTableName(n *ast.TableName) error {
	switch {
	case n.AsOf != nil:
		return sqlerr.Unsupported("AS OF")
	case n.TableSample != nil:
		return sqlerr.Unsupported("TABLESAMPLE")
	case len(n.PartitionNames) > 0:
		return sqlerr.Unsupported("PARTITION")
	}
	return nil
}

// scan reads t under a name.
func (b *binder) scan(t *catalog.Table, alias string) (source, error) {
	switch t.Kind {
	case catalog.Sink:
		return source{}, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is a sink: its rows are not kept here to be read; read what it reads", t.Database, t.Name)
	case catalog.ContinuousQuery:
		return source{}, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is a continuous query: its rows are in what it writes INTO; read that", t.Database, t.Name)
	}
	if t.Temporary && !b.view {
		return source{}, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is a temporary stream table: it keeps no rows; read it in a materialized view or continuous query, which has those that come", t.Database, t.Name)
	}
	if err := b.relation(); err != nil {
		return source{}, err
	}
	if !slices.Contains(b.scanned, t) {
		b.scanned = append(b.scanned, t)
	}
	r := &Scan{Table: t, Alias: alias, Cols: make([]Col, len(t.Columns))}
	s := source{rel: r, scope: scope{cols: make([]visible, len(t.Columns))}}
	for i, c := range t.Columns {
		r.Cols[i] = Col{ID: b.newID(), Name: c.Name, Type: c.Type}
	}
	for rank, i := range t.InSight() {
		hidden := t.Columns[i].Hidden || b.expanding > 0 && t.Columns[i].Since > b.sees
		s.scope.cols[rank] = visible{Col: r.Cols[i], db: t.Database, table: alias, base: t, position: i, rank: rank, hidden: hidden}
	}
	return s, nil
}

// derived puts a query into FROM under a name, its columns renamed if names is
// not empty: error 1353 if their number is wrong, 1060 for one name twice.
func (b *binder) derived(q *Query, alias string, names []string) (source, error) {
	q, err := renamed(b.nullsAsText(q), names)
	if err != nil {
		return source{}, err
	}
	s := source{rel: &Derived{Query: q}, scope: scope{cols: make([]visible, len(q.Out))}}
	for i, c := range q.Out {
		s.scope.cols[i] = visible{Col: c, table: alias, position: i, rank: i}
	}
	return s, nil
}

// nullsAsText gives the columns of q that are nothing but NULL a type where MySQL makes a
// table of its rows first: a text of no length. Around others a NULL goes on being one.
func (b *binder) nullsAsText(q *Query) *Query {
	null := func(c Col) bool { return c.Type.Kind == types.Null }
	sel, ok := q.Root.(*Select)
	if merged := ok && !sel.Grouped && !sel.Distinct && len(sel.Overs) == 0 && q.Limit < 0 && q.Offset == 0; merged || !slices.ContainsFunc(q.Out, null) {
		return q
	}
	ts := make([]types.Type, len(q.Out))
	for i, c := range q.Out {
		if ts[i] = c.Type; null(c) {
			ts[i] = types.MakeVarChar(0)
		}
	}
	return b.converted(q, ts)
}

// renamed gives the columns of q other names (none: it keeps its own), which
// must differ.
func renamed(q *Query, names []string) (*Query, error) {
	if len(names) > 0 {
		if len(names) != len(q.Out) {
			return nil, wrongColumnList()
		}
		c := *q
		c.Out = make([]Col, len(q.Out))
		for i, col := range q.Out {
			c.Out[i] = Col{ID: col.ID, Name: names[i], Type: col.Type}
		}
		q = &c
	}
	seen := make(map[string]bool, len(q.Out))
	for _, c := range q.Out {
		if key := strings.ToLower(c.Name); seen[key] {
			return nil, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", c.Name)
		} else {
			seen[key] = true
		}
	}
	return q, nil
}

// expandView puts the query of a plain view in its place, bound as the session
// saw it that created the view.
func (b *binder) expandView(t *catalog.Table, alias string) (source, error) {
	if err := b.relation(); err != nil {
		return source{}, err
	}
	env := *b.env
	env.Session = t.Session
	env.Mode = ParseMode(t.Session.SQLMode)
	stmt, err := parseStored(t.Query, ParserMode(t.Session.SQLMode))
	if err != nil {
		return source{}, brokenView(t, err)
	}
	inner := &binder{session: b.session, env: &env, scalar: env.scalar(), view: true, windows: stmt.Windows, derivedNames: stmt.Named,
		continuous: b.continuous, expanding: b.expanding + 1, sees: t.Sees}
	q, err := inner.subquery(stmt.Node)
	if err != nil {
		return source{}, brokenView(t, err)
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	s, err := b.derived(q, alias, names)
	if err != nil {
		return source{}, brokenView(t, err)
	}
	for i := range s.scope.cols {
		s.scope.cols[i].db = t.Database
	}
	return s, nil
}

// brokenView is error 1356: what the view reads has changed under it. Refusals
// and limits speak for themselves.
func brokenView(t *catalog.Table, err error) error {
	switch e := sqlerr.From(err); e.Code {
	case sqlerr.NoSuchTable, sqlerr.BadField, sqlerr.BadDB, sqlerr.ViewWrongList, sqlerr.SPDoesNotExist:
		return sqlerr.New(sqlerr.ViewInvalid, "View '%s.%s' references invalid table(s) or column(s) or function(s): %s",
			t.Database, t.Name, e.Message)
	default:
		return err
	}
}

// originals are names as written.
func originals(names []ast.CIStr) []string {
	var out []string
	for _, n := range names {
		out = append(out, n.O)
	}
	return out
}

// wrongColumnList is the error of a list of names that is as long as it must not be.
func wrongColumnList() error {
	return sqlerr.New(sqlerr.ViewWrongList, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
}
