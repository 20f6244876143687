package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	if s.Verb == bind.Pause && len(e.cat.Load().Sharers(t.ID)) > 0 {
		if !e.givesRows(t) {
			return nil, sqlerr.New(sqlerr.UnknownError, "Continuous query '%s' has failed, and others share its work: RESTART it first", nameOf(t))
		}
		return nil, e.pauseShared(ctx, t)
	}
	changed := *t
	changed.Paused = s.Verb == bind.Pause
	gone, err := e.change(ctx, []*catalog.Table{&changed})
	if err != nil {
		return nil, err
	}
	defer e.remove(gone)
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[t.ID]; j != nil {
		j.table = &changed
		e.dispatch(j)
		for _, r := range e.jobs {
			if slices.ContainsFunc(r.table.Shares, func(s catalog.Share) bool { return s.For == t.ID }) {
				e.dispatch(r)
			}
		}
		e.progressed()
		e.wakeCutter()
	}
	return nil, nil
}

// change puts other descriptors in the place of those with their ids, and adds those
// that are new, durably. gone are the hidden queries that nobody takes rows from any
// more: they are to be removed.
func (e *Engine) change(ctx context.Context, tables []*catalog.Table) (gone []*catalog.Table, err error) {
	next := e.cat.Load()
	for _, t := range tables {
		put := next.WithChanged
		if _, ok := next.TableByID(t.ID); !ok {
			put = next.WithTable
		}
		if next, err = put(t); err != nil {
			return nil, err
		}
	}
	gone, _ = next.Retire(nil)
	for _, t := range gone {
		next = next.WithoutTable(t.ID)
	}
	left := slices.DeleteFunc(slices.Clone(tables), func(t *catalog.Table) bool { return slices.Contains(gone, t) })
	return gone, e.logDDL(ctx, next, store.Entry{Tables: left, DropTables: ids(gone)})
}

var errRestarted = errors.New("it was begun anew")

// restart throws the state of a view away, and those of all that read it, and
// fills them from what their sources hold now. It returns when that has begun.
func (e *Engine) restart(ctx context.Context, t *catalog.Table) error {
	down := e.downstream(t)
	for _, x := range down {
		if x.Delivers() { // what it has delivered cannot be taken back
			return sqlerr.New(sqlerr.NotSupportedYet, "%s '%s.%s' would deliver everything twice if '%s' began anew; drop it first, and create it again afterwards",
				capital(x.Kind), x.Database, x.Name, t.Name)
		}
	}
	anew, changed, err := e.begunAnew(t, down)
	if err != nil {
		return err
	}
	gone, err := e.change(ctx, slices.Concat(changed, anew))
	if err != nil {
		return err
	}
	e.handedOver(t, changed, "was begun anew")
	e.mu.Lock()
	for _, x := range slices.Backward(anew) {
		if j := e.jobs[x.ID]; j != nil {
			e.stopJob(j, errRestarted)
			delete(e.jobs, x.ID)
		}
	}
	err = e.refill(anew)
	e.progressed()
	e.mu.Unlock()
	e.remove(gone)
	return err
}

// begunAnew are the descriptors of a view and of those that depend on it when they
// begin anew, in that order: the view computes all by itself then. If others take rows
// from it they are left alone: it has a successor, and changed are the descriptors that
// are others by that besides.
func (e *Engine) begunAnew(t *catalog.Table, down []*catalog.Table) (anew, changed []*catalog.Table, err error) {
	first := *t
	first.Shares, first.Paused = nil, false
	first.Generation++
	read := map[catalog.ID]*catalog.Table{}
	if len(e.cat.Load().Sharers(t.ID)) > 0 {
		first.ID, first.Generation = e.nextID(), 1 // not as new: it is not to share again by itself
		readers, err := e.reread(t.ID, first.ID, false)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range readers {
			read[r.ID] = r
			if !r.Continuous() {
				changed = append(changed, r)
			}
		}
		changed = append(changed, hiddenFrom(t))
	}
	anew = append(anew, &first)
	for _, x := range down[1:] {
		c := *x
		if r := read[x.ID]; r != nil {
			c = *r
		}
		c.Generation++
		c.Shares = slices.DeleteFunc(slices.Clone(c.Shares), func(s catalog.Share) bool { return s.For == t.ID })
		anew = append(anew, &c)
	}
	return anew, changed, nil
}

// downstream lists a view and the views and sinks that read it, directly or not, each after
// those that it reads.
func (e *Engine) downstream(t *catalog.Table) []*catalog.Table {
	in := map[catalog.ID]bool{t.ID: true}
	out := []*catalog.Table{t}
	for _, x := range catalog.InOrder(e.cat.Load().Objects()) {
		if x.Continuous() && !in[x.ID] && slices.ContainsFunc(x.Reads, func(r catalog.ID) bool { return in[r] }) {
			in[x.ID] = true
			out = append(out, x)
		}
	}
	return out
}

// still reports that the job does nothing though it has work. Engine.mu is held.
func (e *Engine) still(j *job) bool { return e.stillBehind(j) != nil }

// stillBehind is the paused view for which a job waits: itself, or one that it reads;
// nil: it is not held up so. Engine.mu is held.
func (e *Engine) stillBehind(j *job) *job {
	if j.table.Paused {
		return j
	}
	for _, v := range j.views {
		if p := e.stillBehind(v); p != nil {
			return p
		}
	}
	return e.pausedFor(j)
}

// pausedFor is the paused view for which a job waits though it takes the rows from who
// had the name before; nil: there is none. Engine.mu is held.
func (e *Engine) pausedFor(j *job) *job {
	for _, s := range j.table.Shares {
		if v := e.jobs[s.For]; s.For != 0 && v != nil {
			if p := e.stillBehind(v); p != nil {
				return p
			}
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
	switch p := e.stillBehind(j); p {
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
		p := e.stillBehind(v)
		e.mu.Unlock()
		if p != nil {
			return sqlerr.New(sqlerr.UnknownError, "Materialized view '%s.%s' is paused; a view over it can be made after RESUME CONTINUOUS QUERY %s",
				p.table.Database, p.table.Name, p.table.Name)
		}
	}
	return nil
}

// capital is a kind at the beginning of a sentence.
func capital(k catalog.Kind) string { return strings.ToUpper(string(k[:1])) + string(k[1:]) }
