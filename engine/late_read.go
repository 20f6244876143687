package engine

import (
	"context"
	"slices"
	"time"

	"streamsql/catalog"
	"streamsql/sql/sqlerr"
)

// pastLate is the position to read objects after, so that a session sees what its
// writes, up to position after, left behind as late rows where the objects, or what
// they are made of, read the stream that keeps those. It waits for the views that
// find rows late, and until these are in the log.
func (e *Engine) pastLate(ctx context.Context, objects []*catalog.Table, after Position, timeout time.Duration) (Position, error) {
	if after == 0 || !e.keeps() {
		return after, nil
	}
	if timeout <= 0 {
		timeout = DefaultWait
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, sqlerr.New(sqlerr.QueryTimeout, "Gave up after %v waiting for late rows to be kept", timeout))
	defer cancel()
	l := lateReader{e: e, seen: map[catalog.ID]bool{}}
	for _, t := range objects {
		l.visit(t)
	}
	for _, j := range l.keepers { // each after those whose late rows it reads
		at, err := e.lateWritten(ctx, j, after, timeout)
		if err != nil {
			return 0, err
		}
		after = max(after, at)
	}
	return after, nil
}

// keeps reports that some view keeps its late rows.
func (e *Engine) keeps() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keepers = slices.DeleteFunc(e.keepers, func(j *job) bool { return e.jobs[j.id] != j })
	return len(e.keepers) > 0
}

// lateReader finds the views whose late rows some objects are made of.
type lateReader struct {
	e       *Engine
	seen    map[catalog.ID]bool
	keepers []*job
}

func (l *lateReader) visit(t *catalog.Table) {
	if l.seen[t.ID] {
		return
	}
	l.seen[t.ID] = true
	cat := l.e.Catalog()
	for _, id := range t.Reads {
		if x, ok := cat.TableByID(id); ok && id != t.LateRows {
			l.visit(x)
		}
	}
	if t.Kind != catalog.StreamTable {
		return
	}
	l.e.mu.Lock()
	keepers := slices.Clone(l.e.keepers)
	l.e.mu.Unlock()
	for _, j := range keepers {
		if j.table.LateRows == t.ID {
			l.visit(j.table)
			l.keepers = append(l.keepers, j)
		}
	}
}

// lateWritten waits until a view has taken in what came up to a position, and its late
// rows of that are in the log, and returns a position that covers them. A view that
// failed writes none.
func (e *Engine) lateWritten(ctx context.Context, j *job, after Position, timeout time.Duration) (Position, error) {
	snap, err := e.acquire(ctx, []*catalog.Table{j.table}, after, timeout, 0)
	if err != nil {
		if ctx.Err() == nil && e.hasFailed(j.id) {
			return after, nil
		}
		return 0, err
	}
	batch := snap.cut.ID
	snap.release()
	var at Position
	err = e.await(ctx, func() bool {
		at = Position(e.committed)
		return j.failed != nil || len(j.late.queue) == 0 || j.late.queue[0].id > batch
	})
	return at, err
}
