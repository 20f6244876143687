package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/engine/build"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
)

// DDL changes what exists: CREATE and DROP of databases, tables, streams and
// views. When it returns without error the change is durable and in effect; a
// view may still be filling. captured is what the definition keeps of the session.
func (e *Engine) DDL(ctx context.Context, s bind.Statement, captured catalog.Session) ([]Warning, error) {
	warnings, err := e.define(ctx, s, captured)
	if err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case *bind.CreateTable:
		for _, x := range s.Indexes {
			e.awaitIndex(ctx, x)
		}
		if t, ok := e.cat.Load().Table(s.Table.Database, s.Table.Name); ok {
			warnings = append(warnings, e.saveFirst(ctx, t)...)
		}
	case *bind.CreateIndex:
		e.awaitIndex(ctx, s)
	case *bind.Control:
		if s.Verb == bind.Restart {
			warnings = append(warnings, e.saveFirst(ctx, s.Query)...)
		}
	}
	return warnings, nil
}

// define is DDL, but for what it waits for after the change.
func (e *Engine) define(ctx context.Context, s bind.Statement, captured catalog.Session) ([]Warning, error) {
	e.ddlMu.Lock()
	defer e.ddlMu.Unlock()
	switch s.(type) {
	case *bind.CreateDatabase, *bind.CreateTable, *bind.CreateIndex, *bind.CreateFunction, *bind.CreateSecret: // what is dropped gives space
		if err := e.writable(); err != nil {
			return nil, err
		}
	}
	switch s := s.(type) {
	case *bind.CreateDatabase:
		return e.createDatabase(ctx, s)
	case *bind.DropDatabase:
		return e.dropDatabase(ctx, s)
	case *bind.CreateTable:
		return e.create(ctx, s, captured)
	case *bind.DropTables:
		return e.drop(ctx, s)
	case *bind.Control:
		return e.control(ctx, s)
	case *bind.CreateFunction:
		return e.createFunction(ctx, s, captured)
	case *bind.CreateSecret:
		return e.createSecret(ctx, s)
	case *bind.DropSecret:
		return e.dropSecret(ctx, s)
	case *bind.DropFunction:
		return e.dropFunction(ctx, s)
	case *bind.RenameTables:
		return nil, e.rename(ctx, s)
	case *bind.CreateIndex:
		return nil, e.createIndex(ctx, s, captured)
	case *bind.DropIndex:
		return nil, e.dropIndex(ctx, s)
	case *bind.AlterTable:
		return nil, e.alter(ctx, s, captured)
	case *bind.SetOptions:
		return nil, e.setOptions(ctx, s)
	}
	return nil, sqlerr.Unsupported(fmt.Sprintf("%T", s))
}

func note(err error) []Warning {
	se := sqlerr.From(err)
	return []Warning{{Code: se.Code, Message: se.Message, Note: true}}
}

func (e *Engine) createDatabase(ctx context.Context, s *bind.CreateDatabase) ([]Warning, error) {
	d := &catalog.Database{ID: e.nextID(), Name: s.Name, Collation: s.Collation.String()}
	next, err := e.cat.Load().WithDatabase(d)
	if err != nil {
		if s.IfNotExists && sqlerr.From(err).Code == sqlerr.DBCreateExists {
			return note(err), nil
		}
		return nil, err
	}
	return nil, e.logDDL(ctx, next, store.Entry{Databases: []*catalog.Database{d}})
}

func (e *Engine) dropDatabase(ctx context.Context, s *bind.DropDatabase) ([]Warning, error) {
	cat := e.cat.Load()
	db, ok := cat.Database(s.Name)
	if !ok {
		err := sqlerr.New(sqlerr.DBDropExists, "Can't drop database '%s'; database doesn't exist", s.Name)
		if s.IfExists {
			return note(err), nil
		}
		return nil, err
	}
	going, err := catalog.DropPlan(cat, cat.Tables(s.Name), false)
	if err != nil {
		return nil, err
	}
	if err := catalog.FunctionsFree(cat, s.Name); err != nil {
		return nil, err
	}
	var functions []catalog.ID
	for _, f := range cat.Functions(s.Name) {
		functions = append(functions, f.ID)
	}
	next, entry, done, err := e.retire(cat, going)
	if err != nil {
		return nil, err
	}
	if next, err = next.WithoutDatabase(s.Name); err != nil {
		return nil, err
	}
	entry.DropDatabases = []catalog.ID{db.ID}
	entry.DropFunctions = functions
	if err := e.logDDL(ctx, next, entry); err != nil {
		return nil, err
	}
	done()
	return nil, nil
}

// logDDL makes a change of the catalog durable, then current.
func (e *Engine) logDDL(ctx context.Context, next *catalog.Snapshot, entry store.Entry) error {
	entry.NextID = e.lastID + 1
	if err := e.ddl.Append(ctx, &entry, e.ddl.Version()); err != nil {
		return sqlerr.New(sqlerr.OutOfResources, "The definition could not be made durable: %v", err)
	}
	e.cat.Store(next.WithVersion(entry.Version))
	return nil
}

// nextID gives an object id. ddlMu is held.
func (e *Engine) nextID() catalog.ID {
	e.lastID++
	return e.lastID
}

func ids(ts []*catalog.Table) []catalog.ID {
	out := make([]catalog.ID, len(ts))
	for i, t := range ts {
		out[i] = t.ID
	}
	return out
}

func (e *Engine) drop(ctx context.Context, s *bind.DropTables) ([]Warning, error) {
	cat := e.cat.Load()
	going, missing, err := s.Resolve(cat)
	if err != nil {
		return nil, err
	}
	var warnings []Warning
	if len(missing) > 0 {
		warnings = note(sqlerr.New(sqlerr.BadTable, "Unknown table '%s'", strings.Join(missing, ",")))
	}
	if len(going) == 0 {
		return warnings, nil
	}
	next, entry, done, err := e.retire(cat, going)
	if err != nil {
		return nil, err
	}
	if err := e.logDDL(ctx, next, entry); err != nil {
		return nil, err
	}
	done()
	return warnings, nil
}

func (e *Engine) create(ctx context.Context, s *bind.CreateTable, captured catalog.Session) ([]Warning, error) {
	t := *s.Table
	cat := e.cat.Load()
	t.CreatedAt, t.Session = time.Now().UnixMicro(), captured
	if t.Kind == catalog.StreamTable || t.Kind == catalog.BaseTable || t.Kind == catalog.ContinuousQuery {
		t.LogFrom = e.log.LastSeq()
	}
	change := cat.WithTable
	if old, ok := cat.Table(t.Database, t.Name); ok {
		err := sqlerr.New(sqlerr.TableExists, "Table '%s' already exists", t.Name)
		switch {
		case s.IfNotExists:
			return note(err), nil
		case !s.OrReplace || old.Kind != catalog.View || t.Kind != catalog.View:
			return nil, err
		}
		t.ID, change = old.ID, cat.WithChanged // its readers go on naming it
	} else {
		t.ID = e.nextID()
	}
	t.Sees = e.lastID
	if err := stillThere(cat, &t); err != nil {
		return nil, err
	}
	if err := refuseCycle(cat, &t); err != nil {
		return nil, err
	}
	var plan *physical.Plan
	if t.Continuous() {
		var err error
		if plan, t.Plan, err = build.Plan(s.Query, func() error { return context.Cause(ctx) }); err != nil {
			return nil, err
		}
		t.Primary = plan.Key
	}
	if err := e.checkOptions(&t); err != nil {
		return nil, err
	}
	if err := checkWindows(&t, plan); err != nil {
		return nil, err
	}
	made := []*catalog.Table{&t}
	var late *catalog.Table // made with the view
	if _, ok := t.Options["late_rows"]; ok && plan != nil {
		to, isNew, err := e.lateStream(&t, plan)
		if err != nil {
			return nil, err
		}
		t.LateRows, t.Reads = to.ID, append(slices.Clip(t.Reads), to.ID) // it is not dropped under the view
		if isNew {
			late, made = to, []*catalog.Table{to, &t}
		}
	}
	var common []*catalog.Table // computed for the view and others
	if plan != nil {
		var err error
		if t.Shares, common, err = e.commonParts(&t, plan); err != nil {
			return nil, err
		}
		made = append(made, common...)
	}
	var indexes []*catalog.Table
	var plans []*physical.Plan
	for _, x := range s.Indexes {
		h, plan, err := e.index(ctx, &t, x, captured)
		if err != nil {
			return nil, err
		}
		indexes, plans, made = append(indexes, h), append(plans, plan), append(made, h)
	}
	next, err := change(&t)
	if err != nil {
		return nil, err
	}
	start, err := e.prepare(ctx, &t, plan)
	if err != nil {
		return nil, err
	}
	if late != nil {
		if next, start, err = e.withLate(next, late, start); err != nil {
			return nil, err
		}
	}
	for _, h := range common {
		if next, start, err = e.withCommon(ctx, next, h, start); err != nil {
			return nil, err
		}
	}
	for i, h := range indexes {
		if next, start, err = e.withIndex(ctx, next, h, plans[i], start); err != nil {
			return nil, err
		}
	}
	if err := e.logDDL(ctx, next, store.Entry{Text: t.Text, Tables: made}); err != nil {
		start(false)
		return nil, err
	}
	start(true)
	if len(common) > 0 {
		e.adoptSoon()
	}
	return unbounded(plan), nil
}

// stillThere is an error if what an object was bound to has been dropped since.
func stillThere(cat *catalog.Snapshot, t *catalog.Table) error {
	for _, id := range t.Reads {
		if _, ok := cat.TableByID(id); !ok && !isVirtual(id) {
			return sqlerr.New(sqlerr.NoSuchTable, "A table that '%s' reads was dropped meanwhile", t.Name)
		}
	}
	for _, id := range t.Calls {
		if !cat.HasFunction(id) {
			return sqlerr.New(sqlerr.SPDoesNotExist, "A function that '%s' calls was dropped meanwhile", t.Name)
		}
	}
	return nil
}

// refuseCycle is error 1210 for a continuous query whose rows would come back to it.
func refuseCycle(cat *catalog.Snapshot, t *catalog.Table) error {
	if t.Into == 0 {
		return nil
	}
	for _, id := range t.Reads[:len(t.Reads)-1] { // the last one is Into
		if catalog.Feeds(cat, t.Into, id) {
			into, _ := cat.TableByID(t.Into)
			return sqlerr.New(sqlerr.WrongArguments, "'%s.%s' cannot take the result of a query that reads it, through others either", into.Database, into.Name)
		}
	}
	return nil
}

// unbounded warns of a view's state that grows for ever.
func unbounded(plan *physical.Plan) []Warning {
	if plan == nil {
		return nil
	}
	var ws []Warning
	for _, text := range build.Unbounded(plan) {
		ws = append(ws, Warning{Code: sqlerr.CapacityExceeded, Message: text})
	}
	return ws
}

// prepare makes an object's running part, at rest. start(true) sets it to work,
// start(false) throws it away.
func (e *Engine) prepare(ctx context.Context, t *catalog.Table, plan *physical.Plan) (start func(bool), err error) {
	switch {
	case t.Kind == catalog.BaseTable:
		return e.prepareTable(t)
	case t.Kind == catalog.DimensionTable:
		return e.prepareDimension(ctx, t)
	case t.Continuous():
		return e.prepareQuery(ctx, t, plan)
	case t.Kind == catalog.StreamTable && t.Options["connector"] != "":
		return e.prepareExternal(t)
	case t.Kind == catalog.StreamTable:
		return e.prepareStream(t)
	}
	return func(bool) {}, nil
}

// prepareStream makes a stream of the built-in log; an upsert stream has a table's image.
func (e *Engine) prepareStream(t *catalog.Table) (func(bool), error) {
	image := func(bool) {}
	if t.Upsert() {
		var err error
		if image, err = e.prepareTable(t); err != nil {
			return nil, err
		}
	}
	return func(yes bool) {
		if yes {
			e.addStream(newStream(t, t.PartitionCount()))
		}
		image(yes)
	}, nil
}

// prepareQuery holds the timeline at one batch, the query's history, until it is started.
func (e *Engine) prepareQuery(ctx context.Context, t *catalog.Table, plan *physical.Plan) (func(bool), error) {
	j, err := e.newJob(t, plan)
	if err != nil {
		return nil, err
	}
	if err := e.refuseStill(j); err != nil {
		j.abandon()
		return nil, err
	}
	if j.sink != nil {
		if err := j.sink.open(true); err != nil {
			j.abandon()
			return nil, err
		}
	}
	if e.sharesFilling(j) { // CREATE would not wait for what the view does not name
		return func(yes bool) {
			if yes {
				e.mu.Lock()
				e.fillLater([]*job{j})
				e.mu.Unlock()
			} else {
				j.abandon()
			}
		}, nil
	}
	last, release, err := e.hold(ctx, e.upstream(j))
	if err != nil {
		j.abandon()
		return nil, err
	}
	return func(yes bool) {
		defer release()
		if yes {
			e.startFill(j, last)
		} else {
			j.abandon()
		}
	}, nil
}

// remove ends the running parts of dropped objects. Readers come first in the list.
func (e *Engine) remove(going []*catalog.Table) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range going {
		e.removeDimension(t.ID)
		if j := e.jobs[t.ID]; j != nil {
			e.stopJob(j, errDropped)
			delete(e.jobs, t.ID)
		}
		if ts := e.tables[t.ID]; ts != nil {
			ts.history.releaseAll()
			delete(e.tables, t.ID)
		}
		if x := e.externals[t.ID]; x != nil {
			delete(e.externals, t.ID)
			x.release()
		}
		e.aligned = nil
		e.growths.Delete(t.ID)
		delete(e.readers, t.ID)
		e.streams.Lock()
		delete(e.streams.of, t.ID)
		e.streams.Unlock()
		e.dropped[t.ID] = true
	}
	e.progressed()
}
