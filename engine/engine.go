// Package engine runs continuous and one-off queries: it cuts batches, moves
// them through the operators, keeps what must survive a crash, and serves
// consistent snapshots.
package engine

import (
	"context"
	"time"

	"streamsql/catalog"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/eval"
)

// Position is how far a writer got in the commit log: the sequence of the last
// commit group that holds something of it. 0: nothing.
type Position uint64

// Everything is the position after all that was committed so far.
const Everything = ^Position(0)

// Warning is a row of SHOW WARNINGS.
type Warning struct {
	Code    uint16
	Message string
	Note    bool // it only says what was left undone
}

// Result is what a statement that changes rows reports.
type Result struct {
	Affected     uint64 // as MySQL counts: REPLACE and ON DUPLICATE KEY count 2 for a row that was changed
	Matched      uint64 // UPDATE: rows found
	Changed      uint64 // UPDATE: rows that became different
	LastInsertID uint64 // the first AUTO_INCREMENT value made by the statement, 0 if none
	Duplicates   uint64
	Warnings     []Warning
}

// InsertOptions say what to do with a row whose key is there already.
type InsertOptions struct {
	Ignore           bool // leave it out, with a warning
	Replace          bool // replace the old row
	OnDuplicate      []bind.Assignment
	OldCols, NewCols []bind.Col
	Eval             EvalOptions
}

// EvalOptions is what expressions take from the session.
type EvalOptions struct {
	Now      time.Time // NOW() of the statement
	Location *time.Location
	Rules    eval.Rules // what sql_mode says
	// Warn and Note, if set, hear of what an assignment of ON DUPLICATE KEY UPDATE
	// had to cut.
	Warn, Note func(code uint16, message string)
}

// Rows is the result of a one-off query. It must be closed. One goroutine at a time.
type Rows interface {
	// Fields are the visible columns; chunks may have further ones behind them.
	Fields() []physical.Field
	// Next returns the next chunk, nil at the end. Weights count how often a row is
	// there (never negative).
	Next(ctx context.Context) (*batch.Chunk, error)
	Close()
}

// ReadOptions say what a query reads.
type ReadOptions struct {
	// After makes the query see all commits up to this position; it waits at most
	// Timeout for views to take them in, then fails with the name of the view that lags.
	After   Position
	Timeout time.Duration
	Eval    EvalOptions
	// Recursion is how often a recursive expression may be computed for further rows.
	Recursion int64
	// AsOf, if set: it reads what was there then.
	AsOf *AsOf
	// Analyze makes the Rows an Analyzed.
	Analyze bool
	// Warn, if set, hears of conversions and divisions that went wrong harmlessly. It
	// is called by several goroutines.
	Warn func(code uint16, message string)
	// Note, if set, hears of digits and spaces that a column dropped; as Warn.
	Note func(code uint16, message string)
}

// Tx is a transaction: its changes lie within one batch, whole, or are not
// there. It reads tables and views at the batch of its first read, plus its own
// writes to tables. One goroutine at a time.
type Tx interface {
	// Query runs a one-off plan.
	Query(ctx context.Context, plan *physical.Plan, o ReadOptions) (Rows, error)
	// Insert adds rows, which have all columns of t in order, hidden ones too.
	Insert(ctx context.Context, t *catalog.Table, rows *batch.Chunk, o InsertOptions) (Result, error)
	// Update replaces each row of old by the row of the same position of new.
	Update(ctx context.Context, t *catalog.Table, old, new *batch.Chunk) (Result, error)
	// Delete removes rows.
	Delete(ctx context.Context, t *catalog.Table, old *batch.Chunk) (Result, error)
	// Truncate removes rows, which must be all there are (nil: none), and begins AUTO_INCREMENT anew.
	Truncate(ctx context.Context, t *catalog.Table, old *batch.Chunk) (Result, error)
	// Savepoint remembers where the transaction stands, under a name that counts
	// without regard to case; one of that name is forgotten.
	Savepoint(name string)
	// RollbackTo takes back what was done since a savepoint, and forgets those after
	// it. Error 1305 when there is none of that name.
	RollbackTo(name string) error
	// Release forgets a savepoint and those after it. Error 1305 when there is none.
	Release(name string) error
	// Once lets a batch that its writer has numbered be committed once, together with
	// what is inserted. It returns false when that has happened already.
	Once(ctx context.Context, t *catalog.Table, b WriterBatch) (first bool, rows int, err error)
	// Commit makes the changes durable and returns where they are. Error 1213 when
	// another transaction changed the same rows first: nothing was done then.
	Commit(ctx context.Context) (Position, error)
	Rollback()
}
