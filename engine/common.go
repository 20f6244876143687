package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/engine/build"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// A part that two views have in common, and that is the whole of neither, is computed
// by a query without a name that is made with the second of them. The first one computed
// the part before: it is switched over in the background, when a job that takes the part
// from there has been filled beside the one at work.

// commonParts are what a new view takes from others, and the queries without a name that
// are to be made for that.
func (e *Engine) commonParts(t *catalog.Table, plan *physical.Plan) (shares []catalog.Share, common []*catalog.Table, err error) {
	shares, _ = e.shares(t, plan)
	made := map[string]catalog.ID{} // what two nodes of the view compute is made once
	for i, s := range shares {
		if s.Object != 0 {
			continue
		}
		part := build.Part(plan, build.Node(plan, s.Node))
		signature := build.Signature(part)
		if made[signature] == 0 {
			h, err := e.partTable(t, part)
			if err != nil {
				return nil, nil, err
			}
			made[signature] = h.ID
			common = append(common, h)
		}
		shares[i].Object = made[signature]
	}
	return shares, common, nil
}

// partTable describes the query that computes a part of a view for it and others.
func (e *Engine) partTable(t *catalog.Table, part *physical.Plan) (*catalog.Table, error) {
	h := &catalog.Table{
		ID: e.nextID(), Database: t.Database, Kind: catalog.MaterializedView, Hidden: true,
		Primary: part.Key, Session: t.Session, CreatedAt: t.CreatedAt,
	}
	h.Name = fmt.Sprintf("%s#%d", t.Name, h.ID)
	for _, f := range part.Output {
		h.Columns = append(h.Columns, catalog.Column{Name: f.Name, Type: f.Type})
	}
	for _, id := range part.Tables() {
		h.Reads = append(h.Reads, catalog.ID(id))
	}
	var err error
	h.Plan, err = physical.Encode(part)
	return h, err
}

// withCommon adds a query without a name to a change of the catalog, and starts it
// before what start starts.
func (e *Engine) withCommon(ctx context.Context, cat *catalog.Snapshot, h *catalog.Table, start func(bool)) (*catalog.Snapshot, func(bool), error) {
	next, err := cat.WithTable(h)
	if err == nil {
		var plan *physical.Plan
		if plan, err = physical.Decode(h.Plan); err == nil {
			var first func(bool)
			if first, err = e.prepareQuery(ctx, h, plan); err == nil {
				return next, func(yes bool) { first(yes); start(yes) }, nil
			}
		}
	}
	start(false)
	return nil, nil, err
}

// adoptSoon switches views over, in the background, to queries without a name that
// compute a part of theirs.
func (e *Engine) adoptSoon() {
	e.fills.Add(1)
	go func() {
		defer e.fills.Done()
		for _, a := range e.adoptions() {
			err := a.run(e)
			switch {
			case e.ctx.Err() != nil:
				return
			case errors.Is(err, errChanged):
			case err != nil:
				slog.Warn("a view goes on computing what it could share", "view", nameOf(a.view), "error", err)
			}
		}
	}()
}

// adoption is a view that can be switched over. next is the view as it is then.
type adoption struct {
	view, next *catalog.Table
}

var errChanged = errors.New("the view, or what it was to share, is another by now")

// adoptions finds what can be switched over.
func (e *Engine) adoptions() (out []adoption) {
	e.ddlMu.Lock()
	defer e.ddlMu.Unlock()
	cat := e.cat.Load()
	offers := map[string]*catalog.Table{}
	for _, t := range cat.Objects() {
		if t.Hidden && t.Text == "" && t.IndexOf == 0 { // it never had a name
			if p, err := physical.Decode(t.Plan); err == nil {
				offers[build.Signature(p)] = t
			}
		}
	}
	delete(offers, "")
	if len(offers) == 0 {
		return nil
	}
	for _, t := range cat.Objects() {
		if next := e.adopted(t, offers); next != nil && e.adoptable(t) {
			out = append(out, adoption{t, next})
		}
	}
	return out
}

// adopted is a view that takes from offers all of its parts that are there; nil: there
// are none, or it could not be filled from images alone, to what it has now.
func (e *Engine) adopted(t *catalog.Table, offers map[string]*catalog.Table) *catalog.Table {
	if t.Hidden || !sharing(t) || t.Generation > 0 { // who begins a view anew wants it by itself
		return nil
	}
	plan, err := physical.Decode(t.Plan)
	if err != nil || build.Signature(plan) == "" || len(plan.Watermarks()) > 0 {
		return nil
	}
	parts := build.Parts(plan, t.Shares)
	found := build.Match(plan, func(signature string) (catalog.ID, []int, bool) {
		h, n := offers[signature], parts[signature]
		if h == nil || n == nil || !alike(h.Session, t.Session) {
			return 0, nil, false
		}
		return h.ID, identity(len(n.Fields)), true
	})
	if len(found) == 0 {
		return nil
	}
	next := *t
	next.Generation++
	next.Shares = found
	for _, s := range t.Shares { // but those that lie below what is shared now
		if !build.Below(plan, s.Node, found) {
			next.Shares = append(next.Shares, s)
		}
	}
	rest, err := build.Shared(plan, next.Shares, e.nameByID)
	if err != nil || !e.stays(build.Tables(plan, []catalog.Share{{Node: plan.Root.ID}})) {
		return nil
	}
	for _, id := range rest.Tables() {
		if x, ok := e.cat.Load().TableByID(catalog.ID(id)); !ok || x.Kind != catalog.BaseTable && x.Kind != catalog.MaterializedView {
			return nil // a stream would be read again from its beginning
		}
	}
	return &next
}

// adoptable reports a view that nobody is tied to: its changelog begins anew when it is
// switched over.
func (e *Engine) adoptable(t *catalog.Table) bool {
	cat := e.cat.Load()
	if _, history := t.Options[historyOption]; history || len(cat.Sharers(t.ID)) > 0 {
		return false
	}
	for _, x := range cat.Objects() {
		if x.Continuous() && slices.Contains(x.Reads, t.ID) {
			return false
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[t.ID]
	return j != nil && j.failed == nil && len(j.readers) == 0 && len(j.subscribers) == 0 && e.stillBehind(j) == nil
}

// run switches the view over. Meanwhile everything goes on; if the view, or what it is
// to share, changes before the new job is filled, nothing happens.
func (a adoption) run(e *Engine) error {
	if err := e.await(e.ctx, func() bool { return e.jobs[a.view.ID] == nil || !e.jobs[a.view.ID].filling }); err != nil {
		return err
	}
	plan, err := physical.Decode(a.next.Plan)
	if err != nil {
		return err
	}
	j, err := e.newJob(a.next, plan)
	if err != nil {
		return err
	}
	last, release, err := e.hold(e.ctx, e.upstream(j))
	if err != nil {
		j.abandon()
		return err
	}
	e.mu.Lock()
	e.link(j)
	e.mu.Unlock()
	e.startFill(j, last)
	release()
	if err = e.await(e.ctx, func() bool { return j.failed != nil || !j.filling }); err == nil {
		err = a.swap(e, j)
	}
	if err != nil {
		e.mu.Lock()
		e.stopJob(j, err)
		e.mu.Unlock()
	}
	return err
}

// swap puts the new job in the place of the old one, at one batch.
func (a adoption) swap(e *Engine, j *job) error {
	e.ddlMu.Lock()
	defer e.ddlMu.Unlock()
	cat := e.cat.Load()
	if t, ok := cat.TableByID(a.view.ID); !ok || t != a.view || !e.adoptable(t) {
		return errChanged
	}
	for _, s := range a.next.Shares {
		if _, ok := cat.TableByID(s.Object); !ok {
			return errChanged
		}
	}
	e.mu.Lock()
	old := e.jobs[a.view.ID]
	e.mu.Unlock()
	_, release, err := e.hold(e.ctx, append(e.upstream(j), old, j))
	if err != nil {
		return err
	}
	defer release()
	next, err := cat.WithChanged(a.next)
	if err != nil {
		return err
	}
	e.mu.Lock()
	failed := errors.Join(old.failed, j.failed)
	if failed == nil && len(old.subscribers) > 0 {
		failed = errChanged
	}
	e.mu.Unlock()
	if failed != nil {
		return failed
	}
	gone, _ := next.Retire(nil)
	for _, t := range gone {
		next = next.WithoutTable(t.ID)
	}
	if err := e.logDDL(e.ctx, next, store.Entry{Tables: []*catalog.Table{a.next}, DropTables: ids(gone)}); err != nil {
		return err
	}
	e.mu.Lock()
	j.inherit(old)
	for s := range old.subscribers { // they came a moment ago
		s.cut(sqlerr.New(sqlerr.QueryInterrupted, "The subscription to '%s' has ended: the view shares its work with another one now; subscribe again", nameOf(a.view)))
	}
	e.stopJob(old, errRestarted)
	e.jobs[j.id] = j
	e.progressed()
	e.mu.Unlock()
	e.remove(gone)
	return nil
}

// inherit takes over what the job of the same view that was at work before remembers of
// batches before j's first: images for open transactions, and the changes that are in memory.
func (j *job) inherit(old *job) {
	first := j.start
	var before moments
	for _, m := range old.history {
		if m.id >= first {
			break
		}
		if m.images != nil {
			m.images.retain()
		}
		before = append(before, m)
	}
	j.history = append(before, j.history...)
	j.log.inherit(&old.log, first)
	j.batches, j.rowsIn = j.batches+old.batches, j.rowsIn+old.rowsIn
}
