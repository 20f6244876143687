package engine

import (
	"context"
	"log/slog"

	"streamsql/catalog"
	"streamsql/engine/cutlog"
	"streamsql/engine/timeline"
	"streamsql/engine/topic"
)

// maxBatchRows bounds a batch that is cut from the log: reaching it makes the
// next cut, a single larger transaction goes whole.
const maxBatchRows = 128 * 1024

// maxUnrecorded bounds how many cuts wait for their records to be durable.
const maxUnrecorded = 1024

// commitGroup is what one group of the commit log brings, until it is cut.
type commitGroup struct {
	seq    uint64
	rows   int
	inputs []sourceInput
	images map[catalog.ID]*imageSet // of the tables it changed, after it
	taken  []stamped                // blocks of streams with event time
}

// committed is called by the log for each durable group, in order. It takes the
// images of tables right here: their committer waits for this group, so their
// rows are as of it.
func (e *Engine) onCommit(seq uint64, g *topic.Group) {
	cg := commitGroup{seq: seq, images: map[catalog.ID]*imageSet{}}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, tx := range g.Txs {
		for _, b := range tx.Blocks {
			e.noteInto(b)
			c, err := e.chunk(b, nil)
			if err != nil { // the live chunk: there is nothing to decode
				slog.Error("a block that was just written cannot be read", "table", b.Table, "error", err)
				continue
			}
			cg.rows += c.N
			cg.inputs = addInput(cg.inputs, catalog.ID(b.Table), c, e.originOf(seq, b))
			if s, ok := e.stampOf(b); ok {
				cg.taken = append(cg.taken, s)
			}
			t := e.tables[catalog.ID(b.Table)]
			if t == nil {
				continue
			}
			e.tableSeq = seq
			if cg.images[t.Desc.ID] == nil {
				cg.images[t.Desc.ID] = newImageSet(t.Snapshot())
			}
		}
	}
	e.groups = append(e.groups, cg)
	e.uncut += cg.rows
	e.committed = seq
	e.wakeCutter()
}

// wakeCutter makes the cutter look again.
func (e *Engine) wakeCutter() {
	select {
	case e.cutNow <- struct{}{}:
	default:
	}
}

// cutLoop cuts batches until the engine stops. Idle, a commit is cut at once;
// under load the cuts wait for the jobs, and batches grow.
func (e *Engine) cutLoop() {
	defer e.loops.Done()
	for {
		select {
		case <-e.cutNow:
		case <-e.stopping:
			return
		}
		for e.lookAhead(); e.cutOnce(); e.lookAhead() {
		}
	}
}

// cutOnce makes one cut if one is due. It reports whether to look again at once.
func (e *Engine) cutOnce() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.holds > 0 || len(e.recording) > maxUnrecorded {
		return false // who ends the hold, or makes a record durable, wakes the cutter
	}
	inputs, offsets, taken := []sourceInput(nil), e.externalOffsets(), []stamped(nil)
	if !e.full.Load() {
		inputs, offsets, taken = e.externalDue()
	}
	n, rows, most := 0, 0, maxBatchRows
	for n < len(e.groups) && (rows == 0 || rows+e.groups[n].rows <= most) {
		rows += e.groups[n].rows
		for _, in := range e.groups[n].inputs {
			most = e.batchRows(in.table, most)
		}
		n++
	}
	if n > 0 && !e.anyRoom(e.groups[:n]) && e.uncutRows() < e.cfg.BacklogRows {
		n = 0 // whoever finishes a batch wakes the cutter
	}
	now := max(e.now(), e.timeline.Last().Time)
	if n == 0 && len(inputs) == 0 && !e.momentDue(now) {
		return false
	}
	seq := e.timeline.Last().LogSeq
	images := map[catalog.ID]*imageSet{}
	for _, g := range e.groups[:n] {
		seq = g.seq
		for _, in := range g.inputs {
			for i, c := range in.chunks {
				inputs = addInput(inputs, in.table, c, in.origins[i])
			}
		}
		taken = append(taken, g.taken...)
		for id, im := range g.images {
			images[id].release()
			images[id] = im
		}
	}
	e.groups = append([]commitGroup(nil), e.groups[n:]...)
	e.uncut -= rows
	cut := e.timeline.Next(seq, now, offsets)
	moved, due := e.record(cut, taken, stampsOf(inputs))
	for id, im := range images {
		if t := e.tables[id]; t != nil {
			t.history = t.history.add(moment{cut.ID, im}, e.pins)
		} else {
			im.release() // dropped meanwhile
		}
	}
	e.install(e.timeline.Last(), inputs, moved, due)
	e.progressed()
	return true
}

// anyRoom reports whether a reader of the groups can take a batch, or nobody
// reads them. One that is behind does not hold back the others: its batches queue.
func (e *Engine) anyRoom(groups []commitGroup) bool {
	readers := false
	for _, g := range groups {
		for _, in := range g.inputs {
			for _, j := range e.readers[in.table] {
				if j.hasRoom() {
					return true
				}
				readers = readers || j.failed == nil && !j.filling && !j.table.Paused
			}
		}
	}
	return !readers
}

// record moves event time on, adds a cut to the timeline, and writes it to the
// log of cuts; computing goes on meanwhile. It returns the streams whose
// watermarks moved and the jobs that are due. Engine.mu is held.
func (e *Engine) record(c timeline.Cut, taken []stamped, stamps map[uint64][]int64) (moved []catalog.ID, due []*job) {
	r := &cutlog.Record{ID: c.ID, LogSeq: c.LogSeq, Time: c.Time, Offsets: c.Offsets, Stamps: stamps}
	moved, c.Watermarks = e.advance(r, taken)
	due = e.takeDue(c.ID, c.Time)
	for _, j := range due {
		r.Timers = append(r.Timers, cutlog.Timer{Owner: uint64(j.id), Due: j.due})
	}
	e.timeline.Add(c)
	e.recording <- recordedCut{c.ID, e.cuts.Append(r)}
	return moved, due
}

// recordedCut is a cut whose record is on its way to disk.
type recordedCut struct {
	id   uint64
	done <-chan error
}

// recordLoop makes cuts visible once their records are durable, in order.
func (e *Engine) recordLoop() {
	defer close(e.recorded)
	for r := range e.recording {
		if err := <-r.done; err != nil {
			e.fatal("the log of cuts cannot be written", err)
			continue
		}
		e.mu.Lock()
		e.timeline.SetDurable(r.id)
		e.progressed()
		e.wakeSubscribers()
		e.deliverAll()
		e.mu.Unlock()
		if len(e.recording) == maxUnrecorded {
			e.wakeCutter()
		}
	}
}

// hold stops cutting until the returned function is called, and waits until
// the given views have taken in what was cut. The engine stands still at one batch then.
func (e *Engine) hold(ctx context.Context, settle []*job) (last timeline.Cut, release func(), err error) {
	none := func(is func(*job) bool) func() bool {
		return func() bool {
			for _, j := range settle {
				if j.failed == nil && is(j) {
					return false
				}
			}
			return true
		}
	}
	// Filling may take long; cutting goes on meanwhile.
	if err := e.await(ctx, none(func(j *job) bool { return j.filling })); err != nil {
		return last, nil, err
	}
	e.mu.Lock()
	e.holds++
	e.mu.Unlock()
	release = func() {
		e.mu.Lock()
		e.holds--
		e.mu.Unlock()
		e.wakeCutter()
	}
	if err := e.await(ctx, none(func(j *job) bool { return j.next() != never })); err != nil {
		release()
		return last, nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.timeline.Last(), release, nil
}
