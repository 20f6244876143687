package session

import (
	"context"
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/planner/physical"
	"streamsql/planner/physical/build"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// lookup is a prepared SELECT of the columns of one row of a view or table, which
// parameters give the key of. It runs without binding or planning it again, as long
// as what it was planned for is as it was.
type lookup struct {
	version uint64  // of the catalog
	key     planKey // the session's settings
	table   *catalog.Table
	params  []types.Type // as they were
	equals  []lookupKey
	columns []int // of the table
	fields  []physical.Field
}

// lookupKey is a key column and the parameter that it must equal.
type lookupKey struct{ column, param int }

// mayLookUp reports a SELECT, of which another try to make it a look-up may help.
func (p *Prepared) mayLookUp() bool {
	_, selects := p.stmt.Node.(*ast.SelectStmt)
	return selects && p.tries < maxTries
}

// maxTries is how often a statement is planned to see whether it is a look-up.
const maxTries = 3

// planLookup plans a prepared SELECT with its parameters to see whether it is a
// look-up; nil: it is not. What is wrong with it, its execution will say.
func (s *Session) planLookup(ctx context.Context, p *Prepared, params []Param) *lookup {
	p.tries++
	version, warned := s.server.catalog().Version(), s.diagnostics
	s.changes = p.stmt.Changes
	c, err := s.compile(ctx, p.stmt, params)
	s.diagnostics = warned // its execution warns
	if err != nil {
		return nil
	}
	l := s.lookupOf(p.stmt.Text, version, c, params)
	if l != nil {
		p.tries = 0 // when the catalog has changed it is planned anew
	}
	return l
}

// lookupOf is what a SELECT that was planned with these parameters comes to, if that
// is to look a row up by them; else nil.
func (s *Session) lookupOf(text string, version uint64, c *compiled, params []Param) *lookup {
	b, ok := c.bound.(*bind.SelectStatement)
	if !ok || c.private || c.plan == nil || b.AsOf != nil || len(b.Reads) != 1 || asksSession(text) {
		return nil
	}
	t := b.Reads[0]
	root := c.plan.Root
	if root.Kind != physical.Map || root.Inputs[0].Kind != physical.Source {
		return nil
	}
	src := root.Inputs[0].Source
	if catalog.ID(src.Table) != t.ID || len(src.Equals) != len(root.Map.Filter) || len(src.Equals) != len(t.Primary) {
		return nil
	}
	l := &lookup{version: version, key: s.planKey(text), table: t, fields: c.plan.Output}
	for _, e := range src.Equals {
		at := slices.IndexFunc(params, func(p Param) bool { return p == e.Value })
		if at < 0 || !slices.Contains(t.Primary, e.Column) || slices.ContainsFunc(l.equals, func(k lookupKey) bool { return k.column == e.Column }) {
			return nil
		}
		l.equals = append(l.equals, lookupKey{e.Column, at})
	}
	if len(l.equals) < len(params) {
		return nil // the others mean something too
	}
	for i := range c.plan.Output {
		col := i
		if root.Map.Project != nil {
			e := root.Map.Project[i]
			if e.Op != expr.OpColumn {
				return nil
			}
			col = e.Col
		}
		if src.Columns[col] < 0 {
			return nil
		}
		l.columns = append(l.columns, src.Columns[col])
	}
	for _, p := range params {
		l.params = append(l.params, p.Type)
	}
	return l
}

// fits reports that a look-up is still what its statement means, with other values.
func (s *Session) fits(l *lookup, text string, params []Param) bool {
	if l.version != s.server.catalog().Version() || l.key != s.planKey(text) || s.tx != nil || !s.settings.autocommit {
		return false
	}
	for i, p := range params {
		was := l.params[i]
		if p.Type.Kind != was.Kind || p.Type.Collation != was.Collation || p.Type.Scale != was.Scale || p.Type.Unsigned != was.Unsigned {
			return false
		}
	}
	for _, k := range l.equals {
		p := params[k.param]
		if p.Value == nil || p.Value.Null || !build.Alike(l.table.Columns[k.column].Type, p) {
			return false
		}
	}
	return true
}

// lookUp runs a look-up; done is false where the row must be found in another way.
func (s *Session) lookUp(ctx context.Context, l *lookup, params []Param, more bool, emit Emit) (done bool, err error) {
	equals := make([]physical.ColumnValue, len(l.equals))
	for i, k := range l.equals {
		equals[i] = physical.ColumnValue{Column: k.column, Value: params[k.param]}
	}
	row, ok, err := s.server.engine.Lookup(ctx, l.table, equals, l.columns, s.readOptions(false))
	if err != nil || !ok {
		return err != nil, err
	}
	rows := &fixedRows{fields: l.fields}
	if row != nil {
		rows.chunks = append(rows.chunks, row)
	}
	return true, s.give(ctx, &Result{Rows: rows}, more, emit)
}
