// Package session is one client's view of the server, whatever protocol it
// came by: its variables, its transaction, its prepared statements, and the
// statements that concern sessions (SET, SHOW, USE, KILL …). What reads or
// changes data goes through parser, binder and planner to the engine.
package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"streamsql/catalog"
	"streamsql/catalog/infoschema"
	"streamsql/engine"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
)

// Engine is what a session asks of the engine. Safe for all.
type Engine interface {
	// Catalog is the newest version; it does not change under its holder.
	Catalog() catalog.Reader
	// Begin starts a transaction. The caller ends it by Commit or Rollback.
	Begin() (engine.Tx, error)
	// Admit returns when there is room for further rows. It fails where nothing may be
	// written, and when ctx is done.
	Admit(ctx context.Context) error
	// LastBatch is the last batch of a writer into a table that is on disk.
	LastBatch(ctx context.Context, t *catalog.Table, writer string) (b engine.WriterBatch, known bool, err error)
	// DDL makes a CreateDatabase, DropDatabase, CreateTable or DropTables durable;
	// sess is what the definition captures.
	DDL(ctx context.Context, s bind.Statement, sess catalog.Session) ([]engine.Warning, error)
	// Shares says of the nodes of a new view's plan that it would take from another view,
	// by their ids, from which.
	Shares(view *catalog.Table, plan *physical.Plan, sess catalog.Session) map[int]string
	// Flush returns when the views (nil: all) have taken in everything that was
	// acknowledged before; one that cannot gives a warning.
	Flush(ctx context.Context, views []catalog.ID, timeout time.Duration) ([]engine.Warning, error)
	// Subscribe follows what changes in a materialized view.
	Subscribe(ctx context.Context, t *catalog.Table, o engine.SubscribeOptions) (engine.Rows, error)
	// Lookup finds the row of a view or table with a key, in the given columns; nil:
	// there is none. false: it must be found in another way.
	Lookup(ctx context.Context, t *catalog.Table, equals []physical.ColumnValue, columns []int, o engine.ReadOptions) (*batch.Chunk, bool, error)
	// Analyze looks at a materialized view at work; false: it does not run.
	Analyze(view catalog.ID) (*engine.Analysis, bool)
	// Groups are those that CPU is charged to.
	Groups() []engine.GroupStatus
	// SetBatchTarget says how long a batch may take its readers under load.
	SetBatchTarget(d time.Duration)
	// Status says how far each materialized view got.
	Status() []engine.ViewStatus
}

// Options of a server. The zero value of a field means its default.
type Options struct {
	Version string // what clients see
	Port    int    // @@port
	// SecureFiles is the directory that LOAD DATA INFILE reads files from, or below;
	// empty: it reads none.
	SecureFiles string
	// Users gives the privileges of an account; default: everybody may do everything.
	Users func(user, host string) *catalog.User
}

// Server is what all sessions share. Safe for all.
type Server struct {
	engine    Engine
	options   Options
	globals   globals
	plans     planCache
	started   time.Time
	questions atomic.Uint64
	accepted  atomic.Uint64

	mu       sync.Mutex
	sessions map[uint32]*Session
}

// NewServer makes a server without sessions.
func NewServer(e Engine, o Options) *Server {
	if o.Users == nil {
		o.Users = catalog.Superuser
	}
	v := &Server{
		engine: e, options: o, started: time.Now(),
		globals: globals{m: map[string]value{}}, sessions: map[uint32]*Session{},
	}
	if p, ok := e.(interface{ ProvideProcesses(func(func(...any))) }); ok {
		p.ProvideProcesses(v.addProcesses)
	}
	return v
}

// catalog is the newest version, with the system views.
func (v *Server) catalog() catalog.Reader { return infoschema.Wrap(v.engine.Catalog()) }

// Open begins a session. It fails when the client's database is not there.
func (v *Server) Open(ctx context.Context, c Client) (*Session, error) {
	s := newSession(v, c)
	if c.DB != "" {
		if err := s.Use(ctx, c.DB); err != nil {
			return nil, err
		}
	}
	v.accepted.Add(1)
	v.mu.Lock()
	v.sessions[c.ID] = s
	v.mu.Unlock()
	return s, nil
}

func (v *Server) forget(s *Session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.sessions[s.client.ID] == s {
		delete(v.sessions, s.client.ID)
	}
}

// all are the sessions by id.
func (v *Server) all() []*Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := make([]*Session, 0, len(v.sessions))
	for _, s := range v.sessions {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Session) int { return cmp.Compare(a.client.ID, b.client.ID) })
	return all
}

// errInterrupted is what a killed statement ends with.
var errInterrupted = sqlerr.New(sqlerr.QueryInterrupted, "Query execution was interrupted")

// kill ends a session, or its statement only.
func (v *Server) kill(id uint64, statement bool) error {
	v.mu.Lock()
	s := v.sessions[uint32(id)]
	v.mu.Unlock()
	if s == nil || id > 1<<32-1 {
		return sqlerr.New(sqlerr.NoSuchThread, "Unknown thread id: %d", id)
	}
	s.interrupt(errInterrupted)
	if !statement && s.client.Hangup != nil {
		s.client.Hangup()
	}
	return nil
}

// Statistics is the line that `mysqladmin status` prints.
func (v *Server) Statistics() string {
	up := int64(time.Since(v.started).Seconds())
	v.mu.Lock()
	threads := len(v.sessions)
	v.mu.Unlock()
	q := v.questions.Load()
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: 0  Opens: 0  Flush tables: 0  Open tables: 0  Queries per second avg: %.3f",
		up, threads, q, float64(q)/float64(max(up, 1)))
}
