package engine

import (
	"context"
	"fmt"

	"streamsql/catalog"
	"streamsql/engine/cutlog"
	"streamsql/engine/table"
	"streamsql/engine/timeline"
	"streamsql/engine/topic"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
)

// recover brings the engine to where the last run was: objects from the
// catalog, states from the newest checkpoint that verifies, then the cuts that
// were recorded after it. Work that no cut covers yet is cut anew.
func (e *Engine) recover() error {
	known, err := e.restore()
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r := &recovery{e: e, known: known}
	if err := r.readCuts(); err != nil {
		return err
	}
	r.placeExternals()
	if err := r.readLog(); err != nil {
		return err
	}
	for _, j := range e.jobs {
		e.setDue(j, j.start, j.flow.Due())
	}
	e.replaying = true
	for _, c := range r.cuts {
		e.recovered.Cuts++
		inputs := r.inputs[c.ID]
		for _, in := range inputs {
			e.recovered.Rows += uint64(in.rows())
		}
		moved, due := r.calls(c.ID)
		e.enqueue(c, inputs, moved, due)
	}
	e.replaying = false
	for _, j := range e.jobs {
		e.dispatch(j)
	}
	e.deliverAll()
	return e.refillMissing()
}

// recovery is the work of one start.
type recovery struct {
	e      *Engine
	known  timeline.Cut   // the last cut that the checkpoint knew
	before timeline.Cut   // the one before those to replay
	cuts   []timeline.Cut // to replay
	inputs map[uint64][]sourceInput
	// records are those of cuts behind the first one to replay, or behind the
	// checkpoint; times is what they say of event time and timers.
	times recoveredTimes
}

// readCuts reads the records from the oldest that some job's checkpoint stands
// at. Without a job nothing is replayed: only where time stands is of interest.
func (r *recovery) readCuts() error {
	e := r.e
	low := never
	for _, j := range e.jobs {
		low = min(low, j.start)
	}
	low = r.times.begin(e, low, r.known)
	if last := e.cuts.LastID(); last < r.known.ID {
		return fmt.Errorf("the checkpoint knows batch %d, but the log of cuts ends at %d", r.known.ID, last)
	}
	next := max(min(low, e.cuts.FirstID()), 1)
	err := e.cuts.Read(e.ctx, next, func(c *cutlog.Record) error {
		if c.ID != next {
			return fmt.Errorf("the record of batch %d is not there; the next is %d", next, c.ID)
		}
		next++
		cut := timeline.Cut{ID: c.ID, LogSeq: c.LogSeq, Time: c.Time, Offsets: c.Offsets}
		if cut.ID < low {
			e.timeline.Add(cut) // for those who read as of it
			return nil
		}
		if cut.ID > low {
			cut.Watermarks = r.times.add(e, c)
		} else {
			cut.Watermarks = e.watermarks
		}
		e.timeline.Add(cut)
		if cut.ID > low {
			r.cuts = append(r.cuts, cut)
		} else {
			r.before = cut
		}
		return nil
	})
	if err != nil {
		return err
	}
	if last := e.timeline.Last(); last.LogSeq > e.log.LastSeq() {
		return fmt.Errorf("batch %d covers the commit log up to %d, which ends at %d", last.ID, last.LogSeq, e.log.LastSeq())
	}
	e.timeline.SetDurable(e.timeline.Last().ID)
	if e.timeline.Last().ID == 0 {
		// Time begins with an empty batch, so that 0 is before everything.
		e.record(e.timeline.Next(0, e.now(), nil), nil, nil)
	}
	return nil
}

// placeExternals puts every connector where the last cut left it.
func (r *recovery) placeExternals() {
	last := r.e.timeline.Last()
	for id, x := range r.e.externals {
		if o := last.Offsets[uint64(id)]; o != nil {
			x.offsets = o
		}
	}
	r.inputs = map[uint64][]sourceInput{}
	before := r.before.Offsets
	for _, c := range r.cuts {
		for id, to := range c.Offsets {
			from := before[id]
			if from == nil {
				from = make([]uint64, len(to))
			}
			in := sourceInput{table: catalog.ID(id), from: from, to: to, before: r.times.record(c.ID).Stamps[id]}
			if in.rows() > 0 {
				r.inputs[c.ID] = append(r.inputs[c.ID], in)
			}
		}
		before = c.Offsets
	}
}

// readLog brings tables up to the end of the commit log, sorts what was cut to
// its batches, and leaves the rest to be cut.
func (r *recovery) readLog() error {
	e := r.e
	first := r.before.LogSeq
	from := r.times.from(e, first)
	if trimmed := e.log.FirstSeq(); len(e.jobs) > 0 && from+1 < trimmed {
		return fmt.Errorf("recovery needs the commit log from %d on; it begins at %d", from+1, trimmed)
	}
	if err := e.refuseTrimmed(); err != nil {
		return err
	}
	for _, t := range e.tables {
		from = min(from, t.seq)
	}
	last := e.timeline.Last()
	next := 0
	atLastCut := false
	markTables := func() {
		for _, t := range e.tables {
			t.start = last.ID
			t.history = t.history.add(moment{last.ID, newImageSet(t.Snapshot())}, e.pins)
		}
		atLastCut = true
	}
	err := e.readLog(e.ctx, from+1, e.log.LastSeq(), func(seq uint64, b *topic.Block) error {
		e.recovered.Blocks++
		if seq > last.LogSeq && !atLastCut {
			markTables()
		}
		id := catalog.ID(b.Table)
		t := e.tables[id]
		e.noteLate(b)
		e.noteInto(b)
		if err := r.times.pass(e, seq, last.LogSeq, b); err != nil {
			return err
		}
		if t == nil && len(e.readers[id]) == 0 && seq <= last.LogSeq {
			return nil // a view that is yet to be filled reads the log itself, up to the last cut
		}
		c, err := e.chunk(b, nil)
		if err != nil {
			return err
		}
		if t != nil && seq > t.seq {
			if err := t.Replay(c, b.Flags&topic.FlagRenumber != 0); err != nil {
				return err
			}
		}
		if seq <= first {
			return nil
		}
		if seq > last.LogSeq {
			e.addUncut(seq, b, c, t)
			return nil
		}
		for r.cuts[next].LogSeq < seq {
			next++
		}
		cut := r.cuts[next].ID
		r.inputs[cut] = addInput(r.inputs[cut], id, c, e.originOf(seq, b))
		return nil
	})
	if !atLastCut {
		markTables()
	}
	if err == nil {
		err = r.times.end(e)
	}
	e.committed, e.tableSeq = e.log.LastSeq(), e.log.LastSeq()
	if n := len(e.groups); n == 0 && e.committed > last.LogSeq {
		// Groups of dropped tables: the next cut passes over them.
		e.groups = append(e.groups, commitGroup{seq: e.committed})
	} else if n > 0 {
		e.groups[n-1].seq = e.committed
	}
	return err
}

// addUncut puts a block behind the last cut into a group that will be cut.
func (e *Engine) addUncut(seq uint64, b *topic.Block, c *batch.Chunk, t *tableState) {
	id := catalog.ID(b.Table)
	n := len(e.groups)
	if n == 0 || e.groups[n-1].seq != seq {
		e.groups = append(e.groups, commitGroup{seq: seq, images: map[catalog.ID]*imageSet{}})
		n++
	}
	g := &e.groups[n-1]
	g.rows += c.N
	e.uncut += c.N
	g.inputs = addInput(g.inputs, id, c, e.originOf(seq, b))
	if s, ok := e.stampOf(b); ok {
		g.taken = append(g.taken, s)
	}
	if t != nil {
		g.images[id].release()
		g.images[id] = newImageSet(t.Snapshot())
	}
}

// newTable makes the running part of a base table.
func (e *Engine) newTable(t *catalog.Table) (*tableState, error) {
	tb, err := table.New(t, operators.Env{Node: "Table", Account: e.account})
	if err != nil {
		return nil, err
	}
	return &tableState{Table: tb}, nil
}

func (e *Engine) prepareTable(t *catalog.Table) (func(bool), error) {
	ts, err := e.newTable(t)
	if err != nil {
		return nil, err
	}
	return func(yes bool) {
		if !yes {
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		last := e.timeline.Last().ID
		ts.start, e.tablesFrom = last, last
		ts.history = ts.history.add(moment{last, newImageSet(ts.Snapshot())}, e.pins)
		e.tables[t.ID] = ts
	}, nil
}

// refillMissing fills the views that no checkpoint knows from history: they were
// made after the last one, or have failed. Engine.mu is held.
func (e *Engine) refillMissing() error {
	var missing []*catalog.Table
	for _, t := range catalog.InOrder(e.cat.Load().Objects()) {
		if t.Continuous() && e.jobs[t.ID] == nil {
			missing = append(missing, t)
		}
	}
	return e.refill(missing)
}

// refill starts views, which are in an order in which each comes after those it
// reads, from history. Engine.mu is held.
func (e *Engine) refill(views []*catalog.Table) error {
	var made []*job
	for _, t := range views {
		j, err := e.jobOf(t)
		if err != nil {
			return err
		}
		made = append(made, j)
	}
	e.fillLater(made)
	return nil
}

// fillLater registers jobs, each after those that it reads, and fills them from history
// in the background, once what they read is filled. Engine.mu is held.
func (e *Engine) fillLater(made []*job) {
	for _, j := range made {
		j.start, j.filling = never, j.failed == nil // until it is known at which batch
		e.register(j)
	}
	e.failReaders()
	for _, j := range made {
		if j.failed != nil {
			continue
		}
		ctx, cancel := context.WithCancelCause(e.ctx)
		j.cancel = cancel
		e.fills.Add(1)
		go func() {
			defer e.fills.Done()
			had, err := e.keptOf(ctx, j)
			if err == nil {
				err = j.sink.beginAnew()
			}
			if err != nil {
				e.mu.Lock()
				if ctx.Err() == nil {
					e.jobFailed(j, err)
				}
				e.mu.Unlock()
				return
			}
			if last, release, err := e.hold(ctx, j.views); err == nil {
				e.mu.Lock()
				j.late = lateRows{had: had}
				e.mu.Unlock()
				e.startFill(j, last)
				release()
			}
		}()
	}
}

// jobOf makes the job of a view from its stored plan; one that has failed already where
// that cannot be run.
func (e *Engine) jobOf(t *catalog.Table) (*job, error) {
	plan, err := physical.Decode(t.Plan)
	if err != nil {
		return nil, fmt.Errorf("the plan of %s.%s: %w", t.Database, t.Name, err)
	}
	j, err := e.newJob(t, plan)
	if err != nil {
		return e.brokenJob(t, plan, err)
	}
	return j, nil
}
