package engine

import (
	"encoding/json"
	"log/slog"
	"slices"

	"streamsql/catalog"
	"streamsql/engine/checkpoint"
	"streamsql/engine/topic"
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
			id := catalog.ID(j.ID)
			if _, frozen := at[id]; frozen || !e.alive(id) {
				continue
			}
			if b, ok := r.moved[id]; ok {
				j.Batch = b
			}
			at[id] = j.Batch
			m.Jobs = append(m.Jobs, j)
		}
		e.mu.Unlock()
	}
	for _, p := range r.parts {
		j, err := e.writePart(w, p, e.changesFor(p, at))
		if err != nil {
			return err
		}
		m.Jobs = append(m.Jobs, *j)
	}
	own, err := json.Marshal(savedMeta{Version: savedVersion, Cut: &r.cut, Seq: r.seq, Tasks: e.tasks, Clocks: r.clocks})
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
	for _, saved := range m.Jobs {
		if j := e.jobs[catalog.ID(saved.ID)]; j != nil {
			j.checkpointed = saved.Batch
		}
	}
	for _, j := range e.jobs {
		j.trimChanges()
	}
	e.mu.Unlock()
	if err := e.trimCuts(); err != nil {
		slog.Warn("old records of cuts could not be removed; the next round tries again", "error", err)
	}
	return nil
}

// alive says that a job or table is still to be kept. One that has failed is not:
// the next start fills it anew. Engine.mu is held.
func (e *Engine) alive(id catalog.ID) bool {
	j := e.jobs[id]
	return j != nil && j.failed == nil || e.tables[id] != nil
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

// changesFor is the changelog of a view up to its batch that the readers do not
// have yet, which the new checkpoint has at earlier batches. It is still there:
// only what the last checkpoint's readers have is forgotten.
func (e *Engine) changesFor(p frozen, at map[catalog.ID]uint64) []change {
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[p.id]
	if j == nil {
		return nil
	}
	low := uint64(never)
	for _, r := range j.readers {
		if b, saved := at[r.id]; saved {
			low = min(low, b+1)
		}
	}
	var out []change
	for _, c := range j.changes {
		if c.id >= low && c.id <= p.batch {
			out = append(out, c)
		}
	}
	return out
}

// writePart writes the pages of one job or table, and what there is beside them.
func (e *Engine) writePart(w *checkpoint.Writer, p frozen, changes []change) (*checkpoint.Job, error) {
	j := &checkpoint.Job{ID: uint64(p.id), Batch: p.batch}
	for _, s := range p.states {
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
	var blob []byte
	for _, c := range changes {
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
