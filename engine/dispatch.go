package engine

import (
	"slices"
	"time"

	"streamsql/catalog"
	"streamsql/engine/task"
	"streamsql/engine/timeline"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/state"
)

// An image of the view is taken after each batch that is small, or of a view that
// is: then it makes few pages be copied. Else it is taken when a reader asks.
const (
	snapshotBatch = 1024  // rows of the batch
	snapshotView  = 32768 // rows of the view
)

// install makes the jobs that read something of a cut work on it. Engine.mu is held.
func (e *Engine) install(cut timeline.Cut, inputs []sourceInput, moved []catalog.ID, due []*job) {
	for _, j := range e.enqueue(cut, inputs, moved, due) {
		e.dispatch(j)
	}
}

// enqueue puts a cut before the jobs that read something of it, directly or
// through views, that know the watermark of a stream whose has moved, or that are
// due, and returns them. Engine.mu is held.
func (e *Engine) enqueue(cut timeline.Cut, inputs []sourceInput, moved []catalog.ID, due []*job) []*job {
	id := cut.ID
	batches := map[*job]*pendingBatch{}
	var touched []*job
	visit := func(j *job) *pendingBatch {
		p := batches[j]
		if p == nil {
			p = &pendingBatch{id: id, now: cut.Time, watermarks: cut.Watermarks}
			batches[j] = p
			touched = append(touched, j)
		}
		return p
	}
	for _, in := range inputs {
		for _, j := range e.readers[in.table] {
			if j.start < id {
				p := visit(j)
				p.direct = append(p.direct, in)
			}
		}
	}
	for _, m := range moved {
		due = append(due, e.timed[m]...)
	}
	for _, j := range due {
		if j.start < id && j.failed == nil {
			visit(j).alone = true
		}
	}
	if e.replaying {
		// A view whose checkpoint is ahead does not see the batch again, but its
		// readers do: from the changelog that it kept.
		for _, v := range e.jobs {
			if v.start >= id && v.replays(id) {
				for _, r := range v.readers {
					if r.start < id {
						visit(r)
					}
				}
			}
		}
	}
	for k := 0; k < len(touched); k++ {
		j := touched[k]
		for _, r := range j.readers {
			if r.start < id {
				visit(r)
			}
		}
		e.backlogged(j, batches[j])
		j.pending = append(j.pending, batches[j])
	}
	return touched
}

// dispatch sends the job's next batches on their way, as far as it may. Engine.mu is held.
func (e *Engine) dispatch(j *job) {
	for j.failed == nil && !j.filling && !j.table.Paused && !j.clogged() && len(j.pending) > 0 && len(j.inFlight) < maxInFlight && e.pausedFor(j) == nil {
		p := j.pending[0]
		for _, v := range j.views {
			if v.next() <= p.id {
				return // a view it reads has not finished this batch
			}
		}
		if p.inLog() || j.needsCold(p) {
			if !j.loading && e.ctx.Err() == nil {
				j.loading = true
				e.fills.Add(1)
				go e.load(j, p)
			}
			return
		}
		f := e.flight(j, p.id, p.now, p.watermarks)
		inputs := e.inputsOf(j, p, f)
		j.pending[0], j.pending = nil, j.pending[1:]
		j.backlog -= p.rows
		if f.rows == 0 && !p.alone {
			for _, v := range j.views {
				e.trimLog(v)
			}
			if len(j.pending) == 0 && len(j.inFlight) == 0 {
				e.atRest(j)
			}
			e.dispatchReaders(j)
			e.progressed()
			continue
		}
		f.info.Batch.Changes = j.collects(f.rows)
		f.info.Snapshot = f.rows <= snapshotBatch || j.wantSnapshot || j.rows <= snapshotView
		if f.info.Checkpoint = j.freeze != nil && !j.freezing; f.info.Checkpoint {
			j.freezing = true
		}
		e.send(j, f, inputs)
	}
}

func (e *Engine) dispatchReaders(j *job) {
	for _, r := range j.readers {
		e.dispatch(r)
	}
}

// flight makes the record of a batch that is about to go.
func (e *Engine) flight(j *job, id uint64, now int64, watermarks map[uint64]int64) *flight {
	f := &flight{id: id}
	f.due.Store(operators.Never)
	f.info = &task.Info{Tracker: j.flow.Tracker, Batch: operators.Batch{ID: id, Now: now, Watermarks: watermarks}}
	f.info.Batch.Fail = f.errors.add
	f.info.Batch.Late = f.late.add
	if j.table.LateRows != 0 {
		f.info.Batch.LateRows = f.late.keep
	}
	f.info.Applied = func(t *task.Task) { j.taskApplied(f, t) }
	f.images = make([]operators.Image, len(j.flow.Results))
	f.change = make([][]*batch.Chunk, len(j.flow.Results))
	f.states = make([][]*state.Delta, len(j.flow.Stateful))
	return f
}

// inputsOf gathers what each source of the job gets of batch p, and counts the rows.
func (e *Engine) inputsOf(j *job, p *pendingBatch, f *flight) []sourceInput {
	feeds := make([]sourceInput, len(j.flow.Sources))
	for i, s := range j.flow.Sources {
		id := catalog.ID(s.Table)
		if v := e.jobs[id]; v != nil {
			feeds[i].chunks = v.log.at(p.id)
			if cold, ok := p.cold[v]; ok {
				feeds[i].chunks = cold
			}
		}
		for _, in := range p.direct {
			if in.table == id {
				feeds[i] = in
			}
		}
		f.rows += feeds[i].rows()
	}
	return feeds
}

// send gives a batch to the tasks of the job's source stages. Engine.mu is held.
func (e *Engine) send(j *job, f *flight, feeds []sourceInput) {
	f.sent = time.Now()
	j.inFlight = append(j.inFlight, f)
	j.rowsIn += uint64(f.rows)
	tokens := j.flow.Open(f.info)
	for i, s := range j.flow.Sources {
		for k, c := range feeds[i].chunks {
			var o *task.Origin
			if feeds[i].origins != nil {
				o = feeds[i].origins[k]
			}
			s.SendOrigin(f.info, c, o)
		}
		var with sharers
		if len(feeds[i].to) > 0 {
			with = e.sharersOf(e.externals[feeds[i].table])
		}
		for part := range feeds[i].to {
			if from, to := feeds[i].from[part], feeds[i].to[part]; to > from {
				e.externals[feeds[i].table].send(s, f.info, part, from, to, feeds[i].before, with)
			}
		}
		s.End(f.info, tokens[i])
	}
}

// applied is told by the tracker that a batch went through all tasks of the job.
func (e *Engine) applied(j *job, id uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j.failed != nil {
		return
	}
	if len(j.inFlight) == 0 || j.inFlight[0].id != id {
		// Tasks apply batches in order, so that they complete in order.
		e.jobFailed(j, errOutOfOrder(id))
		return
	}
	f := j.inFlight[0]
	j.inFlight[0], j.inFlight = nil, j.inFlight[1:]
	j.batches++
	j.pace.note(f.rows, f.sent, time.Now())
	j.takeErrors(id, &f.errors)
	e.takeLate(j, id, &f.late)
	if err := j.intolerable(); err != nil {
		e.jobFailed(j, err)
		return
	}
	m := moment{id: id}
	if f.info.Snapshot {
		m.images = j.took(f.images)
		j.wantSnapshot = false
	}
	j.history = j.history.add(m, e.pins)
	j.watermarks = f.info.Batch.Watermarks
	e.setDue(j, id, f.due.Load())
	if f.info.Batch.Changes {
		j.log.add(id, f.info.Batch.Now, slices.Concat(f.change...))
	} else {
		j.log.skip(id, f.info.Batch.Now)
	}
	if s := j.sink; s != nil && s.kind.Discards {
		s.taken, s.came, s.went = id, s.came+uint64(f.came.Load()), s.went+uint64(f.went.Load())
	}
	e.trimLog(j)
	if f.info.Checkpoint {
		e.handOver(j, id, f.states)
	}
	// Operators remember the batch, and so the flight: not what was taken after it.
	f.images, f.change, f.states = nil, nil, nil
	if id == j.start {
		j.filling = false
		go j.letGo()()
		j.flow.Lend(nil)
		select {
		case e.filledNow <- struct{}{}:
		default:
		}
	}
	for _, v := range j.views {
		e.trimLog(v)
	}
	e.dispatch(j)
	if len(j.inFlight) == 0 && (len(j.pending) == 0 || e.still(j)) {
		e.atRest(j)
	}
	e.dispatchReaders(j)
	e.progressed()
	j.wakeSubscribers()
	e.deliverSoon(j)
	if j.hasRoom() {
		e.wakeCutter()
	}
}

// atRest does for a job without work what else would ride on its next batch.
// Its tasks are between batches, so that their state may be read here.
func (e *Engine) atRest(j *job) {
	if j.filling || j.failed != nil || len(j.inFlight) > 0 {
		return
	}
	if n := len(j.history); j.wantSnapshot && n > 0 && j.history[n-1].images == nil {
		j.history[n-1].images = j.took(j.flow.Images())
		j.wantSnapshot = false
	}
	if j.freeze != nil && len(j.history) > 0 {
		e.handOver(j, j.history[len(j.history)-1].id, j.flow.Freeze())
	}
}

func (e *Engine) now() int64 { return time.Now().UnixMicro() }
