package session

import (
	"context"
	"strings"
	"sync"

	"streamsql/catalog"
	"streamsql/planner"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
)

// compiled is a statement that is ready to run, for one version of the catalog.
// It is immutable.
type compiled struct {
	bound  bind.Statement
	plan   *physical.Plan // of the query inside; nil: there is none, or it is constant
	fields []physical.Field
	// constant are the columns of a SELECT without FROM, which needs no engine.
	constant []*expr.Expr
	analyze  bool // its Rows are to know what the operators did
	private  bool // it holds values of the session: not for others, nor for later
}

// compile binds and plans a statement. While params are unknown (nil, at
// PREPARE) a statement with parameters is typed but not planned.
func (s *Session) compile(ctx context.Context, stmt *parser.Statement, params []Param) (*compiled, error) {
	c := &compiled{}
	env := s.bindEnv(c, params)
	var err error
	if c.bound, err = bind.Bind(stmt, env); err != nil {
		return nil, err
	}
	for _, n := range bind.Needs(c.bound) {
		if err := catalog.Check(s.user, n); err != nil {
			return nil, err
		}
	}
	return c, c.plans(ctx)
}

// plans makes the plan of the query inside, if there is one that needs the engine.
func (c *compiled) plans(ctx context.Context) (err error) {
	q := queryOf(c.bound)
	if q == nil {
		return nil
	}
	c.fields = fieldsOf(q)
	if c.constant = constants(q); c.constant == nil {
		c.plan, err = planner.Plan(q, planner.Options{Settled: true, Interrupted: func() error { return context.Cause(ctx) }})
	}
	return err
}

// bindEnv is what the binder sees of the session. It marks c private when the
// binder asks for a value that the session alone has.
func (s *Session) bindEnv(c *compiled, params []Param) *bind.Env {
	return &bind.Env{
		Catalog: s.server.catalog(), Session: s.settings.catalog, Mode: s.settings.mode,
		Vars: func(name string, global bool) (*expr.Expr, error) {
			c.private = true
			return s.lookupVar(name, global)
		},
		UserVar: func(name string) *expr.Expr { c.private = true; return s.userVar(name) },
		Warn:    func(code uint16, message string) { c.private = true; s.warn(code, message) },
		Info: bind.Info{
			ConnectionID: uint64(s.client.ID), User: s.client.User + "@" + s.client.Host, CurrentUser: s.user.Name + "@" + s.user.Host,
			Version: s.server.options.Version, LastInsertID: s.lastInsertID, RowCount: s.rowCount, FoundRows: s.foundRows,
		},
		Params: params,
	}
}

// queryOf is the query inside a statement whose rows the session reads.
func queryOf(b bind.Statement) *bind.Query {
	switch b := b.(type) {
	case *bind.SelectStatement:
		return b.Query
	case *bind.Insert:
		return b.Source
	case *bind.Update:
		return b.Query
	case *bind.Delete:
		return b.Query
	}
	return nil
}

// fieldsOf are the columns that a query's client sees.
func fieldsOf(q *bind.Query) []physical.Field {
	fields := make([]physical.Field, len(q.Out))
	for i, c := range q.Out {
		fields[i] = physical.Field{Name: c.Name, Type: c.Type}
	}
	return fields
}

// constants are the columns of a query of one row that reads nothing; nil: it is another.
func constants(q *bind.Query) []*expr.Expr {
	sel, ok := q.Root.(*bind.Select)
	if !ok || sel.From != nil || sel.Grouped || len(sel.Where) > 0 || len(sel.Having) > 0 || q.Limit >= 0 || q.Offset > 0 {
		return nil
	}
	es := make([]*expr.Expr, len(q.Out))
	for i, out := range q.Out {
		for _, p := range sel.Project {
			if p.ID == out.ID {
				es[i] = p.Expr
			}
		}
		if es[i] == nil || !closed(es[i]) {
			return nil
		}
	}
	return es
}

// closed reports an expression without columns and parameters.
func closed(e *expr.Expr) bool {
	ok := true
	e.Walk(func(x *expr.Expr) bool {
		ok = ok && x.Op != expr.OpColumn && x.Op != expr.OpParam && x.Op != expr.OpSubquery
		return ok
	})
	return ok
}

const (
	maxCached     = 1024    // statements
	maxCachedText = 4 << 10 // bytes of one
)

// planCache keeps SELECTs that are ready to run, for the newest version of the
// catalog. Safe for all.
type planCache struct {
	mu      sync.RWMutex
	version uint64
	m       map[planKey]*compiled
}

// planKey is what a compiled SELECT depends on besides the catalog.
type planKey struct {
	text, user, host string
	db, zone, mode   string
	collation, block string
	div, concat      int
}

func (s *Session) planKey(text string) planKey {
	c := &s.settings.catalog
	return planKey{text, s.client.User, s.client.Host, c.Database, c.TimeZone, c.SQLMode, c.Collation, c.BlockMode, c.DivPrecision, c.ConcatMaxLen}
}

// cachedSelect finds a SELECT that is ready to run.
func (s *Session) cachedSelect(text string) *compiled {
	if len(text) > maxCachedText {
		return nil
	}
	p := &s.server.plans
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.version != s.server.catalog().Version() {
		return nil
	}
	return p.m[s.planKey(text)]
}

// keep puts a SELECT into the cache that was compiled at version.
func (s *Session) keep(text string, version uint64, c *compiled) {
	if c.private || len(text) > maxCachedText || asksSession(text) {
		return
	}
	p := &s.server.plans
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.version != version {
		if p.version > version {
			return
		}
		p.version, p.m = version, nil
	}
	if p.m == nil {
		p.m = map[planKey]*compiled{}
	}
	for k := range p.m { // any one goes
		if len(p.m) < maxCached {
			break
		}
		delete(p.m, k)
	}
	p.m[s.planKey(text)] = c
}

// asksSession reports a text that may call a function whose answer the binder
// takes from the session. A word too many costs a cache entry only.
func asksSession(text string) bool {
	low := strings.ToLower(text)
	for _, f := range []string{"connection_id", "user", "last_insert_id", "row_count", "found_rows", "current_role"} {
		if strings.Contains(low, f) {
			return true
		}
	}
	return false
}
