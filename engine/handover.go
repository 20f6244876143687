package engine

import (
	"context"
	"fmt"
	"slices"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/engine/build"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// What happens to a view does not reach those that take rows from it. Dropped, it loses
// its name and works on until the last of them is gone. Paused or begun anew, it does so
// too, and the name goes to a successor, another object: one that takes all its rows from
// the old one, as of one batch, and is then paused; or one that begins with nothing.
// Who reads the view by its name reads the successor from then on.

// retire brings the catalog to what is left when objects lose their names, and those
// that work for nobody any more go. done does the same to what runs, once it is logged.
func (e *Engine) retire(cat *catalog.Snapshot, going []*catalog.Table) (next *catalog.Snapshot, entry store.Entry, done func(), err error) {
	gone, kept := cat.Retire(going)
	next = cat
	var hidden []*catalog.Table
	for _, t := range kept {
		h := hiddenFrom(t)
		if next, err = next.WithChanged(h); err != nil {
			return nil, entry, nil, err
		}
		hidden = append(hidden, h)
	}
	for _, t := range gone {
		next = next.WithoutTable(t.ID)
	}
	entry = store.Entry{DropTables: ids(gone), Tables: hidden}
	return next, entry, func() {
		e.remove(gone)
		for i, h := range hidden {
			e.hide(h, sqlerr.New(sqlerr.QueryInterrupted, "The subscription has ended: materialized view '%s' was dropped", nameOf(kept[i])))
		}
	}, nil
}

// hiddenFrom is a view that no name leads to any more.
func hiddenFrom(t *catalog.Table) *catalog.Table {
	h := *t
	h.Hidden, h.Name = true, fmt.Sprintf("%s#%d", t.Name, t.ID)
	return &h
}

// hide makes a job work under a descriptor that is hidden; who follows it by its name
// is told why that ends.
func (e *Engine) hide(h *catalog.Table, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[h.ID]; j != nil {
		j.table = h
		for s := range j.subscribers {
			s.cut(why)
		}
	}
	e.progressed()
}

// reread makes all that read a view by its name read its successor. A continuous query
// that goes on at work takes the rows from the old one still (goesOn); else it is to be
// begun anew.
func (e *Engine) reread(old, next catalog.ID, goesOn bool) (changed []*catalog.Table, err error) {
	for _, t := range e.cat.Load().Objects() {
		k := slices.Index(t.Reads, old)
		if k < 0 {
			continue
		}
		c := *t
		c.Reads = slices.Clone(t.Reads)
		c.Reads[k] = next
		changed = append(changed, &c)
		if !t.Continuous() {
			continue
		}
		c.Shares = slices.DeleteFunc(slices.Clone(t.Shares), func(s catalog.Share) bool { return s.For == old && !goesOn })
		for i, s := range c.Shares {
			if s.For == old {
				c.Shares[i].For = next
			}
		}
		plan, err := physical.Decode(t.Plan)
		if err != nil {
			return nil, fmt.Errorf("the plan of %s: %w", nameOf(t), err)
		}
		for _, n := range build.Reread(plan, old, next) {
			if goesOn && !build.Below(plan, n.ID, c.Shares) {
				c.Shares = append(c.Shares, catalog.Share{Node: n.ID, Object: old, Columns: n.Source.Columns, For: next})
			}
		}
		if c.Plan, err = physical.Encode(plan); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// pauseShared pauses a view from which others take rows: a successor, filled from it,
// stands still in its place. ddlMu is held.
func (e *Engine) pauseShared(ctx context.Context, t *catalog.Table) error {
	e.mu.Lock()
	behind := e.stillBehind(e.jobs[t.ID])
	e.mu.Unlock()
	if behind != nil { // there is no batch as of which the successor could be filled
		return sqlerr.New(sqlerr.UnknownError, "Continuous query '%s' shares its work with others, and stands still because '%s' is paused: RESUME that first",
			nameOf(t), nameOf(behind.table))
	}
	next := *t
	next.ID, next.Generation = e.nextID(), 0
	plan, err := physical.Decode(t.Plan)
	if err != nil {
		return err
	}
	next.Shares = []catalog.Share{{Node: plan.Root.ID, Object: t.ID, Columns: identity(len(plan.Output))}}
	// The id is taken for ever: a checkpoint may know the successor before the catalog does.
	if err := e.logDDL(ctx, e.cat.Load(), store.Entry{}); err != nil {
		return err
	}
	j, release, err := e.follow(ctx, &next, plan)
	if err != nil {
		return err
	}
	defer release()
	paused := next
	paused.Paused = true
	readers, err := e.reread(t.ID, next.ID, true)
	if err == nil {
		_, err = e.change(ctx, slices.Concat([]*catalog.Table{hiddenFrom(t), &paused}, readers))
	}
	if err != nil {
		e.remove([]*catalog.Table{&next})
		return err
	}
	e.mu.Lock()
	j.table = &paused
	e.mu.Unlock()
	e.handedOver(t, append(readers, hiddenFrom(t)), "was paused")
	return nil
}

// handedOver makes what runs work under descriptors that changed when a view handed
// its work over, if it did. Who follows the view is told why that ends.
func (e *Engine) handedOver(t *catalog.Table, changed []*catalog.Table, why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range changed {
		j := e.jobs[c.ID]
		if j == nil {
			continue
		}
		j.table = c
		if plan, err := physical.Decode(c.Plan); err == nil {
			j.whole = plan
		}
		if c.ID == t.ID {
			for s := range j.subscribers {
				s.cut(sqlerr.New(sqlerr.QueryInterrupted, "The subscription to '%s' has ended: the view %s, and others share its work; subscribe again", nameOf(t), why))
			}
		}
	}
	e.progressed()
}

// follow fills a query that reads another from it, and holds both at one batch.
func (e *Engine) follow(ctx context.Context, t *catalog.Table, plan *physical.Plan) (j *job, release func(), err error) {
	c := *t
	if j, err = e.newJob(&c, plan); err != nil {
		return nil, nil, err
	}
	last, release, err := e.hold(ctx, e.upstream(j))
	if err != nil {
		j.abandon()
		return nil, nil, err
	}
	e.startFill(j, last)
	release()
	if _, release, err = e.hold(ctx, append(e.upstream(j), j)); err == nil {
		e.mu.Lock()
		failed := j.failed
		e.mu.Unlock()
		if failed == nil {
			return j, release, nil
		}
		release()
		err = failed
	}
	e.remove([]*catalog.Table{&c})
	return nil, nil, err
}

// givesRows reports a view that hands its work over before it is paused or begun anew:
// others take rows from it, and it is at work.
func (e *Engine) givesRows(t *catalog.Table) bool {
	e.mu.Lock()
	j := e.jobs[t.ID]
	works := j != nil && j.failed == nil
	e.mu.Unlock()
	return works && len(e.cat.Load().Sharers(t.ID)) > 0
}
