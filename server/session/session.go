package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/engine"
	"streamsql/planner/physical"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// Session is one client's. One goroutine at a time, save for interrupt and
// describe.
type Session struct {
	server *Server
	client Client
	user   *catalog.User
	parser *parser.Parser
	insert parser.InsertValues // its memory is used again

	db       string
	vars     map[string]value // set in this session
	userVars map[string]*expr.Expr
	named    map[string]*Prepared // PREPARE name FROM …
	settings settings

	tx       engine.Tx // nil: none is open
	explicit bool      // tx was opened by BEGIN or by autocommit=0
	readOnly bool      // START TRANSACTION READ ONLY
	after    engine.Position

	changes map[int]*ast.TableName // of the statement: see parser.Statement

	now               time.Time  // of the statement
	diagnosticsMu     sync.Mutex // guards diagnostics while a query runs
	diagnostics       diagnostics
	diagnosticsBefore diagnostics // of the statement before, for @@warning_count
	lastInsertID      uint64
	rowCount          int64
	foundRows         int64

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // of the running statement
	running string                  // its text; empty: none
	since   time.Time
	showDB  string // db, for others to see
}

func newSession(v *Server, c Client) *Session {
	s := &Session{server: v, client: c, user: v.options.Users(c.User, c.Host), parser: parser.New(), since: time.Now()}
	s.clear()
	return s
}

// clear makes the state that a new session has, save for the database.
func (s *Session) clear() {
	s.vars, s.userVars, s.named = map[string]value{}, map[string]*expr.Expr{}, map[string]*Prepared{}
	s.diagnostics, s.diagnosticsBefore = diagnostics{}, diagnostics{}
	s.lastInsertID, s.rowCount, s.foundRows = 0, 0, 0
	s.readSettings()
}

// Reset rolls back and makes the session as new; the database stays.
func (s *Session) Reset() {
	s.rollback()
	s.clear()
}

// Close ends the session.
func (s *Session) Close() {
	s.rollback()
	s.server.forget(s)
}

// State is what a protocol must know between statements.
func (s *Session) State() State {
	return State{
		InTransaction: s.explicit, Autocommit: s.settings.autocommit,
		NoBackslashEscapes: s.settings.parserMode&parser.NoBackslashEscapes != 0,
		Warnings:           s.warnings(), Location: s.settings.location, MaxPacket: s.settings.maxPacket,
		IdleTimeout: s.settings.idleTimeout, WriteTimeout: s.settings.netWrite, ReadTimeout: s.settings.netRead,
	}
}

// Use makes db the current database.
func (s *Session) Use(_ context.Context, db string) error {
	if db == "" {
		return sqlerr.New(sqlerr.NoDB, "No database selected")
	}
	if _, ok := s.server.catalog().Database(db); !ok {
		return catalog.UnknownDatabase(db)
	}
	s.mu.Lock()
	s.db, s.showDB = db, db
	s.mu.Unlock()
	s.settings.catalog.Database = db
	return nil
}

// Kill ends another session or its statement.
func (s *Session) Kill(id uint64, statement bool) error { return s.server.kill(id, statement) }

// Columns are the visible columns of a table of the current database.
func (s *Session) Columns(_ context.Context, table string) ([]physical.Field, error) {
	t, err := s.table("", table)
	if err != nil {
		return nil, err
	}
	var fields []physical.Field
	for _, i := range t.Visible() {
		fields = append(fields, physical.Field{Name: t.Columns[i].Name, Type: t.Columns[i].Type})
	}
	return fields, nil
}

// table finds an object by name; db may be empty.
func (s *Session) table(db, name string) (*catalog.Table, error) {
	if db == "" {
		db = s.db
	}
	if db == "" {
		return nil, sqlerr.New(sqlerr.NoDB, "No database selected")
	}
	c := s.server.catalog()
	if t, ok := c.Table(db, name); ok {
		return t, nil
	}
	if _, ok := c.Database(db); !ok {
		return nil, catalog.UnknownDatabase(db)
	}
	return nil, catalog.NoSuchTable(db, name)
}

// Query runs the statements of a text, one only unless multi. It stops at the
// first error; statements are read one by one, so that a wrong one does not
// touch those before it.
func (s *Session) Query(ctx context.Context, text string, multi bool, emit Emit) error {
	if !multi {
		return s.run(ctx, text, false, emit)
	}
	split := parser.Split(text)
	split.Mode = s.settings.parserMode
	one, _, ok := split.Next()
	for ok {
		next, at, more := split.Next()
		if err := s.run(ctx, one, more, emit); err != nil {
			return err
		}
		if more && split.Mode != s.settings.parserMode {
			// The mode decides where the next statement ends: read the rest anew.
			text = text[at:]
			split = parser.Split(text)
			split.Mode = s.settings.parserMode
			next, _, more = split.Next()
		}
		one, ok = next, more
	}
	return nil
}

// run runs one statement, and keeps what it has to say for SHOW WARNINGS.
func (s *Session) run(ctx context.Context, text string, more bool, emit Emit) error {
	return s.during(ctx, text, func(ctx context.Context) error {
		return s.statement(ctx, text, nil, more, emit)
	})
}

// during calls f with a context that KILL QUERY and max_execution_time end.
func (s *Session) during(ctx context.Context, text string, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.server.questions.Add(1)
	s.now = time.Now()
	if s.settings.timestamp != 0 {
		s.now = time.UnixMicro(s.settings.timestamp)
	}
	s.mu.Lock()
	s.cancel, s.running, s.since = cancel, shownText(text), time.Now()
	s.mu.Unlock()
	s.diagnosticsBefore, s.diagnostics = s.diagnostics, diagnostics{}
	if t := s.settings.maxExecution; t > 0 && isSelect(text) {
		timer := time.AfterFunc(t, func() {
			cancel(sqlerr.New(sqlerr.QueryTimeout, "Query execution was interrupted, maximum statement execution time exceeded"))
		})
		defer timer.Stop()
	}
	err := f(ctx)
	s.mu.Lock()
	s.cancel, s.running, s.since = nil, "", time.Now()
	s.mu.Unlock()
	if err != nil {
		err = s.failed(ctx, err)
	}
	return err
}

// failed says what the client is told of an error.
func (s *Session) failed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !isWritten(err) {
		err = cause
	}
	s.rowCount = -1
	var e *sqlerr.Error
	if errors.As(err, &e) {
		s.diagnose("Error", e.Code, e.Message)
		if e.Code == sqlerr.LockDeadlock {
			s.rollback() // the whole transaction is lost, as in MySQL
		}
	}
	return err
}

// isWritten reports an error of the statement itself, which is told rather
// than the reason for which it may have been ended.
func isWritten(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e)
}

// isSelect reports a text that begins as a query does.
func isSelect(text string) bool {
	for {
		text = strings.TrimLeft(text, " \t\r\n(")
		if !strings.HasPrefix(text, "/*") || strings.HasPrefix(text, "/*!") {
			break
		}
		_, text, _ = strings.Cut(text[2:], "*/")
	}
	for _, word := range []string{"select", "with", "values", "table"} {
		if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) {
			return true
		}
	}
	return false
}

// interrupt ends the running statement, if there is one. From any goroutine.
func (s *Session) interrupt(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(cause)
	}
}
