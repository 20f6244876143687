package engine

import (
	"encoding/json"
	"log/slog"
	"slices"

	"streamsql/catalog"
	"streamsql/engine/checkpoint"
)

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
	at := map[catalog.ID]uint64{} // the batch of each job in the new checkpoint
	for _, p := range r.parts {
		at[p.id] = p.batch
	}
	if old != nil {
		e.mu.Lock()
		for _, j := range old.Jobs {
			id := catalog.OfState(j.ID)
			if _, frozen := at[id]; frozen || !e.alive(j.ID) {
				continue
			}
			if b, ok := r.moved[id]; ok {
				j.Batch = b
			}
			at[id] = j.Batch
			if err := e.deliveredSince(&j); err != nil {
				e.mu.Unlock()
				return err
			}
			m.Jobs = append(m.Jobs, j)
		}
		e.mu.Unlock()
	}
	logs := map[catalog.ID]logPart{}
	for _, p := range r.parts {
		part, isView := e.logPart(p, at)
		j, err := e.writePart(w, p, part)
		if err != nil {
			return err
		}
		m.Jobs = append(m.Jobs, *j)
		if isView {
			logs[p.id] = *part
		}
	}
	own, err := json.Marshal(savedMeta{Version: savedVersion, Cut: &r.cut, Seq: r.seq, Tasks: e.tasks, Clocks: r.clocks, Upkeep: r.upkeep})
	if err != nil {
		return err
	}
	m.Jobs = append(m.Jobs, checkpoint.Job{ID: 0, Batch: r.cut.ID, Meta: own})
	if err := w.Commit(&m); err != nil {
		return err
	}
	e.dropStale(e.previous, old, &m)
	e.mu.Lock()
	e.previous, e.manifest, e.manifestCut, e.manifestCatalog = old, &m, r.cut.ID, version
	e.upkeep.checkpointed(r.upkeep)
	for _, saved := range m.Jobs {
		if j := e.jobs[catalog.OfState(saved.ID)]; j != nil && j.table.StateID() == saved.ID {
			j.checkpointed = saved.Batch
			e.deliverSoon(j)
		}
	}
	for id, p := range logs {
		if j := e.jobs[id]; j != nil && j.failed == nil {
			j.log.written(p)
		}
	}
	for _, j := range e.jobs {
		e.trimLog(j)
	}
	e.mu.Unlock()
	if err := e.trimCuts(); err != nil {
		slog.Warn("old records of cuts could not be removed; the next round tries again", "error", err)
	}
	return nil
}

// deliveredSince brings what a manifest says of a sink's deliveries up to date, though its
// job rests: the log is not read again for what this checkpoint covers. Engine.mu is held.
func (e *Engine) deliveredSince(saved *checkpoint.Job) error {
	j := e.jobs[catalog.OfState(saved.ID)]
	if j == nil || j.failed != nil || j.sink == nil || j.sink.kind.Discards {
		return nil
	}
	meta, err := metaOf(saved)
	if err != nil || meta.Sink != nil && meta.Sink.Taken == j.sink.taken {
		return err
	}
	meta.Sink = j.sink.saved()
	saved.Meta, err = json.Marshal(meta)
	return err
}

// alive says that a job or table is still to be kept. One that has failed is not:
// the next start fills it anew; but for one whose saved state cannot be had again.
// Engine.mu is held.
func (e *Engine) alive(state uint64) bool {
	id := catalog.OfState(state)
	j := e.jobs[id]
	return j != nil && (j.failed == nil || j.outdated) && j.table.StateID() == state || e.tables[id] != nil
}

// dropStale lets the checkpoint store forget the jobs of a manifest that is no
// longer kept, if neither of the kept ones names them.
func (e *Engine) dropStale(gone, previous, newest *checkpoint.Manifest) {
	if gone == nil {
		return
	}
	for _, j := range gone.Jobs {
		if newest.Job(j.ID) == nil && (previous == nil || previous.Job(j.ID) == nil) {
			e.checkpoint.DropJob(j.ID)
		}
	}
}

// logPart is what the round writes of a view's changelog. at are the batches of the
// views in the new checkpoint: a reader goes on from there.
func (e *Engine) logPart(p frozen, at map[catalog.ID]uint64) (*logPart, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[p.id]; j != nil && j.table.StateID() == p.state {
		need := uint64(never)
		for _, r := range j.readers {
			need = min(need, at[r.id]+1)
		}
		if s := j.sink; s != nil && !s.kind.Discards {
			need = min(need, s.taken+1)
		}
		part := j.log.part(p.batch, need)
		if j.sink != nil && p.meta.Sink == nil { // as of now: what it has by now is safe
			part.sink = j.sink.saved()
		}
		return &part, true
	}
	return &logPart{}, false
}

// writePart writes the pages of one job or table, and what there is beside them.
func (e *Engine) writePart(w *checkpoint.Writer, p frozen, log *logPart) (*checkpoint.Job, error) {
	j := &checkpoint.Job{ID: p.state, Batch: p.batch}
	for _, s := range p.states {
		p.meta.layout(s.node, s.operator)
		for i, d := range s.deltas {
			st := s.operator.States()[i]
			pages := slices.Concat(e.unwritten[st], d.Changed, d.Freed)
			slices.Sort(pages)
			pages = slices.Compact(pages)
			err := w.PutPages(j.ID, uint64(s.node), uint32(s.task), uint8(i), func(yield func(uint64, []byte) bool) {
				for _, no := range pages {
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
	if err := log.put(w, j.ID); err != nil {
		return nil, err
	}
	p.meta.Log = &log.saved
	if log.sink != nil {
		p.meta.Sink = log.sink
	}
	p.meta.Version = savedVersion
	meta, err := json.Marshal(p.meta)
	j.Meta = meta
	return j, err
}

// trimCuts removes the records that neither kept checkpoint needs, and that are
// too old for a query AS OF them.
func (e *Engine) trimCuts() error {
	if e.previous == nil {
		return nil
	}
	e.mu.Lock()
	low := e.timeline.Last().ID
	e.mu.Unlock()
	low -= min(low, e.cfg.keepCuts)
	for _, m := range []*checkpoint.Manifest{e.previous, e.manifest} {
		for _, j := range m.Jobs {
			if e.isView(catalog.OfState(j.ID)) || j.ID == 0 {
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
