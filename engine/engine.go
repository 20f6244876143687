// Package engine runs continuous and one-off queries: it cuts batches, moves
// them through the operators, keeps what must survive a crash, and serves
// consistent snapshots.
package engine

import (
	"context"
	"time"

	"streamsql/operators/batch"
	"streamsql/planner/physical"
)

// Position is how far a writer got in the commit log: the sequence of the last
// commit group that holds something of it. 0: nothing.
type Position uint64

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
	// After makes the query see all commits up to this position, waiting at most
	// Timeout for views to take them in.
	After   Position
	Timeout time.Duration
}
