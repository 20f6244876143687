package engine

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"streamsql/catalog"
	"streamsql/engine/eventtime"
	"streamsql/engine/task"
	"streamsql/operators/connector"
	"streamsql/sql/sqlerr"
)

// externalBatchRows bounds what one batch takes of one partition of an external source.
const externalBatchRows = 64 * 1024

// external is a stream table that a connector feeds.
type external struct {
	table   *catalog.Table
	source  connector.Source
	offsets []uint64 // next, per partition; all before are cut
	// reading is the CPU time that the connector took for rows, in ns, per partition.
	reading []atomic.Int64
	// With event time, the cutter's own: per partition what was looked at, and that
	// it is to be read on.
	ahead []ahead
	due   bool

	pieces  *pieces   // what several views read
	spare   sync.Pool // chunks that were read, for one view, and are done with
	holders atomic.Int32
	taken   time.Time   // when the last batch took something
	few     bool        // that batch was small
	alarm   *time.Timer // wakes the cutter, see wakeFor; nil: none is set
	rings   time.Time   // when it does
}

// openExternal opens a stream's connector.
func (e *Engine) openExternal(t *catalog.Table) (*external, error) {
	kind, err := e.connectors.Kind(t.Options["connector"])
	if err != nil {
		return nil, err
	}
	values, err := e.optionValues(kind, t.Options, "idle_timeout")
	if err != nil {
		return nil, err
	}
	cols := make([]connector.Column, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = connector.Column{Name: c.Name, Type: c.Type}
	}
	if kind.Source == nil {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Connector '%s' cannot be read from", kind.Name)
	}
	src, err := kind.Source(cols, values)
	if err != nil {
		return nil, err
	}
	n := src.Partitions()
	x := &external{table: t, source: src, offsets: make([]uint64, n), reading: make([]atomic.Int64, n), ahead: make([]ahead, n),
		pieces: newPieces(e.account, e.cfg.Memory/32)}
	return x.hold(), nil
}

// prepareExternal opens the connector of a new stream.
func (e *Engine) prepareExternal(t *catalog.Table) (func(bool), error) {
	x, err := e.openExternal(t)
	if err != nil {
		return nil, err
	}
	return func(yes bool) {
		if !yes {
			x.release()
			return
		}
		e.addStream(newStream(t, len(x.offsets)))
		e.mu.Lock()
		defer e.mu.Unlock()
		e.externals[t.ID], e.aligned = x, nil
		e.wakeCutter()
	}, nil
}

// send feeds a range of a partition to one of those who read it at the moment.
// before are the partitions' watermarks before the range; nil: it is the beginning,
// or there are none.
func (x *external) send(s *task.Source, info *task.Info, part int, from, to uint64, before []int64, with sharers) {
	o := &task.Origin{First: externalArrival(part, from), Time: -1}
	if w := x.table.EventTime; w != nil {
		o.Time, o.Delay = w.Column, w.Delay
		if before != nil && before[part] != eventtime.None {
			o.Before, o.Known = before[part], true
		}
	}
	if with.n < 2 {
		with.want = s.Needs(o.Time)
	}
	r := &reading{x: x, part: part, from: from, to: to, with: with, origin: o}
	s.SendOriginRows(info, r.rows, r.reuse)
}

// feedExternal feeds all that a snapshot has of a stream with a connector; no: s is
// something else, or was dropped meanwhile.
func (e *Engine) feedExternal(s *task.Source, info *task.Info, snap *snapshot) bool {
	e.mu.Lock()
	x := e.externals[catalog.ID(s.Table)]
	if x != nil {
		snap.held = append(snap.held, x.hold())
	}
	e.mu.Unlock()
	if x == nil {
		return false
	}
	for part, to := range snap.cut.Offsets[s.Table] {
		x.send(s, info, part, 0, to, nil, sharers{})
	}
	return true
}

func errText(err error) string {
	if err == nil {
		return "rows are missing"
	}
	return err.Error()
}

// pollEvery is how often a source without rows, or with few, is asked again. Asked as
// soon as there is room, a source whose rows come one by one would fill a core with
// batches of some rows each.
const pollEvery = 5 * time.Millisecond

// externalDue takes what sources have for a batch, if a reader has room for it.
// It returns the inputs, for the record the next offsets of every source, and
// what event time is to take in. Engine.mu is held.
func (e *Engine) externalDue() (inputs []sourceInput, offsets map[uint64][]uint64, taken []stamped) {
	if len(e.externals) == 0 {
		return nil, nil, nil
	}
	if e.sourcesStopped {
		return nil, e.externalOffsets(), nil
	}
	poll := false
	offsets = map[uint64][]uint64{}
	for id, x := range e.externals {
		next := append([]uint64(nil), x.offsets...)
		in := sourceInput{table: id, from: x.offsets, to: next}
		more := false
		switch {
		case x.table.EventTime != nil && x.due:
			var t []stamped
			in.before, t, more = e.takeAhead(id, x, next)
			taken = append(taken, t...)
		case x.table.EventTime == nil && !e.resting(x) && e.wanted(id):
			more = e.takeLatest(x, next)
		}
		if in.rows() > 0 {
			inputs = append(inputs, in)
		}
		poll = poll || more
		offsets[uint64(id)] = next
	}
	if len(inputs) == 0 {
		if poll {
			time.AfterFunc(pollEvery, e.wakeCutter)
		}
		return nil, e.externalOffsets(), nil
	}
	for id, next := range offsets {
		e.externals[catalog.ID(id)].offsets = next
	}
	rows := 0
	for _, in := range inputs {
		rows += in.rows()
	}
	for _, in := range inputs {
		x := e.externals[in.table]
		x.taken, x.few = time.Now(), rows < leastBatchRows
	}
	return inputs, offsets, taken
}

// takeLatest moves next on to what the partitions have; poll: there may be more later.
func (e *Engine) takeLatest(x *external, next []uint64) (poll bool) {
	now := time.Now()
	most := uint64(e.batchRows(x.table.ID, externalBatchRows*len(next))/len(next)) + 1
	for p := range next {
		latest, end, err := x.source.Latest(e.ctx, p, connector.Offset(next[p]), now)
		if err != nil {
			slog.Warn("a source cannot say how far it is", "stream", x.table.Name, "error", err)
			continue
		}
		if uint64(latest) > next[p] {
			next[p] += min(uint64(latest)-next[p], most)
		} else if !end {
			poll = true
		}
	}
	return poll
}

// externalOffsets is where every source stands.
func (e *Engine) externalOffsets() map[uint64][]uint64 {
	offsets := map[uint64][]uint64{}
	for id, x := range e.externals {
		offsets[uint64(id)] = x.offsets
	}
	return offsets
}

// Views that read a source together read each row once. So one that is ahead waits
// for those that are near, but not long, and not for those that cannot keep up.
const (
	nearBatches  = 8 // behind what a view may have before it
	waitForOther = 100 * time.Millisecond
)

// wanted reports that somebody reads the source and has room for a batch, and
// that nobody is to be waited for. Engine.mu is held.
func (e *Engine) wanted(id catalog.ID) bool {
	room, near := false, false
	for _, j := range e.readers[id] {
		switch {
		case j.hasRoom():
			room = true
		case j.keepsUp():
			near = near || len(j.inFlight)+len(j.pending) < maxInFlight+nearBatches
		}
	}
	if !room || !near {
		return room
	}
	x := e.externals[id]
	left := waitForOther - time.Since(x.taken)
	e.wakeFor(x, left)
	return left <= 0
}

// resting reports a source that had few rows a moment ago. Engine.mu is held.
func (e *Engine) resting(x *external) bool {
	if !x.few {
		return false
	}
	left := pollEvery - time.Since(x.taken)
	e.wakeFor(x, left)
	return left > 0
}

// wakeFor makes the cutter look at a source again after a time, if it does not
// before. Engine.mu is held.
func (e *Engine) wakeFor(x *external, left time.Duration) {
	at := time.Now().Add(left)
	switch {
	case left <= 0:
	case x.alarm == nil:
		x.rings = at
		x.alarm = time.AfterFunc(left, func() {
			e.mu.Lock()
			x.alarm = nil
			e.mu.Unlock()
			e.wakeCutter()
		})
	case at.Before(x.rings):
		x.rings = at
		x.alarm.Reset(left)
	}
}

// keepsUp reports a job that takes batches as they are cut.
func (j *job) keepsUp() bool { return j.failed == nil && !j.filling && !j.table.Paused }

// hold keeps the source open until it is released. Whoever finds it with
// Engine.mu held may hold it: what the catalog has of it lasts that long.
func (x *external) hold() *external {
	x.holders.Add(1)
	return x
}

// release lets go of the source. The last one closes it.
func (x *external) release() {
	if x.holders.Add(-1) > 0 {
		return
	}
	if err := x.source.Close(); err != nil {
		slog.Warn("a source could not be closed", "stream", x.table.Name, "error", err)
	}
	x.pieces.close()
}

// releaseSources lets go of all sources, once nothing runs any more.
func (e *Engine) releaseSources() {
	for _, j := range e.jobs {
		j.letGo()()
		for _, x := range j.held {
			x.release()
		}
	}
	for _, x := range e.externals {
		x.release()
	}
}

// StartSources lets external sources be read on after StopSources.
func (e *Engine) StartSources() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sourcesStopped = false
	e.wakeCutter()
}

// StopSources ends the reading of all external sources, and returns how far each
// was read, by database.name, once every view has taken that in and shows it.
func (e *Engine) StopSources() map[string][]uint64 {
	e.mu.Lock()
	e.sourcesStopped = true
	out := map[string][]uint64{}
	for _, x := range e.externals {
		out[x.table.Database+"."+x.table.Name] = x.offsets
	}
	busy := true
	for busy {
		busy = e.timeline.Durable() < e.timeline.Last().ID
		for _, j := range e.jobs {
			busy = busy || j.failed == nil && j.next() != never
		}
		if busy {
			changed := e.changed
			e.mu.Unlock()
			<-changed
			e.mu.Lock()
		}
	}
	e.mu.Unlock()
	return out
}
