package engine

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"streamsql/catalog"
	"streamsql/engine/eventtime"
	"streamsql/engine/table"
	"streamsql/engine/timeline"
	"streamsql/operators"
	"streamsql/operators/state"
)

// frozen is what one job or table gives to a checkpoint round.
type frozen struct {
	id     catalog.ID
	state  uint64 // what it is called in checkpoints
	batch  uint64 // job: the state is that after this batch
	states []frozenState
	meta   savedMeta
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
	Version    int                        `json:"version"`
	Layouts    map[int]uint32             `json:"layouts,omitempty"`    // view: operators.StateVersion by node, where it is not 1
	Errors     []RowError                 `json:"errors,omitempty"`     // view
	Late       map[uint64]int64           `json:"late,omitempty"`       // view: late rows by stream
	Start      uint64                     `json:"start,omitempty"`      // view: the batch that holds its history
	Log        *savedLog                  `json:"log,omitempty"`        // view: its changelog
	Sink       *savedSink                 `json:"sink,omitempty"`       // sink: what it has delivered
	Table      table.Counters             `json:"table,omitzero"`       // table
	Watermarks map[uint64]int64           `json:"watermarks,omitempty"` // view: of the streams whose watermarks its plan names
	Clocks     map[uint64]eventtime.State `json:"clocks,omitempty"`     // engine: event time as of Cut
	Cut        *timeline.Cut              `json:"cut,omitempty"`        // engine: the last cut
	Seq        uint64                     `json:"seq,omitempty"`        // engine: every table is as of this commit group, which Cut covers
	Tasks      int                        `json:"tasks,omitempty"`      // engine: tasks per stage
	Upkeep     *savedUpkeep               `json:"upkeep,omitempty"`     // engine: of the commit log
}

// savedVersion is the version of savedMeta. A newer one is refused.
const savedVersion = 2

// handOver gives a frozen job to the round that waits for it. Engine.mu is held.
func (e *Engine) handOver(j *job, batchID uint64, states [][]*state.Delta) {
	f := frozen{id: j.id, state: j.table.StateID(), batch: batchID, meta: savedMeta{Errors: j.errorList(), Start: j.start, Late: maps.Clone(j.late.count)}}
	if j.sink != nil && j.sink.kind.Discards {
		f.meta.Sink = j.sink.saved()
	}
	for _, id := range j.knows {
		if w, ok := j.watermarks[id]; ok {
			if f.meta.Watermarks == nil {
				f.meta.Watermarks = map[uint64]int64{}
			}
			f.meta.Watermarks[id] = w
		}
	}
	for i, s := range j.flow.Stateful {
		f.states = append(f.states, frozenState{s.Node, s.Index, s.Operator, states[i]})
	}
	j.frozenAt, j.frozenOnce = batchID, true
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
	next := time.NewTimer(e.cfg.CheckpointEvery)
	defer next.Stop()
	soon := false
	for {
		select {
		case <-next.C:
		case <-e.filledNow:
			// A view that no checkpoint knows is filled anew after a crash, and what changed
			// in it before is forgotten: the next one comes soon.
			if !soon {
				soon = true
				next.Reset(e.cfg.CheckpointEvery / 10)
			}
			continue
		case <-e.stopping:
			return
		}
		soon = false
		start := time.Now()
		if err := e.checkpointRound(e.ctx); err != nil && !e.isStopping() {
			slog.Error("the checkpoint failed; the one before stays", "error", err)
		}
		next.Reset(max(e.cfg.CheckpointEvery-time.Since(start), (checkpointShare-1)*time.Duration(e.wrote.Load())))
	}
}

// checkpointShare: of so many parts of the time at most one is spent on writing
// checkpoints; waiting until views can be frozen costs nothing. A large state that
// changes everywhere is written less often, since each round writes all of it.
const checkpointShare = 4

func (e *Engine) isStopping() bool {
	select {
	case <-e.stopping:
		return true
	default:
		return e.ctx.Err() != nil
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
	cut    timeline.Cut
	clocks map[uint64]eventtime.State // as of cut
	upkeep *savedUpkeep               // as of cut
	least  uint64                     // the last commit group that changed a table
	seq    uint64                     // the tables are as of this one too
	parts  []frozen
	moved  map[catalog.ID]uint64 // unchanged jobs, whose batch moves on
}

// checkpointRound takes one checkpoint of all jobs and tables: each job picks its
// own batch, as soon as it can.
func (e *Engine) checkpointRound(ctx context.Context) error {
	select {
	case e.roundTurn <- struct{}{}:
		defer func() { <-e.roundTurn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := e.writable(); err != nil {
		return err
	}
	e.mu.Lock()
	strayed := e.strayed
	e.strayed = nil
	e.mu.Unlock()
	e.settle(strayed, false)
	r := &round{moved: map[catalog.ID]uint64{}}
	e.wrote.Store(0)
	begin := time.Now()
	done, err := e.freezeRound(ctx, r)
	frozen := time.Now()
	if err == nil && done {
		if err = e.awaitDurable(ctx, r.cut.ID); err == nil {
			err = e.awaitLate(ctx, r)
		}
		if err == nil {
			err = e.writeRound(r)
		}
		e.wrote.Store(int64(time.Since(frozen)))
		slog.Debug("checkpoint", "round", e.round, "parts", len(r.parts), "freezing", frozen.Sub(begin), "writing", time.Since(frozen), "error", err)
	}
	e.settle(r.parts, err == nil)
	return err
}

// settle lets go of what a round froze. Of what did not reach the disk it
// remembers the pages, and that the job or table must be in the next round.
func (e *Engine) settle(parts []frozen, written bool) {
	for _, p := range parts {
		for _, s := range p.states {
			for i, d := range s.deltas {
				st := s.operator.States()[i]
				if written {
					delete(e.unwritten, st)
				} else {
					pages := slices.Concat(e.unwritten[st], d.Changed, d.Freed)
					slices.Sort(pages)
					e.unwritten[st] = slices.Compact(pages)
				}
				d.Release()
			}
		}
		if written {
			continue
		}
		e.mu.Lock()
		if j := e.jobs[p.id]; j != nil {
			j.frozenOnce = false
		}
		if t := e.tables[p.id]; t != nil {
			t.frozen = false
		}
		e.mu.Unlock()
	}
}

// giveBack takes what was frozen for a round that is no more: the next one writes it.
func (e *Engine) giveBack(f frozen) {
	e.strayed = append(e.strayed, f)
}

// freezeRound freezes what changed; false if there is nothing to do.
func (e *Engine) freezeRound(ctx context.Context, r *round) (bool, error) {
	if err := e.withCommitter(ctx, func() { e.freezeTables(r) }); err != nil {
		return false, err
	}
	e.mu.Lock()
	parts := make(chan frozen, 1+len(e.jobs))
	waiting := map[catalog.ID]*job{}
	for _, j := range e.jobs {
		if j.failed == nil && !j.filling && (!j.frozenOnce || j.next() != never && !e.still(j) || j.lastApplied() > j.frozenAt) {
			waiting[j.id] = j
			j.freeze = func(f frozen) { parts <- f }
			e.atRest(j)
		}
	}
	hidden := e.upkeep.hide(e.cat.Load().Objects(), e.now(), e.timeline.Last().LogSeq)
	idle := !hidden && len(r.parts) == 0 && len(waiting) == 0 && e.manifest != nil &&
		e.timeline.Last().ID == e.manifestCut && e.Catalog().Version() == e.manifestCatalog
	e.mu.Unlock()
	if idle {
		return false, nil
	}
	patience := time.NewTimer(e.cfg.patience)
	defer patience.Stop()
	for n := len(waiting); n > 0; n-- {
		select {
		case f := <-parts:
			if f.states != nil {
				r.parts = append(r.parts, f)
			}
		case <-patience.C:
			// A batch that takes so long does not keep the others from being saved. The
			// job stays as the last checkpoint has it.
			e.giveUpFreezing(r, waiting, parts)
			n = 1
		case <-ctx.Done():
			e.giveUpFreezing(r, waiting, parts)
			return false, context.Cause(ctx)
		}
	}
	// The tables may be ahead of the last cut. What a restart finds cut must not
	// lie behind them, or their rows would be in the image of a batch too early.
	if err := e.await(ctx, func() bool { return e.timeline.Last().LogSeq >= r.least }); err != nil {
		return false, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r.cut, r.clocks, r.upkeep = e.timeline.Last(), e.clockStates(), e.upkeep.saved()
	r.seq = min(r.seq, r.cut.LogSeq)
	for _, j := range e.jobs {
		if j.failed == nil && j.frozenOnce && waiting[j.id] == nil && j.next() == never && j.lastApplied() <= j.frozenAt {
			r.moved[j.id] = r.cut.ID
		}
	}
	return true, nil
}

// giveUpFreezing takes the wish to be frozen back from the jobs of a round.
func (e *Engine) giveUpFreezing(r *round, waiting map[catalog.ID]*job, parts chan frozen) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, j := range waiting {
		j.freeze = nil
	}
	for len(parts) > 0 {
		if f := <-parts; f.states != nil {
			r.parts = append(r.parts, f)
		}
	}
}

// freezeTables freezes the tables that changed. The committer stands still.
func (e *Engine) freezeTables(r *round) {
	e.mu.Lock()
	r.seq, r.least = e.committed, e.tableSeq
	tables := make([]*tableState, 0, len(e.tables))
	for _, t := range e.tables {
		tables = append(tables, t)
	}
	e.mu.Unlock()
	for _, t := range tables {
		if t.frozen && t.changed == t.Version() {
			continue
		}
		t.frozen, t.changed = true, t.Version()
		op := t.State()
		s := frozenState{operator: op}
		for _, st := range op.States() {
			s.deltas = append(s.deltas, st.Checkpoint())
		}
		r.parts = append(r.parts, frozen{id: t.Desc.ID, state: t.Desc.StateID(), meta: savedMeta{Table: t.Counters()}, states: []frozenState{s}})
	}
}

// awaitDurable waits until the record of a cut is on disk: a checkpoint must not
// hold what the log of cuts does not.
func (e *Engine) awaitDurable(ctx context.Context, id uint64) error {
	return e.await(ctx, func() bool { return e.timeline.Durable() >= id })
}

// await waits until a condition holds, which is asked under Engine.mu after each progress.
func (e *Engine) await(ctx context.Context, holds func() bool) error {
	for {
		e.mu.Lock()
		ok, changed := holds(), e.changed
		e.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.stopping:
			return errStopping()
		}
	}
}

// lastApplied is the last batch that the job applied.
func (j *job) lastApplied() uint64 {
	if n := len(j.history); n > 0 {
		return j.history[n-1].id
	}
	return 0
}
