package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"streamsql/catalog"
	"streamsql/engine/checkpoint"
	"streamsql/engine/eventtime"
	"streamsql/engine/timeline"
	"streamsql/operators"
	"streamsql/operators/account"
)

// restore makes everything that the catalog names, with the state of the newest
// checkpoint that verifies; without one, empty: recovery then reads all of the
// log. It returns the last cut that the checkpoint knew.
func (e *Engine) restore() (timeline.Cut, error) {
	for {
		m, err := e.checkpoint.Latest()
		if errors.Is(err, checkpoint.ErrNone) {
			e.round = max(e.round, e.checkpoint.NewestRound())
			return e.restoreFrom(nil)
		}
		if err == nil {
			var cut timeline.Cut
			if cut, err = e.restoreFrom(m); err == nil {
				return cut, nil
			}
		}
		if !errors.Is(err, checkpoint.ErrCorrupt) {
			return timeline.Cut{}, err
		}
		slog.Error("the newest checkpoint does not verify; the one before is taken, or else all of the log", "error", err)
		e.round = max(e.round, e.checkpoint.NewestRound())
		e.checkpoint.Deny()
		e.reset()
	}
}

// reset throws away what a failed attempt made.
func (e *Engine) reset() {
	for _, j := range e.jobs {
		j.history.releaseAll()
		j.account.Close()
		for _, x := range j.held {
			x.release()
		}
	}
	for _, t := range e.tables {
		t.Close()
	}
	for _, x := range e.externals {
		x.release()
	}
	e.jobs, e.tables = map[catalog.ID]*job{}, map[catalog.ID]*tableState{}
	e.externals, e.readers, e.aligned = map[catalog.ID]*external{}, map[catalog.ID][]*job{}, nil
	e.sinks = map[catalog.ID]*job{}
	e.timed, e.streams.of = map[catalog.ID][]*job{}, map[catalog.ID]*stream{}
	e.manifest, e.manifestCut, e.recovered.Checkpoint = nil, 0, 0
	e.upkeep.restore(nil)
}

func (e *Engine) restoreFrom(m *checkpoint.Manifest) (cut timeline.Cut, err error) {
	var seq uint64
	var own savedMeta
	if m != nil {
		own, err = metaOf(m.Job(0))
		if err != nil {
			return cut, err
		}
		if own.Cut == nil || own.Tasks <= 0 {
			return cut, fmt.Errorf("checkpoint %d: %w: it does not say which cut it is of", m.Round, checkpoint.ErrCorrupt)
		}
		cut, seq = *own.Cut, own.Seq
		e.upkeep.restore(own.Upkeep)
		e.tasks = own.Tasks // the state is divided so, however many cores there are now
		e.manifest, e.manifestCut, e.round = m, cut.ID, max(e.round, m.Round)
		e.recovered.Checkpoint = m.Round
	}
	for _, t := range e.cat.Load().Objects() { // views ask them
		if t.Kind == catalog.DimensionTable {
			d, err := e.openDimension(t)
			if err != nil {
				return cut, fmt.Errorf("%s %s.%s: %w", t.Kind, t.Database, t.Name, err)
			}
			e.dimensions.Store(t.ID, d)
		}
	}
	for _, t := range append([]*catalog.Table{writersTable()}, catalog.InOrder(e.cat.Load().Objects())...) {
		var saved *checkpoint.Job
		if m != nil {
			saved = m.Job(t.StateID())
		}
		switch {
		case t.Kind == catalog.BaseTable:
			err = e.restoreTable(t, m, saved, seq)
		case t.Continuous() && saved != nil:
			err = e.restoreView(t, m, saved)
		case t.Kind == catalog.StreamTable && t.Options["connector"] != "":
			e.aligned = nil
			if e.externals[t.ID], err = e.openExternal(t); err == nil {
				e.restoreStream(newStream(t, len(e.externals[t.ID].offsets)), own.Clocks)
			}
		case t.Kind == catalog.StreamTable:
			e.restoreStream(newStream(t, t.PartitionCount()), own.Clocks)
			if t.Upsert() {
				err = e.restoreTable(t, m, saved, seq)
			}
		}
		if err != nil {
			return cut, fmt.Errorf("%s %s.%s: %w", t.Kind, t.Database, t.Name, err)
		}
	}
	return cut, nil
}

// restoreStream makes a stream known, with its clock as a checkpoint has it.
func (e *Engine) restoreStream(s *stream, clocks map[uint64]eventtime.State) {
	if c, ok := clocks[uint64(s.table.ID)]; ok && s.clock != nil {
		s.clock.Restore(c)
	}
	e.streams.of[s.table.ID] = s
	e.knowGrowth(s.table)
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

// restoreTable makes a table's image as of commit group seq. One that the
// checkpoint does not know was made after it: all its rows lie behind that.
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
		if err := e.loadStates(m, saved, 0, 0, ts.State()); err != nil {
			return err
		}
	}
	e.tables[t.ID] = ts
	e.knowGrowth(t)
	return ts.Loaded(meta.Table)
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
	if e.readsUnknown(j) {
		return nil // it is filled anew, after what it reads
	}
	if j.failed == nil && !meta.fits(j) && e.outdated(j) {
		return nil
	}
	if j.failed != nil {
		j.start = never
		e.register(j)
		return nil
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
	j.log.restore(meta.Log, saved.Batch)
	if meta.Version < 2 {
		err = e.checkpoint.LoadBlobs(m.Round, saved.ID, func(_ string, blob []byte) error { return j.log.restoreOld(blob) })
		if err != nil {
			return err
		}
	}
	j.watermarks, j.late.count = meta.Watermarks, meta.Late
	j.sink.restore(meta.Sink)
	j.start, j.frozenAt, j.checkpointed, j.frozenOnce = saved.Batch, saved.Batch, saved.Batch, true
	j.history = j.history.add(moment{saved.Batch, j.took(j.flow.Images())}, e.pins)
	e.register(j)
	return nil
}

// readsUnknown reports that a job reads a view which was not restored.
func (e *Engine) readsUnknown(j *job) bool {
	for _, s := range j.flow.Sources {
		id := catalog.ID(s.Table)
		if t, ok := e.cat.Load().TableByID(id); ok && t.Kind == catalog.MaterializedView && e.jobs[id] == nil {
			return true
		}
	}
	return false
}

// loadStates loads the pages of one operator of one task, and verifies them.
func (e *Engine) loadStates(m *checkpoint.Manifest, saved *checkpoint.Job, node, task int, op operators.Stateful) error {
	for i, st := range op.States() {
		want := findStore(saved, uint64(node), uint32(task), uint8(i))
		if want == nil {
			return fmt.Errorf("%w: store %d of operator %d, task %d, is not in it", checkpoint.ErrCorrupt, i, node, task)
		}
		err := e.checkpoint.LoadPages(m.Round, saved.ID, *want, func(no uint64, data []byte) error {
			err := st.Load(no, data)
			if err != nil && !errors.Is(err, account.ErrCap) {
				err = fmt.Errorf("%w: %w", checkpoint.ErrCorrupt, err)
			}
			return err
		})
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
