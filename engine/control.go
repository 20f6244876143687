package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
)

// control pauses a continuous query, lets it go on, or begins it anew. ddlMu is held.
func (e *Engine) control(ctx context.Context, s *bind.Control) ([]Warning, error) {
	t, ok := e.cat.Load().TableByID(s.Query.ID)
	if !ok {
		return nil, catalog.NoSuchTable(s.Query.Database, s.Query.Name)
	}
	switch {
	case s.Verb == bind.Restart:
		return nil, e.restart(ctx, t)
	case t.Paused == (s.Verb == bind.Pause):
		return note(sqlerr.New(sqlerr.UnknownError, "Continuous query '%s.%s' %s", t.Database, t.Name,
			map[bool]string{true: "is paused already", false: "is not paused"}[t.Paused])), nil
	}
	changed := *t
	changed.Paused = s.Verb == bind.Pause
	if err := e.change(ctx, []*catalog.Table{&changed}); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[t.ID]; j != nil {
		j.table = &changed
		e.dispatch(j)
		e.progressed()
		e.wakeCutter()
	}
	return nil, nil
}

// change puts other descriptors in the place of those with their ids, durably.
func (e *Engine) change(ctx context.Context, tables []*catalog.Table) error {
	next := e.cat.Load()
	var err error
	for _, t := range tables {
		if next, err = next.WithChanged(t); err != nil {
			return err
		}
	}
	return e.logDDL(ctx, next, store.Entry{Tables: tables})
}

var errRestarted = errors.New("it was begun anew")

// restart throws the state of a view away, and those of all that read it, and
// fills them from what their sources hold now. It returns when that has begun.
func (e *Engine) restart(ctx context.Context, t *catalog.Table) error {
	var anew []*catalog.Table
	for _, x := range e.downstream(t) {
		if x.Kind == catalog.Sink { // what it has delivered cannot be taken back
			return sqlerr.New(sqlerr.NotSupportedYet, "Sink '%s.%s' would deliver everything twice if '%s' began anew; drop it first, and create it again afterwards",
				x.Database, x.Name, t.Name)
		}
		c := *x
		c.Generation++
		c.Paused = c.Paused && x.ID != t.ID
		anew = append(anew, &c)
	}
	if err := e.change(ctx, anew); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range slices.Backward(anew) {
		if j := e.jobs[x.ID]; j != nil {
			e.stopJob(j, errRestarted)
			delete(e.jobs, x.ID)
		}
	}
	err := e.refill(anew)
	e.progressed()
	return err
}

// downstream lists a view and the views and sinks that read it, directly or not, each after
// those that it reads.
func (e *Engine) downstream(t *catalog.Table) []*catalog.Table {
	cat := e.cat.Load()
	in := map[catalog.ID]bool{t.ID: true}
	out := []*catalog.Table{t}
	for _, x := range cat.Objects() { // by id: what is read before what reads it
		if x.Continuous() && !in[x.ID] && slices.ContainsFunc(x.Reads, func(r catalog.ID) bool { return in[r] }) {
			in[x.ID] = true
			out = append(out, x)
		}
	}
	return out
}

// still reports that the job does nothing though it has work. Engine.mu is held.
func (j *job) still() bool { return j.stillBehind() != nil }

// stillBehind is the paused view for which a job waits: itself, or one that it reads;
// nil: it is not held up so. Engine.mu is held.
func (j *job) stillBehind() *job {
	if j.table.Paused {
		return j
	}
	for _, v := range j.views {
		if p := v.stillBehind(); p != nil {
			return p
		}
	}
	return nil
}

// standsStill says why a view takes nothing in; empty: it does.
func (e *Engine) standsStill(id catalog.ID) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[id]
	if j == nil || j.failed != nil {
		return ""
	}
	switch p := j.stillBehind(); p {
	case nil:
		return ""
	case j:
		return "it is paused"
	default:
		return fmt.Sprintf("it reads '%s.%s', which is paused", p.table.Database, p.table.Name)
	}
}

// refuseStill refuses a new view over one that is paused: there is no batch at which
// it could begin.
func (e *Engine) refuseStill(j *job) error {
	for _, v := range e.upstream(j) {
		e.mu.Lock()
		p := v.stillBehind()
		e.mu.Unlock()
		if p != nil {
			return sqlerr.New(sqlerr.UnknownError, "Materialized view '%s.%s' is paused; a view over it can be made after RESUME CONTINUOUS QUERY %s",
				p.table.Database, p.table.Name, p.table.Name)
		}
	}
	return nil
}
