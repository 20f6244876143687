package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"streamsql/catalog"
	"streamsql/engine/checkpoint"
	"streamsql/engine/timeline"
	"streamsql/engine/topic"
	"streamsql/operators"
	"streamsql/operators/state"
)

// frozen is what one job or table gives to a checkpoint round.
type frozen struct {
	id      catalog.ID
	batch   uint64 // job: the state is that after this batch
	states  []frozenState
	meta    savedMeta
	changes []change // the changelog that readers' checkpoints do not have yet
}

// frozenState is the stores of one operator of one task.
type frozenState struct {
	node, task int
	operator   operators.Stateful
	deltas     []*state.Delta
}

// savedMeta is what a checkpoint holds of a job or table beside pages. The job
// with id 0 is the engine itself.
type savedMeta struct {
	Version int           `json:"version"`
	Errors  []RowError    `json:"errors,omitempty"` // view
	Start   uint64        `json:"start,omitempty"`  // view: the batch that holds its history
	Seq     uint64        `json:"seq,omitempty"`    // table: the state is that after this commit group
	Next    uint64        `json:"next,omitempty"`   // table: the next AUTO_INCREMENT value
	Cut     *timeline.Cut `json:"cut,omitempty"`    // engine: the last cut
	Tasks   int           `json:"tasks,omitempty"`  // engine: tasks per stage
}

// savedVersion is the version of savedMeta. A newer one is refused.
const savedVersion = 1

// changesBlob names the kept changelog of a view in a checkpoint.
const changesBlob = "changes"

// handOver gives a frozen job to the round that waits for it. Engine.mu is held.
func (e *Engine) handOver(j *job, batchID uint64, states [][]*state.Delta) {
	f := frozen{id: j.id, batch: batchID, meta: savedMeta{Errors: j.errorList(), Start: j.start}}
	for i, s := range j.flow.Stateful {
		f.states = append(f.states, frozenState{s.Node, s.Index, s.Operator, states[i]})
	}
	j.frozenAt, j.frozenOnce = batchID, true
	// A reader that was frozen in this round needs what came after; one that is yet
	// to be will have taken in at least all before its next batch.
	low := uint64(never)
	for _, r := range j.readers {
		if r.freeze != nil || r.filling {
			low = min(low, r.next())
		} else {
			low = min(low, r.frozenAt+1)
		}
	}
	for _, c := range j.changes {
		if c.id >= low && c.id <= batchID {
			f.changes = append(f.changes, c)
		}
	}
	freeze := j.freeze
	j.freeze, j.freezing = nil, false
	if freeze == nil { // the round was given up meanwhile
		freeze = e.giveBack
	}
	freeze(f)
}

// checkpointLoop takes checkpoints at intervals while something changes.
func (e *Engine) checkpointLoop() {
	defer e.loops.Done()
	tick := time.NewTicker(e.cfg.CheckpointEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-e.stopping:
			return
		}
		if err := e.checkpointRound(e.ctx); err != nil && e.ctx.Err() == nil {
			slog.Error("the checkpoint failed; the one before stays", "error", err)
		}
	}
}

// lastCheckpoint takes one before the engine stops, if that does not take long.
func (e *Engine) lastCheckpoint(limit time.Duration) {
	ctx, cancel := context.WithTimeout(e.ctx, limit)
	defer cancel()
	if err := e.checkpointRound(ctx); err != nil {
		slog.Info("stopped without a last checkpoint; the next start replays a little more", "reason", err)
	}
}

// round is one checkpoint being taken.
type round struct {
	cut   timeline.Cut
	parts []frozen
	moved map[catalog.ID]uint64 // unchanged jobs, whose batch moves on
}

// checkpointRound takes one checkpoint of all jobs and tables: each job picks its
// own batch, as soon as it can.
func (e *Engine) checkpointRound(ctx context.Context) error {
	e.roundMu.Lock()
	defer e.roundMu.Unlock()
	e.mu.Lock()
	strayed := e.strayed
	e.strayed = nil
	e.mu.Unlock()
	for _, p := range strayed {
		for _, s := range p.states {
			for i, d := range s.deltas {
				e.settle(s.operator.States()[i], d, false)
				d.Release()
			}
		}
	}
	r := &round{moved: map[catalog.ID]uint64{}}
	done, err := e.freezeRound(ctx, r)
	if err == nil && done {
		if err = e.awaitDurable(ctx, r.cut.ID); err == nil {
			err = e.writeRound(r)
		}
	}
	for _, p := range r.parts {
		for _, s := range p.states {
			for i, d := range s.deltas {
				e.settle(s.operator.States()[i], d, err == nil)
				d.Release()
			}
		}
	}
	return err
}

// settle remembers the pages of a delta that did not reach the disk: the next
// round writes them too.
func (e *Engine) settle(s *state.Store, d *state.Delta, written bool) {
	if written {
		delete(e.unwritten, s)
		return
	}
	e.unwritten[s] = slices.Concat(e.unwritten[s], d.Changed, d.Freed)
}

// giveBack takes what was frozen for a round that is no more: the next one writes it.
func (e *Engine) giveBack(f frozen) {
	e.strayed = append(e.strayed, f)
}

// freezeRound freezes what changed; false if there is nothing to do.
func (e *Engine) freezeRound(ctx context.Context, r *round) (bool, error) {
	if err := e.withCommitter(func() { r.parts = e.freezeTables() }); err != nil {
		return false, err
	}
	e.mu.Lock()
	parts := make(chan frozen, 1+len(e.jobs))
	waiting := map[catalog.ID]*job{}
	for _, j := range e.jobs {
		if j.failed == nil && !j.filling && (!j.frozenOnce || j.next() != never || j.lastApplied() > j.frozenAt) {
			waiting[j.id] = j
			j.freeze = func(f frozen) { parts <- f }
			e.atRest(j)
		}
	}
	idle := len(r.parts) == 0 && len(waiting) == 0 && e.manifest != nil &&
		e.timeline.Last().ID == e.manifestCut && e.Catalog().Version() == e.manifestCatalog
	e.mu.Unlock()
	if idle {
		return false, nil
	}
	for n := len(waiting); n > 0; n-- {
		select {
		case f := <-parts:
			if f.states != nil {
				r.parts = append(r.parts, f)
			}
		case <-ctx.Done():
			e.mu.Lock()
			for _, j := range waiting {
				j.freeze = nil
			}
			e.mu.Unlock()
			for len(parts) > 0 {
				r.parts = append(r.parts, <-parts)
			}
			return false, context.Cause(ctx)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r.cut = e.timeline.Last()
	for _, j := range e.jobs {
		if j.failed == nil && !j.filling && waiting[j.id] == nil && j.next() == never && j.lastApplied() <= j.frozenAt {
			r.moved[j.id] = r.cut.ID
		}
	}
	return true, nil
}

// freezeTables freezes the tables that changed. The committer stands still.
func (e *Engine) freezeTables() []frozen {
	seq := e.log.LastSeq()
	e.mu.Lock()
	tables := make([]*tableState, 0, len(e.tables))
	for _, t := range e.tables {
		tables = append(tables, t)
	}
	e.mu.Unlock()
	var out []frozen
	for _, t := range tables {
		if t.frozen && t.changed == t.Version() {
			continue
		}
		t.frozen, t.changed = true, t.Version()
		op := t.State()
		f := frozen{id: t.Desc.ID, meta: savedMeta{Seq: seq, Next: t.Next()}}
		s := frozenState{operator: op}
		for _, st := range op.States() {
			s.deltas = append(s.deltas, st.Checkpoint())
		}
		f.states = []frozenState{s}
		out = append(out, f)
	}
	return out
}

// awaitDurable waits until the record of a cut is on disk: a checkpoint must not
// hold what the log of cuts does not.
func (e *Engine) awaitDurable(ctx context.Context, id uint64) error {
	for {
		e.mu.Lock()
		ok, changed := e.timeline.Durable() >= id, e.changed
		e.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// writeRound writes pages, blobs and the manifest. What did not change since the
// last round is taken over from its manifest.
func (e *Engine) writeRound(r *round) error {
	version := e.Catalog().Version()
	var m checkpoint.Manifest
	old := e.manifest
	e.round++
	w, err := e.checkpoint.Begin(e.round)
	if err != nil {
		return err
	}
	defer w.Abort()
	written := map[uint64]bool{}
	for _, p := range r.parts {
		j, err := e.writePart(w, p)
		if err != nil {
			return err
		}
		m.Jobs = append(m.Jobs, *j)
		written[j.ID] = true
	}
	if old != nil {
		e.mu.Lock()
		for _, j := range old.Jobs {
			id := catalog.ID(j.ID)
			if written[j.ID] || e.jobs[id] == nil && e.tables[id] == nil {
				continue
			}
			if b, ok := r.moved[id]; ok {
				j.Batch = b
			}
			m.Jobs = append(m.Jobs, j)
		}
		e.mu.Unlock()
	}
	own, err := json.Marshal(savedMeta{Version: savedVersion, Cut: &r.cut, Tasks: e.tasks})
	if err != nil {
		return err
	}
	m.Jobs = append(m.Jobs, checkpoint.Job{ID: 0, Batch: r.cut.ID, Meta: own})
	if err := w.Commit(&m); err != nil {
		return err
	}
	e.mu.Lock()
	e.previous, e.manifest, e.manifestCut, e.manifestCatalog = old, &m, r.cut.ID, version
	for _, saved := range m.Jobs {
		if j := e.jobs[catalog.ID(saved.ID)]; j != nil {
			j.checkpointed = saved.Batch
		}
	}
	for _, j := range e.jobs {
		j.trimChanges()
	}
	e.mu.Unlock()
	return e.trimCuts()
}

func (e *Engine) writePart(w *checkpoint.Writer, p frozen) (*checkpoint.Job, error) {
	j := &checkpoint.Job{ID: uint64(p.id), Batch: p.batch}
	for _, s := range p.states {
		for i, d := range s.deltas {
			st := s.operator.States()[i]
			pages := slices.Concat(e.unwritten[st], d.Changed, d.Freed)
			slices.Sort(pages)
			err := w.PutPages(j.ID, uint64(s.node), uint32(s.task), uint8(i), func(yield func(uint64, []byte) bool) {
				for _, no := range slices.Compact(pages) {
					if !yield(no, d.Page(no)) {
						return
					}
				}
			})
			if err != nil {
				return nil, err
			}
			j.Stores = append(j.Stores, checkpoint.Store{
				Op: uint64(s.node), Part: uint32(s.task), Index: uint8(i), Rows: uint64(d.Len()), Hash: d.Hash(),
			})
		}
	}
	var blob []byte
	for _, c := range p.changes {
		for _, chunk := range c.chunks {
			blob = topic.EncodeBlock(blob, j.ID, 0, c.id, chunk)
		}
	}
	if err := w.PutBlob(j.ID, changesBlob, blob); err != nil {
		return nil, err
	}
	p.meta.Version = savedVersion
	meta, err := json.Marshal(p.meta)
	j.Meta = meta
	return j, err
}

// trimCuts removes the records that neither kept checkpoint needs.
func (e *Engine) trimCuts() error {
	if e.previous == nil {
		return nil
	}
	low := uint64(never)
	for _, m := range []*checkpoint.Manifest{e.previous, e.manifest} {
		for _, j := range m.Jobs {
			if e.isView(catalog.ID(j.ID)) || j.ID == 0 {
				low = min(low, j.Batch)
			}
		}
	}
	return e.cuts.TrimBefore(e.ctx, low)
}

func (e *Engine) isView(id catalog.ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.jobs[id] != nil
}

// lastApplied is the last batch that the job applied.
func (j *job) lastApplied() uint64 {
	if n := len(j.history); n > 0 {
		return j.history[n-1].id
	}
	return 0
}
