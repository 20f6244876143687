package mysqlwire

import (
	"context"

	"streamsql/planner/physical"
	"streamsql/server/session"
)

// Backend is what stands behind the protocol. Safe for all.
type Backend interface {
	// Open begins the session of a client that has proved who it is. It fails when
	// c.DB is not there.
	Open(ctx context.Context, c session.Client) (Session, error)
	// Statistics is the one line that COM_STATISTICS answers.
	Statistics() string
}

// Session is one client's. One goroutine at a time.
type Session interface {
	// Query runs the statements of a text, one only unless multi.
	Query(ctx context.Context, text string, multi bool, emit session.Emit) error
	Prepare(ctx context.Context, text string) (*session.Prepared, error)
	Execute(ctx context.Context, p *session.Prepared, params []session.Param, emit session.Emit) error
	// Use makes db the current database.
	Use(ctx context.Context, db string) error
	// Columns are those of a table of the current database, for COM_FIELD_LIST.
	Columns(ctx context.Context, table string) ([]physical.Field, error)
	// Kill ends another session or its statement.
	Kill(id uint64, query bool) error
	// Reset makes the session as new (COM_RESET_CONNECTION).
	Reset()
	State() session.State
	// Close ends the session; an open transaction is rolled back.
	Close()
}
