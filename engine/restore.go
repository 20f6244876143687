package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"streamsql/catalog"
	"streamsql/engine/checkpoint"
	"streamsql/engine/timeline"
	"streamsql/engine/topic"
	"streamsql/operators"
)

// restore makes everything that the catalog names, with the state of the newest
// checkpoint that verifies; without one, empty. It returns the last cut that the
// checkpoint knew.
func (e *Engine) restore() (timeline.Cut, error) {
	m, err := e.checkpoint.Latest()
	if errors.Is(err, checkpoint.ErrNone) {
		return e.restoreFrom(nil)
	}
	var cut timeline.Cut
	if err == nil {
		if cut, err = e.restoreFrom(m); err == nil {
			return cut, nil
		}
	}
	slog.Error("the newest checkpoint does not verify; the one before is taken", "error", err)
	e.reset()
	if m, err = e.checkpoint.Previous(); err != nil {
		return cut, fmt.Errorf("no checkpoint verifies: %w", err)
	}
	e.round = m.Round + 1 // the number of the one that does not verify is not given again
	return e.restoreFrom(m)
}

// reset throws away what a failed attempt made.
func (e *Engine) reset() {
	e.jobs, e.tables = map[catalog.ID]*job{}, map[catalog.ID]*tableState{}
	e.externals, e.readers = map[catalog.ID]*external{}, map[catalog.ID][]*job{}
}

func (e *Engine) restoreFrom(m *checkpoint.Manifest) (cut timeline.Cut, err error) {
	var seq uint64
	if m != nil {
		own, err := metaOf(m.Job(0))
		if err != nil {
			return cut, err
		}
		if own.Cut != nil {
			cut = *own.Cut
		}
		e.tasks = own.Tasks // the state is divided so, however many cores there are now
		seq = cut.LogSeq
		e.manifest, e.manifestCut, e.round = m, cut.ID, max(e.round, m.Round)
		e.recovered.Checkpoint = m.Round
	}
	for _, t := range e.cat.Load().Objects() {
		var saved *checkpoint.Job
		if m != nil {
			saved = m.Job(uint64(t.ID))
		}
		switch {
		case t.Kind == catalog.BaseTable:
			err = e.restoreTable(t, m, saved, seq)
		case t.Kind == catalog.MaterializedView && saved != nil:
			err = e.restoreView(t, m, saved)
		case t.Kind == catalog.StreamTable && t.Options["connector"] != "":
			e.externals[t.ID], err = e.openExternal(t)
		}
		if err != nil {
			return cut, fmt.Errorf("%s %s.%s: %w", t.Kind, t.Database, t.Name, err)
		}
	}
	return cut, nil
}

func metaOf(j *checkpoint.Job) (meta savedMeta, err error) {
	if j == nil {
		return meta, nil
	}
	if err := json.Unmarshal(j.Meta, &meta); err != nil {
		return meta, fmt.Errorf("%w: %w", checkpoint.ErrCorrupt, err)
	}
	if meta.Version > savedVersion {
		return meta, fmt.Errorf("the checkpoint was written by a newer release (version %d; this one knows up to %d)", meta.Version, savedVersion)
	}
	return meta, nil
}

// restoreTable makes a table's image. One that the checkpoint does not know was
// made after it: all its rows lie behind sequence seq.
func (e *Engine) restoreTable(t *catalog.Table, m *checkpoint.Manifest, saved *checkpoint.Job, seq uint64) error {
	ts, err := e.newTable(t)
	if err != nil {
		return err
	}
	ts.seq = seq
	meta, err := metaOf(saved)
	if err != nil {
		return err
	}
	if saved != nil {
		ts.seq = meta.Seq
		if err := e.loadStates(m, saved, 0, 0, ts.State()); err != nil {
			return err
		}
	}
	e.tables[t.ID] = ts
	return ts.Loaded(meta.Next)
}

func (e *Engine) restoreView(t *catalog.Table, m *checkpoint.Manifest, saved *checkpoint.Job) error {
	meta, err := metaOf(saved)
	if err != nil {
		return err
	}
	j, err := e.jobOf(t)
	if err != nil {
		return err
	}
	for _, s := range j.flow.Stateful {
		if err := e.loadStates(m, saved, s.Node, s.Index, s.Operator); err != nil {
			return err
		}
		if err := s.Operator.Rebuild(); err != nil {
			return err
		}
	}
	for i := range meta.Errors {
		x := meta.Errors[i]
		x.View = j.id
		j.rowErrors[rowErrorKey{x.Operator, x.Reason, x.Row}] = &x
	}
	err = e.checkpoint.LoadBlobs(m.Round, saved.ID, func(_ string, blob []byte) error { return j.loadChanges(blob) })
	if err != nil {
		return err
	}
	j.start, j.frozenAt, j.checkpointed, j.frozenOnce = saved.Batch, saved.Batch, saved.Batch, true
	j.history = j.history.add(moment{saved.Batch, newImageSet(j.flow.Images())}, e.pins)
	e.register(j)
	return nil
}

// loadChanges takes in the changelog that a checkpoint kept for the view's readers.
func (j *job) loadChanges(blob []byte) error {
	for len(blob) > 0 {
		b, n, err := topic.DecodeBlock(blob)
		if err != nil {
			return err
		}
		c, err := b.Chunk(nil)
		if err != nil {
			return err
		}
		if k := len(j.changes); k == 0 || j.changes[k-1].id != b.Seq {
			j.changes = append(j.changes, change{id: b.Seq})
		}
		last := &j.changes[len(j.changes)-1]
		last.chunks = append(last.chunks, c)
		blob = blob[n:]
	}
	return nil
}

// loadStates loads the pages of one operator of one task, and verifies them.
func (e *Engine) loadStates(m *checkpoint.Manifest, saved *checkpoint.Job, node, task int, op operators.Stateful) error {
	for i, st := range op.States() {
		want := findStore(saved, uint64(node), uint32(task), uint8(i))
		if want == nil {
			return fmt.Errorf("%w: store %d of operator %d, task %d, is not in it", checkpoint.ErrCorrupt, i, node, task)
		}
		err := e.checkpoint.LoadPages(m.Round, saved.ID, *want, st.Load)
		if err != nil {
			return err
		}
		st.FinishLoad()
		if uint64(st.Rows()) != want.Rows || st.Digest() != want.Hash {
			return fmt.Errorf("%w: store %d of operator %d, task %d, has %d rows where %d were written, or other ones",
				checkpoint.ErrCorrupt, i, node, task, st.Rows(), want.Rows)
		}
	}
	return nil
}

func findStore(j *checkpoint.Job, op uint64, part uint32, index uint8) *checkpoint.Store {
	for k := range j.Stores {
		if s := &j.Stores[k]; s.Op == op && s.Part == part && s.Index == index {
			return s
		}
	}
	return nil
}
