package engine

import (
	"context"
	"errors"
	"time"

	"streamsql/catalog"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// SubscribeOptions say where a subscription begins.
type SubscribeOptions struct {
	// Snapshot: the rows that are there come first, as inserted.
	Snapshot bool
	// From, if set: the changes after that batch. Without, those after now.
	From *uint64
	// Progress: a row says when batches are finished.
	Progress bool
	// After: what is there takes in all commits up to this position; it waits at
	// most Timeout for that.
	After   Position
	Timeout time.Duration
	// Cut is called when the reader has fallen so far behind that it cannot go on,
	// while it may be busy with what it got. From any goroutine, and must not block.
	Cut func(error)
}

// Subscribe follows a materialized view: its rows (op, batch_id, …columns) never
// end. Nobody waits for the reader: its place in the view's changelog is all that
// is kept of it. Next ends with an error when the view is dropped or has failed,
// or the reader was cut off.
func (e *Engine) Subscribe(ctx context.Context, t *catalog.Table, o SubscribeOptions) (Rows, error) {
	s := &subscription{e: e, options: o, feed: newChangefeed(t), fields: feedFields(t), wake: make(chan struct{}, 1)}
	if err := s.register(t); err != nil {
		return nil, err
	}
	if err := s.start(ctx, t); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// subscription is a reader of a view's changelog. One goroutine reads it; the
// fields of the second group are guarded by Engine.mu.
type subscription struct {
	e        *Engine
	options  SubscribeOptions
	feed     *changefeed
	fields   []physical.Field
	snapshot *snapshot // its rows are still to be given
	scans    []func(max int) *batch.Chunk
	ready    []change // read from disk, to be given
	finished uint64   // a progress row for that batch is due; 0: none
	told     uint64   // the last batch that one was for
	wake     chan struct{}

	job *job
	pos uint64 // all changes up to this batch were given, or are ready
	err error  // why it cannot go on
}

// register makes the view keep what changes for the subscription, which has no
// place yet.
func (s *subscription) register(t *catalog.Table) error {
	e := s.e
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[t.ID]
	switch {
	case j == nil:
		return catalog.NoSuchTable(t.Database, t.Name)
	case j.failed != nil:
		return viewFailed(j)
	}
	s.job, s.pos = j, never
	j.subscribers[s], e.subscribed[s] = struct{}{}, struct{}{}
	return nil
}

// start finds the place where the subscription begins.
func (s *subscription) start(ctx context.Context, t *catalog.Table) error {
	e, o := s.e, s.options
	if o.From != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		if err := s.job.keepsAfter(*o.From); err != nil {
			return err
		}
		s.pos, s.told = *o.From, *o.From
		return nil
	}
	after, err := e.pastQueries(ctx, []*catalog.Table{t}, o.After, o.Timeout)
	if err != nil {
		return err
	}
	for {
		snap, err := e.acquire(ctx, []*catalog.Table{t}, after, o.Timeout, 0)
		if err != nil {
			return err
		}
		e.mu.Lock()
		if s.job.uncollected() <= snap.cut.ID && s.job.log.from <= snap.cut.ID {
			s.pos, s.told = snap.cut.ID, snap.cut.ID
			if o.Progress && o.Snapshot {
				s.told--
			}
			e.mu.Unlock()
			s.take(snap)
			return nil
		}
		changed := e.changed
		e.mu.Unlock()
		snap.release()
		// A batch under way whose changes nobody wanted: it begins behind that one.
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.stopping:
			return errStopping()
		}
	}
}

// uncollected is the last batch under way whose changes will not be kept, 0 if
// there is none. Engine.mu is held.
func (j *job) uncollected() (id uint64) {
	for _, f := range j.inFlight {
		if !f.info.Batch.Changes {
			id = f.id
		}
	}
	return id
}

// take makes the rows of a snapshot the first ones, if they are wanted.
func (s *subscription) take(snap *snapshot) {
	if !s.options.Snapshot {
		snap.release()
		return
	}
	s.snapshot = snap
	im := snap.images[s.job.id]
	for _, part := range im.parts {
		s.scans = append(s.scans, part.Scan().Next)
	}
	if im.rows() <= smallOrdered {
		s.scans = s.e.inKeyOrder(s.job.id, s.scans)
	}
}

// keepsAfter is nil when the changes of all batches after id are there; else an
// error that names the oldest. Engine.mu is held.
func (j *job) keepsAfter(id uint64) error {
	if id >= j.log.from {
		return nil
	}
	return sqlerr.New(sqlerr.WrongArguments, "Changes of '%s.%s' after batch %d are no longer kept; the oldest that can be asked for is %d",
		j.table.Database, j.table.Name, id, j.log.from)
}

func viewFailed(j *job) error {
	return sqlerr.New(sqlerr.UnknownError, "Materialized view '%s.%s' has failed: %s", j.table.Database, j.table.Name, j.failed)
}

// errFellBehind is what a reader is cut off with.
func errFellBehind(j *job, pos uint64) error {
	return sqlerr.New(sqlerr.QueryInterrupted, "The subscription to '%s.%s' was cut off: it had taken in batch %d, and the view keeps changes after batch %d only; read faster, or let the view keep more WITH (history = '…')",
		j.table.Database, j.table.Name, pos, j.log.from)
}

// cut ends the subscription for a reason. Engine.mu is held.
func (s *subscription) cut(why error) {
	if s.err != nil {
		return
	}
	s.err = why
	s.notify()
	if s.options.Cut != nil {
		s.options.Cut(why)
	}
}

func (s *subscription) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// wakeSubscribers tells those of the view that there may be something new. Engine.mu is held.
func (j *job) wakeSubscribers() {
	for s := range j.subscribers {
		s.notify()
	}
}

// wakeSubscribers tells all that more batches are durable. Engine.mu is held.
func (e *Engine) wakeSubscribers() {
	for s := range e.subscribed {
		s.notify()
	}
}

// Fields are op, batch_id, and the view's columns.
func (s *subscription) Fields() []physical.Field { return s.fields }

// Next waits for the next changes. A chunk is empty when there is nothing at the
// moment: what was given should be sent before the next call.
func (s *subscription) Next(ctx context.Context) (*batch.Chunk, error) {
	for {
		if c := s.nextOfSnapshot(); c != nil {
			return c, nil
		}
		c, wait, err := s.nextChange()
		if c != nil || err != nil {
			return c, err
		}
		if !wait {
			continue
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.e.stopping:
			return nil, errStopping()
		}
	}
}

// nextOfSnapshot gives the next rows of those that were there at first.
func (s *subscription) nextOfSnapshot() *batch.Chunk {
	for len(s.scans) > 0 {
		if c := s.scans[0](batch.TargetRows); c != nil {
			return s.feed.inserted(visibleColumns(c, len(s.fields)-2), s.snapshot.cut.ID)
		}
		s.scans = s.scans[1:]
	}
	if s.snapshot != nil {
		s.snapshot.release()
		s.snapshot = nil
	}
	return nil
}

func visibleColumns(c *batch.Chunk, n int) *batch.Chunk {
	return &batch.Chunk{Cols: c.Cols[:n:n], N: c.N, Weights: c.Weights}
}

// nextChange gives what the next batch changed, or a row of progress; wait: there
// is nothing yet.
func (s *subscription) nextChange() (out *batch.Chunk, wait bool, err error) {
	if s.finished > 0 {
		out = s.feed.progress(s.finished)
		s.told, s.finished = s.finished, 0
		return out, false, nil
	}
	c, cold, visible, err := s.look()
	switch {
	case err != nil:
		return nil, false, err
	case cold != nil:
		return nil, false, s.readCold(*cold)
	case c.id != 0:
		if s.options.Progress {
			s.finished = c.id
		}
		return s.feed.rows(c), false, nil
	case s.options.Progress && s.told < visible:
		s.told = visible
		return s.feed.progress(visible), false, nil
	}
	return nil, true, nil
}

// look finds the next change, or the segment on disk that holds it. Without either,
// nothing has changed up to batch visible, which was asked for before.
func (s *subscription) look() (c change, cold *segment, visible uint64, err error) {
	e, j := s.e, s.job
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case s.err != nil:
		return c, nil, 0, s.err
	case errors.Is(j.failed, errDropped):
		return c, nil, 0, sqlerr.New(sqlerr.QueryInterrupted, "The subscription has ended: materialized view '%s.%s' was dropped", j.table.Database, j.table.Name)
	case j.failed != nil:
		return c, nil, 0, viewFailed(j)
	}
	if len(s.ready) > 0 { // of a checkpoint, which holds nothing that is not visible
		c, s.ready = s.ready[0], s.ready[1:]
		return c, nil, 0, nil
	}
	if g, ok := j.log.segmentAfter(s.pos); ok {
		return c, &g, 0, nil
	}
	visible = min(e.timeline.Durable(), j.next()-1)
	if i := j.log.after(s.pos); i < len(j.log.list) && j.log.list[i].id <= visible {
		c = j.log.list[i]
		s.pos = c.id
		return c, nil, 0, nil
	}
	s.pos = max(s.pos, visible)
	return c, nil, visible, nil
}

// readCold makes the changes of a segment ready.
func (s *subscription) readCold(g segment) error {
	changes, err := s.e.readSegment(s.job, g)
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	if err != nil {
		if s.pos < s.job.log.from {
			return errFellBehind(s.job, s.pos)
		}
		if errors.Is(err, errMoved) {
			return nil // it looks again
		}
		return err
	}
	for _, c := range changes {
		if c.id > s.pos {
			s.ready = append(s.ready, c)
			s.pos = c.id
		}
	}
	return nil
}

// Close ends the subscription.
func (s *subscription) Close() {
	s.e.mu.Lock()
	delete(s.job.subscribers, s)
	delete(s.e.subscribed, s)
	s.e.mu.Unlock()
	if s.snapshot != nil {
		s.snapshot.release()
		s.snapshot, s.scans = nil, nil
	}
	s.ready = nil
}
