package engine

import (
	"context"
	"time"

	"streamsql/catalog"
	"streamsql/catalog/infoschema"
	"streamsql/operators/batch"
)

func isVirtual(id catalog.ID) bool { return id >= infoschema.FirstID }

// virtual computes the rows of a system view, now.
func (e *Engine) virtual(id catalog.ID) []*batch.Chunk {
	fill := map[catalog.ID]func(func(...any)){
		infoschema.Errors: e.addErrors, infoschema.LateRows: e.addLate, infoschema.Jobs: e.addJobs, infoschema.Operators: e.addOperators, infoschema.Batches: e.addBatches,
		infoschema.Partitions: e.addPartitions, infoschema.Tenants: e.addTenants, infoschema.Usage: e.addUsage, infoschema.Dimensions: e.addDimensions,
		infoschema.Sinks: e.addSinks,
	}[id]
	if id == infoschema.ProcessList {
		if p := e.processes.Load(); p != nil {
			fill = *p
		}
	}
	c := &batch.Chunk{}
	if fill != nil {
		c.Cols, c.N = infoschema.Fill(id, fill)
	} else {
		c.Cols, c.N = infoschema.Rows(e.Catalog(), id)
	}
	return []*batch.Chunk{c}
}

// ProvideProcesses says who makes the rows of information_schema.PROCESSLIST.
func (e *Engine) ProvideProcesses(fill func(add func(values ...any))) { e.processes.Store(&fill) }

func (e *Engine) addErrors(add func(values ...any)) {
	cat := e.Catalog()
	for _, x := range e.Errors() {
		if t, ok := cat.TableByID(x.View); ok {
			add(t.Database, t.Name, x.Batch, x.Operator, int(x.Code), x.Reason, x.Row, x.Count)
		}
	}
}

func (e *Engine) addLate(add func(values ...any)) {
	cat := e.Catalog()
	for _, x := range e.Late() {
		t, ok := cat.TableByID(x.View)
		if !ok {
			continue
		}
		if s, ok := cat.TableByID(x.Stream); ok {
			add(t.Database, t.Name, s.Database, s.Name, x.Rows)
		} else {
			add(t.Database, t.Name, nil, nil, x.Rows)
		}
	}
}

// awaitVirtual waits until a system view can show all that came of a position:
// streamsql.errors and late_rows, that all views have taken it in. Those that failed never do.
func (e *Engine) awaitVirtual(ctx context.Context, id catalog.ID, after Position, timeout time.Duration) error {
	if id != infoschema.Errors && id != infoschema.LateRows || after == 0 {
		return nil
	}
	var views []*catalog.Table
	for _, s := range e.Status() {
		if t, ok := e.Catalog().TableByID(s.View); ok && s.State != "failed" {
			views = append(views, t)
		}
	}
	after, err := e.pastQueries(ctx, views, after, timeout)
	if err != nil {
		return err
	}
	for _, t := range views {
		snap, err := e.acquire(ctx, []*catalog.Table{t}, after, timeout, 0)
		if err == nil {
			snap.release()
		} else if ctx.Err() != nil || !e.hasFailed(t.ID) {
			return err
		}
	}
	return nil
}

// hasFailed reports that a view does not run, or is no more.
func (e *Engine) hasFailed(id catalog.ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[id]
	return j == nil || j.failed != nil
}
