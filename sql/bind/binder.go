package bind

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/builtin"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Limits on one statement. They keep recursion off the end of the stack, and
// expanded views and CTEs from growing without bound.
const (
	maxDepth     = 1000
	maxRelations = 4096
	maxJoined    = 61 // tables in one FROM, as in MySQL
)

// Bind resolves a statement against env.
func Bind(stmt *parser.Statement, env *Env) (Statement, error) {
	b := &binder{session: &session{text: stmt.Text}, env: env, scalar: env.scalar(), windows: stmt.Windows, derivedNames: stmt.Named, changes: stmt.Changes}
	s, err := b.statement(stmt)
	if err != nil {
		return nil, err
	}
	for _, sel := range b.selects {
		b.settleDigits(sel)
	}
	if q := queryOf(s); q != nil {
		q.Subqueries = b.subqueries
	}
	for _, r := range b.recursions {
		r.Query.Subqueries = b.subqueries
	}
	return s, nil
}

// queryOf is the query inside a statement; nil if it has none.
func queryOf(s Statement) *Query {
	switch s := s.(type) {
	case *SelectStatement:
		return s.Query
	case *Insert:
		return s.Source
	case *Update:
		return s.Query
	case *Delete:
		return s.Query
	case *CreateTable:
		return s.Query
	case *Explain:
		return queryOf(s.Statement)
	}
	return nil
}

// session is what the binders of a statement and of its expanded views share.
type session struct {
	text       string
	columns    int // ids given so far
	relations  int
	depth      int
	params     []types.Type
	queries    int       // that are bound just now, one in another
	selects    []*Select // all that are bound
	recursions []*Recursive
	subqueries []*Subquery
	outer      map[int]bool     // columns that stand for what a subquery reads of the queries around it
	reads      []*catalog.Table // named by the statement itself
	scanned    []*catalog.Table // read, by name or through views
	calls      []catalog.ID     // functions of the user's own, called by name or through views
}

// binder binds one query text: the statement, or a view that it uses.
type binder struct {
	*session
	env    *Env
	scalar *builtin.Env
	// windows are what the text has, by index.
	windows []*parser.Window
	// derivedNames are its derived tables that name their columns.
	derivedNames []parser.ColumnNames
	// changes are the views of CHANGES(…): see parser.Statement.
	changes map[int]*ast.TableName
	ctes    *cte    // innermost first
	frame   *frame  // what a subquery sees of what is around it; nil: no subquery
	beside  *beside // what LATERAL sees
	// view is set within a view's definition, where parameters and variables may
	// not be; continuous within a materialized view's, where nothing may depend on
	// when it is computed. expanding is the nesting of views below the statement.
	view, continuous bool
	expanding        int
	sees             catalog.ID // of the view that is expanded: see catalog.Table.Sees
}

// newID gives the next column id; the first is 1.
func (b *binder) newID() int {
	b.columns++
	return b.columns
}

// enter guards a recursion; leave ends it.
func (b *binder) enter() error {
	if b.depth++; b.depth > maxDepth {
		return tooDeep()
	}
	return nil
}

func tooDeep() error {
	return sqlerr.New(sqlerr.TooHighLevelOfNesting, "Too high level of nesting: more than %d", maxDepth)
}

func (b *binder) leave() { b.depth-- }

// relation counts one more thing that stands in FROM.
func (b *binder) relation() error {
	if b.relations++; b.relations > maxRelations {
		return sqlerr.New(sqlerr.TooManyTables, "Too many tables; after its views and common table expressions are expanded, a statement can use %d", maxRelations)
	}
	return nil
}

// read records that the statement itself names t.
func (b *binder) read(t *catalog.Table) {
	if b.expanding == 0 && !slices.Contains(b.reads, t) {
		b.reads = append(b.reads, t)
	}
}

// database is the one that a name means; error 1046 when none is chosen.
func (b *binder) database(schema ast.CIStr) (string, error) {
	name := schema.O
	if name == "" {
		name = b.env.Session.Database
	}
	if name == "" {
		return "", sqlerr.New(sqlerr.NoDB, "No database selected")
	}
	return name, nil
}

// table finds what a name in a statement means: 1046, 1049 or 1146 if nothing.
func (b *binder) table(n *ast.TableName) (*catalog.Table, error) {
	db, err := b.database(n.Schema)
	if err != nil {
		return nil, err
	}
	t, ok := b.env.Catalog.Table(db, n.Name.O)
	if ok {
		return t, nil
	}
	if _, ok := b.env.Catalog.Database(db); !ok {
		var names []string
		for _, d := range b.env.Catalog.Databases() {
			names = append(names, d.Name)
		}
		return nil, hinted(catalog.UnknownDatabase(db), db, names)
	}
	var names []string
	for _, t := range b.env.Catalog.Tables(db) {
		names = append(names, t.Name)
	}
	return nil, hinted(catalog.NoSuchTable(db, n.Name.O), n.Name.O, names)
}
