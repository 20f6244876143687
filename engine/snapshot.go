package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"streamsql/catalog"
	"streamsql/engine/table"
	"streamsql/engine/timeline"
	"streamsql/operators/batch"
	"streamsql/sql/sqlerr"
)

// snapshot is what one query reads: views and tables as they were after one
// batch, streams up to its cut. It must be released.
type snapshot struct {
	cut    timeline.Cut
	images map[catalog.ID]*imageSet
	local  map[catalog.ID][]*batch.Chunk // rows made within the query: see physical.LocalTable
	held   []*external
}

func (s *snapshot) release() {
	for _, im := range s.images {
		im.release()
	}
	for _, x := range s.held {
		x.release()
	}
	s.images, s.held = nil, nil
}

// acquire finds the newest batch at which all objects can be read together, at
// least the one that covers position after, and holds their images. It waits
// for that at most timeout. With at, it must be that batch: a transaction's.
func (e *Engine) acquire(ctx context.Context, objects []*catalog.Table, after Position, timeout time.Duration, at uint64) (*snapshot, error) {
	if timeout <= 0 {
		timeout = DefaultWait
	}
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	var floor uint64
	e.mu.Lock()
	for {
		var s *snapshot
		var lag string
		var err error
		if at > 0 {
			s, err = e.acquireAt(objects, at)
		} else {
			s, lag, err = e.tryAcquire(objects, after, &floor)
		}
		if s != nil || err != nil {
			e.mu.Unlock()
			return s, err
		}
		changed := e.changed
		e.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-deadline.C:
			return nil, sqlerr.New(sqlerr.QueryTimeout, "Gave up after %v waiting for %s", timeout, lag)
		case <-e.stopping:
			return nil, sqlerr.New(sqlerr.ServerShutdown, "Server shutdown in progress")
		}
		e.mu.Lock()
	}
}

// tryAcquire is one attempt; without a snapshot and an error, lag says what is
// waited for. floor is the newest batch that could be read when the reader came,
// 0 at the first attempt. Engine.mu is held.
func (e *Engine) tryAcquire(objects []*catalog.Table, after Position, floor *uint64) (s *snapshot, lag string, err error) {
	if after == Everything {
		after = Position(e.committed)
	}
	least, cut := e.timeline.Covering(uint64(max(after, e.opened)))
	if !cut {
		return nil, "the next cut of a batch", nil
	}
	if !slices.ContainsFunc(objects, func(t *catalog.Table) bool { return e.jobs[t.ID] != nil }) {
		// A transaction reads all its tables at the batch of its first read: one that
		// has just been made must be there.
		least = max(least, e.tablesFrom)
	}
	id := e.timeline.Durable()
	if id < least {
		return nil, fmt.Sprintf("the record of batch %d to reach the disk", least), nil
	}
	for _, t := range objects {
		if j := e.jobs[t.ID]; j != nil {
			if j.failed != nil {
				return nil, "", sqlerr.New(sqlerr.UnknownError, "Materialized view '%s.%s' has failed: %s", t.Database, t.Name, j.failed)
			}
			least = max(least, j.start)
			if n := j.next(); n <= id {
				id = n - 1
			}
			if id < least {
				return nil, e.lagOf(j), nil
			}
		} else if tb := e.tables[t.ID]; tb != nil {
			least = max(least, tb.start)
		}
	}
	for _, t := range objects {
		if j := e.jobs[t.ID]; j != nil {
			if im, _ := j.history.at(id); im == nil {
				j.wantSnapshot = true
				e.atRest(j)
			}
		}
	}
	if *floor == 0 {
		*floor = id
	}
	id, missing := e.commonBatch(objects, id, least)
	if missing == nil && id < *floor && e.tooOld(id, *floor) {
		// The views are busy with large batches: the next one's image is on its way.
		return nil, fmt.Sprintf("an image of batch %d or later", *floor), nil
	}
	if missing != nil {
		j := e.jobs[missing.ID]
		if j == nil {
			return nil, fmt.Sprintf("views that are far behind table '%s.%s'", missing.Database, missing.Name), nil
		}
		return nil, e.lagOf(j), nil
	}
	return e.holdImages(objects, id), "", nil
}

// freshWithin is how much older than what is applied an image may be that is read
// while newer ones are not taken, in µs.
const freshWithin = 100_000

// tooOld reports that batch id was cut too long before batch newest.
func (e *Engine) tooOld(id, newest uint64) bool {
	a, ok := e.timeline.Get(id)
	b, known := e.timeline.Get(newest)
	return ok && known && b.Time-a.Time > freshWithin
}

// acquireAt holds the images of a batch that a transaction has read at before.
func (e *Engine) acquireAt(objects []*catalog.Table, id uint64) (*snapshot, error) {
	if _, missing := e.commonBatch(objects, id, id); missing != nil {
		return nil, sqlerr.New(sqlerr.LockDeadlock, "'%s.%s' can no longer be read as of the transaction's first read; try restarting transaction", missing.Database, missing.Name)
	}
	return e.holdImages(objects, id), nil
}

func (e *Engine) holdImages(objects []*catalog.Table, id uint64) *snapshot {
	s := &snapshot{images: map[catalog.ID]*imageSet{}}
	s.cut, _ = e.timeline.Get(id)
	for _, t := range objects {
		if h := e.historyOf(t.ID); h != nil {
			im, _ := h.at(id)
			s.images[t.ID] = im.retain()
		}
	}
	return s
}

// commonBatch finds the newest batch from id down to least at which all objects
// have an image, or the object that has none.
func (e *Engine) commonBatch(objects []*catalog.Table, id, least uint64) (uint64, *catalog.Table) {
	for again := true; again; {
		again = false
		for _, t := range objects {
			h := e.historyOf(t.ID)
			if h == nil {
				continue
			}
			im, below := h.at(id)
			if im != nil {
				continue
			}
			if below < least || below == 0 {
				return 0, t
			}
			id, again = below, true
		}
	}
	return id, nil
}

// pin keeps the images of a batch for an open transaction.
func (e *Engine) pin(id uint64) {
	e.mu.Lock()
	e.pins[id]++
	e.mu.Unlock()
}

// unpin is the end of a transaction that read at id; 0: it did not read.
func (e *Engine) unpin(id uint64) {
	if id == 0 {
		return
	}
	e.mu.Lock()
	if e.pins[id]--; e.pins[id] == 0 {
		delete(e.pins, id)
	}
	e.mu.Unlock()
}

// rows counts the rows of all images.
func (s *snapshot) rows() int64 {
	var n int64
	for _, im := range s.images {
		n += im.rows()
	}
	return n
}

// historyOf returns the moments of a view or table; nil for what has none.
func (e *Engine) historyOf(id catalog.ID) moments {
	if j := e.jobs[id]; j != nil {
		return j.history
	}
	if t := e.tables[id]; t != nil {
		return t.history
	}
	return nil
}

func (e *Engine) lagOf(j *job) string {
	name := j.table.Database + "." + j.table.Name
	if j.filling {
		return fmt.Sprintf("materialized view '%s', which is being filled from history", name)
	}
	behind := len(j.pending) + len(j.inFlight)
	switch p := e.stillBehind(j); {
	case p == j:
		return fmt.Sprintf("materialized view '%s', which is paused and %d batches behind", name, behind)
	case p != nil:
		return fmt.Sprintf("materialized view '%s', which is %d batches behind: it reads '%s.%s', which is paused", name, behind, p.table.Database, p.table.Name)
	}
	return fmt.Sprintf("materialized view '%s', which is %d batches behind", name, behind)
}

// progressed wakes everyone who waits for a frontier. Engine.mu is held.
func (e *Engine) progressed() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// tableState is a base table at work: its rows, and recent images of them.
type tableState struct {
	*table.Table
	start   uint64  // the batch from which it can be read
	history moments // after the cuts that changed it
	seq     uint64  // while recovering: the commit group that the state is as of
	frozen  bool    // a checkpoint has it as of version changed
	changed uint64
}
