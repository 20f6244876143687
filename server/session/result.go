package session

import (
	"context"
	"io"
	"time"

	"streamsql/engine"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/types"
)

// Result is what one statement gives: rows, or counts.
type Result struct {
	Rows         engine.Rows // nil: the statement gives no rows. The session closes them.
	Live         bool        // the rows go on for ever: each chunk is to be sent at once
	Affected     uint64
	LastInsertID uint64
	Info         string // such as "Rows matched: 1  Changed: 1  Warnings: 0"
}

// Emit takes the result of a statement; more says that another statement of the
// same text follows. It reads Rows to the end under ctx, which ends when the
// statement is killed. Its error ends the text.
type Emit func(ctx context.Context, r *Result, more bool) error

// Param is the value of a `?`: a constant.
type Param = *expr.Expr

// Prepared is a prepared statement. Its exported fields do not change.
type Prepared struct {
	Text   string
	Params []types.Type     // one for each `?`
	Fields []physical.Field // of the result; nil: no rows

	stmt   *parser.Statement
	insert *bind.InsertParameters // nil: it is none
	lookup *lookup                // nil: it is none, or has not run yet
	tries  int                    // how often it was planned in vain to see that
}

// Client is who is at the other end.
type Client struct {
	ID         uint32 // unique in the server
	User, Host string
	DB         string
	Attributes map[string]string
	FoundRows  bool   // UPDATE reports the rows matched, not the rows changed
	Hangup     func() // ends the connection; from any goroutine
	// Infile asks the client for a file of its own, in the middle of a statement; nil:
	// it has none to give. The reader must be closed.
	Infile func(ctx context.Context, name string) (io.ReadCloser, error)
}

// State is what a protocol must know of a session between two statements.
type State struct {
	InTransaction      bool
	Autocommit         bool
	NoBackslashEscapes bool
	Warnings           int // of the last statement
	Location           *time.Location
	MaxPacket          int           // bytes
	IdleTimeout        time.Duration // between two commands
	WriteTimeout       time.Duration // for one write to the client
	ReadTimeout        time.Duration // for the rest of a command that has begun
}
