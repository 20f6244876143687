package engine

import (
	"context"
	"slices"
	"time"

	"streamsql/catalog"
	"streamsql/sql/sqlerr"
)

// pastQueries is the position to read objects after, so that a session sees what its
// writes, up to position after, made continuous queries write where the objects are made
// of that: late rows that are kept, and results INTO tables. It waits for those queries,
// and until what they write is in the log.
func (e *Engine) pastQueries(ctx context.Context, objects []*catalog.Table, after Position, timeout time.Duration) (Position, error) {
	if after == 0 || !e.anyWrites() {
		return after, nil
	}
	if timeout <= 0 {
		timeout = DefaultWait
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, sqlerr.New(sqlerr.QueryTimeout, "Gave up after %v waiting for what continuous queries write", timeout))
	defer cancel()
	r := ownReader{e: e, seen: map[catalog.ID]bool{}}
	for _, t := range objects {
		r.visit(t)
	}
	for _, j := range r.writers { // each after those whose rows it reads
		at, err := e.written(ctx, j, after, timeout)
		if err != nil {
			return 0, err
		}
		after = max(after, at)
	}
	return after, nil
}

// anyWrites reports that some continuous query writes into the log.
func (e *Engine) anyWrites() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.writers = slices.DeleteFunc(e.writers, func(j *job) bool { return e.jobs[j.id] != j })
	return len(e.writers) > 0
}

// ownReader finds the continuous queries that write what some objects are made of.
type ownReader struct {
	e       *Engine
	seen    map[catalog.ID]bool
	writers []*job
}

func (r *ownReader) visit(t *catalog.Table) {
	if r.seen[t.ID] {
		return
	}
	r.seen[t.ID] = true
	cat := r.e.Catalog()
	for _, id := range t.Reads {
		if x, ok := cat.TableByID(id); ok && id != t.LateRows && id != t.Into {
			r.visit(x)
		}
	}
	if t.Kind != catalog.StreamTable && t.Kind != catalog.BaseTable {
		return
	}
	r.e.mu.Lock()
	writers := slices.Clone(r.e.writers)
	r.e.mu.Unlock()
	for _, j := range writers {
		if j.table.LateRows == t.ID || j.table.Into == t.ID {
			r.visit(j.table)
			r.writers = append(r.writers, j)
		}
	}
}

// written waits until a query has taken in what came up to a position, and what it
// writes of that is in the log, and returns a position that covers it. One that failed
// or stands still writes nothing: the table is there to be read all the same.
func (e *Engine) written(ctx context.Context, j *job, after Position, timeout time.Duration) (Position, error) {
	if e.standsStill(j.id) != "" {
		return after, nil
	}
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
		kept := len(j.late.queue) == 0 || j.late.queue[0].id > batch
		given := j.sink == nil || j.table.Into == 0 || j.sink.taken >= min(batch, j.lastApplied()) || j.sink.fault != ""
		return j.failed != nil || kept && given
	})
	return at, err
}
