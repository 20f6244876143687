package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/engine/sched"
	"streamsql/engine/task"
	"streamsql/engine/timeline"
	"streamsql/operators"
	"streamsql/operators/account"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/eval"
	"streamsql/sql/types"
)

// newJob makes the tasks of a continuous query, at rest and not registered.
func (e *Engine) newJob(t *catalog.Table, plan *physical.Plan) (*job, error) {
	loc, ok := types.Zone(t.Session.TimeZone)
	if !ok {
		return nil, fmt.Errorf("time zone '%s' is not known on this machine", t.Session.TimeZone)
	}
	own, err := build.Shared(plan, t.Shares, e.nameByID)
	if err != nil {
		return nil, fmt.Errorf("the plan of %s: %w", nameOf(t), err)
	}
	j := &job{id: t.ID, table: t, plan: own, whole: plan, rowErrors: map[rowErrorKey]*RowError{}, subscribers: map[*subscription]struct{}{}, due: operators.Never}
	if t.Delivers() {
		if j.sink, err = e.newSink(t, plan); err != nil {
			return nil, err
		}
	}
	j.account = account.New(string(t.Kind)+" "+t.Database+"."+t.Name, e.account, 0)
	j.log = newChangelog(t, j.account)
	j.ctx, j.end = context.WithCancel(e.ctx)
	j.flow, err = build.Flow(own, build.Options{
		Tasks: cmp.Or(parallelismOf(t), e.tasks), Exec: e.pool, Group: e.group, Account: j.account,
		Rules:    rulesOf(t),
		Location: loc, View: j.sink == nil, Sink: j.sink != nil, Count: j.sink != nil && j.sink.kind.Discards, Clock: sched.ThreadCPU,
		Complete: func(id uint64) { e.applied(j, id) },
		Failed:   func(err error) { e.mu.Lock(); e.jobFailed(j, err); e.mu.Unlock() },
		Trace:    e.cfg.trace(t.Name),
		Answers:  e.answersOf(j.ctx, 0),
	})
	if err != nil {
		j.end()
		j.account.Close()
		j.sink.close()
		return nil, err
	}
	e.mapSystemColumns(j.flow)
	j.knows = own.Watermarks()
	if e.cfg.made != nil {
		e.cfg.made(j)
	}
	return j, nil
}

// abandon throws a job away that was not registered.
func (j *job) abandon() {
	j.flow.Kill()
	j.end()
	j.account.Close()
	j.sink.close()
}

// mapSystemColumns makes the sources of a flow read the system columns of upsert
// streams where those keep them.
func (e *Engine) mapSystemColumns(flow *task.Flow) {
	cat := e.Catalog()
	for _, s := range flow.Sources {
		if t, ok := cat.TableByID(catalog.ID(s.Table)); ok {
			s.AskOf(t)
		}
	}
}

// upstream lists the views that a job reads.
func (e *Engine) upstream(j *job) []*job {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []*job
	for _, s := range j.flow.Sources {
		if v := e.jobs[catalog.ID(s.Table)]; v != nil {
			out = append(out, v)
		}
	}
	return out
}

// register makes a job the one of its query, and known to what it reads. Engine.mu is held.
func (e *Engine) register(j *job) {
	e.jobs[j.id] = j
	e.link(j)
}

// link makes a job known to what it reads. Engine.mu is held.
func (e *Engine) link(j *job) {
	j.linked, e.aligned = true, nil
	if j.table.LateRows != 0 || j.table.Into != 0 {
		e.writers = append(e.writers, j)
	}
	seen := map[catalog.ID]bool{}
	for _, s := range j.flow.Sources {
		id := catalog.ID(s.Table)
		if s.Table == 0 || seen[id] {
			continue
		}
		seen[id] = true
		if v := e.jobs[id]; v != nil {
			j.views = append(j.views, v)
			v.readers = append(v.readers, j)
			continue
		}
		e.readers[id] = append(e.readers[id], j)
		if x := e.externals[id]; x != nil {
			j.held = append(j.held, x.hold())
		}
	}
	if j.sink != nil {
		e.sinks[j.id] = j
	}
	for _, id := range j.knows {
		e.timed[catalog.ID(id)] = append(e.timed[catalog.ID(id)], j)
	}
}

// startFill registers a job and gives it all rows up to a cut as its first
// batch. The timeline stands still at that cut.
func (e *Engine) startFill(j *job, at timeline.Cut) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j.failed != nil {
		return // dropped while it waited
	}
	j.start = at.ID
	j.log.born = point{at.ID, at.Time}
	if !j.linked {
		e.register(j)
	}
	snap := &snapshot{cut: at, images: map[catalog.ID]*imageSet{}}
	for _, s := range j.flow.Sources {
		id := catalog.ID(s.Table)
		if snap.images[id] != nil {
			continue
		}
		if v := e.jobs[id]; v != nil {
			if v.failed != nil {
				e.jobFailed(j, readsFailed(v))
				return
			}
			v.wantSnapshot = true
			e.atRest(v)
		}
		if h := e.historyOf(id); h != nil {
			if im, _ := h.at(at.ID); im != nil {
				snap.images[id] = im.retain()
			}
		}
	}
	f := e.flight(j, at.ID, at.Time, at.Watermarks)
	f.info.Snapshot = true
	f.info.Batch.Changes = j.sink != nil || e.collectsFill(j, snap)
	j.inFlight = append(j.inFlight, f)
	j.filling = true
	j.flow.Lend(e.history)
	j.filled.began, j.filled.known = time.Now(), uint64(snap.rows())
	j.filled.first, j.filled.last = e.logOf(j, snap)
	ctx, cancel := context.WithCancelCause(e.ctx)
	j.cancel = cancel
	j.from, j.fed = snap, make(chan struct{})
	fed := j.fed
	e.fills.Add(1)
	go func() {
		defer e.fills.Done()
		defer close(fed)
		err := e.feed(ctx, j.flow, f.info, snap, nil, &j.filled)
		if err != nil && ctx.Err() == nil {
			e.mu.Lock()
			e.jobFailed(j, fmt.Errorf("history could not be read: %w", err))
			e.mu.Unlock()
		}
	}()
}

// letGo gives what ends the snapshot that history was read from, once no task reads it
// any more. It may wait for what sends history to them.
func (j *job) letGo() func() {
	from, fed := j.from, j.fed
	if j.from = nil; from == nil {
		return func() {}
	}
	return func() {
		<-fed
		from.release()
	}
}

// taskApplied runs on the worker when a task has applied the batch of a flight.
func (j *job) taskApplied(f *flight, t *task.Task) {
	for i, n := range t.Frag.Nodes {
		for k, v := range j.flow.Results {
			if n.Op != operators.Operator(v) {
				continue
			}
			f.change[k] = v.Changes()
			if s, ok := v.(*operators.Sink); ok {
				came, went := s.Counts()
				f.came.Add(came)
				f.went.Add(went)
			}
			if t.Frag.Meters != nil {
				for _, c := range f.change[k] {
					t.Frag.Meters[i].Out.Add(int64(c.N))
				}
			}
			if f.info.Snapshot {
				f.images[k] = v.Snapshot()
			}
		}
	}
	if f.info.Checkpoint {
		j.flow.FreezeTask(t, f.states)
	}
	for due := t.Due(); ; {
		if old := f.due.Load(); due >= old || f.due.CompareAndSwap(old, due) {
			break
		}
	}
}

// jobFailed ends a job for a reason that its readers are told. Engine.mu is held.
func (e *Engine) jobFailed(j *job, err error) {
	if j.failed != nil {
		return
	}
	slog.Error("a continuous query has failed", "kind", j.table.Kind, "name", j.table.Database+"."+j.table.Name, "error", err)
	e.stopJob(j, err)
	for _, r := range j.readers {
		e.jobFailed(r, readsFailed(j))
	}
	e.progressed()
}

func readsFailed(v *job) error {
	return fmt.Errorf("it reads '%s.%s', which has failed: %w", v.table.Database, v.table.Name, v.failed)
}

// stopJob ends a job's work for good. Engine.mu is held.
func (e *Engine) stopJob(j *job, why error) {
	if j.failed == nil {
		j.failed = why
	}
	j.flow.Kill()
	j.end()
	held, letGo := j.held, j.letGo()
	j.held = nil
	go func() { // a task that runs now may wait for Engine.mu
		j.flow.Stop()
		letGo()
		j.account.Close()
		for _, x := range held {
			x.release()
		}
	}()
	if j.cancel != nil {
		j.cancel(why)
	}
	j.history.releaseAll()
	j.history, j.pending, j.inFlight, j.log = nil, nil, nil, changelog{}
	j.wakeSubscribers()
	j.sink.close()
	if e.sinks[j.id] == j {
		delete(e.sinks, j.id)
	}
	if freeze := j.freeze; freeze != nil {
		j.freeze = nil
		freeze(frozen{})
	}
	e.aligned = nil
	for _, v := range j.views {
		v.readers = without(v.readers, j)
		e.trimLog(v)
	}
	for id, js := range e.readers {
		e.readers[id] = without(js, j)
	}
	for _, id := range j.knows {
		e.timed[catalog.ID(id)] = without(e.timed[catalog.ID(id)], j)
	}
}

func without(js []*job, j *job) []*job {
	var out []*job
	for _, x := range js {
		if x != j {
			out = append(out, x)
		}
	}
	return out
}

var errDropped = errors.New("it was dropped")

func errOutOfOrder(id uint64) error {
	return fmt.Errorf("internal error: batch %d completed out of order", id)
}

// rulesOf are what the captured sql_mode says of values that go wrong in a query's
// rows. As in any SELECT a value that is cut is a warning; as in any INSERT it is an error.
func rulesOf(t *catalog.Table) eval.Rules {
	r := bind.ParseMode(t.Session.SQLMode).Rules()
	r.Strict = r.Strict && t.Into != 0
	return r
}
