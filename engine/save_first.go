package engine

import (
	"context"
	"fmt"
	"time"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/sql/sqlerr"
)

// firstWait bounds how long CREATE waits for the first checkpoint of a view: a long
// history is filled in behind it.
const firstWait = 10 * time.Second

// saveFirst waits until a view that was just begun is in a checkpoint, if what it
// makes of a row hangs on when the row comes: what a joined table holds by then, or
// what time it is. A crash before that would have the view filled again, with
// other answers for rows that it had already taken in. A view of any other kind comes to
// the same again.
func (e *Engine) saveFirst(ctx context.Context, t *catalog.Table) []Warning {
	e.mu.Lock()
	j := e.jobs[t.ID]
	e.mu.Unlock()
	if j == nil || !build.AnswersOnce(j.plan) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	stood := true // by the end of ctx
	err := e.await(ctx, func() bool {
		stood = e.jobs[j.id] == j && j.failed == nil
		return !stood || !j.filling
	})
	for err == nil && stood {
		e.mu.Lock()
		done := j.checkpointed >= j.start
		e.mu.Unlock()
		if done {
			return nil
		}
		if err = e.checkpointRound(ctx); err == nil {
			err = ctx.Err()
		}
	}
	if !stood {
		return nil // it failed, or is gone: that shows elsewhere
	}
	return []Warning{{Code: sqlerr.UnknownError, Note: true, Message: fmt.Sprintf(
		"%s '%s.%s' is not saved yet: were the server to crash before it is, rows would meet what the tables that it looks into hold by then",
		t.Kind, t.Database, t.Name)}}
}
