package engine

import (
	"maps"
	"sync"

	"streamsql/catalog"
	"streamsql/engine/cutlog"
	"streamsql/engine/eventtime"
	"streamsql/engine/task"
	"streamsql/engine/topic"
	"streamsql/operators/batch"
	"streamsql/sql/vector"
)

// stream is a stream table of the built-in log at work.
type stream struct {
	table *catalog.Table
	turn  int              // the partition of the next block, if blocks go round-robin
	clock *eventtime.Clock // nil: no event time
}

// streams are the streams by id. Their lock is also taken by whoever writes the
// log, between two blocks: it is never held for long, and no other is taken under it.
type streams struct {
	sync.Mutex
	of     map[catalog.ID]*stream
	idleAt int64 // no partition falls idle before
}

func newStream(t *catalog.Table, partitions int) *stream {
	s := &stream{table: t}
	if w := t.EventTime; w != nil {
		s.clock = eventtime.New(partitions, w.Delay, w.IdleTimeout, t.CreatedAt)
	}
	return s
}

// addStream makes a stream known.
func (e *Engine) addStream(s *stream) {
	e.streams.Lock()
	e.streams.of[s.table.ID] = s
	e.streams.watch(s)
	e.streams.Unlock()
	e.wakeCutter() // it sets the alarm for the partitions that will be idle
}

// watch sees to it that the stream's next idle partition is noticed.
func (s *streams) watch(x *stream) {
	if x.clock != nil {
		s.idleAt = min(s.idleAt, x.clock.IdleAt())
	}
}

// newBlock makes the next block of a table or stream. Without a key of the
// stream's, whole blocks go to its partitions in turn.
func (e *Engine) newBlock(id catalog.ID, c *batch.Chunk) *topic.Block {
	h := topic.Header{Table: uint64(id)}
	e.streams.Lock()
	s := e.streams.of[id]
	if s != nil {
		h.Partition = uint16(s.turn)
		s.turn = (s.turn + 1) % s.table.PartitionCount()
	}
	e.streams.Unlock()
	b := topic.NewBlock(h, c)
	if s != nil && s.clock != nil {
		b.High = highest(c.Cols[s.table.EventTime.Column])
	}
	return b
}

// highest is the largest of some times, eventtime.None if all are NULL.
func highest(v *vector.Vector) int64 {
	high := eventtime.None
	for i, x := range v.I[:v.N] {
		if x > high && !v.IsNull(i) {
			high = x
		}
	}
	return high
}

// stamp is called by the log for each block in its order: of a stream with event
// time it gives the block the watermark of its partition.
func (e *Engine) stamp(b *topic.Block) bool {
	e.streams.Lock()
	defer e.streams.Unlock()
	s := e.streams.of[catalog.ID(b.Table)]
	if s == nil || s.clock == nil || s.table.Upsert() {
		return false // the committer has stamped an upsert stream's block, row by row
	}
	s.stamp(b)
	return true
}

// stamp gives a block the watermark of its partition before its first row.
func (s *stream) stamp(b *topic.Block) {
	before, woke := s.clock.Stamp(int(b.Partition), b.High)
	b.Flags, b.Watermark, b.IdleMark = b.Flags&^(topic.FlagWatermark|topic.FlagIdle), 0, 0
	if before != eventtime.None {
		b.Flags, b.Watermark = b.Flags|topic.FlagWatermark, before
	}
	if woke {
		b.Flags, b.IdleMark = b.Flags|topic.FlagIdle, before
	}
}

// unstamp takes back blocks that could not be made durable.
func (e *Engine) unstamp(blocks []*topic.Block) {
	e.streams.Lock()
	defer e.streams.Unlock()
	for _, b := range blocks {
		if s := e.streams.of[catalog.ID(b.Table)]; s != nil && s.clock != nil && b.Stamped {
			s.clock.Unstamp(int(b.Partition))
			e.streams.watch(s)
		}
	}
}

// beforeOf is the watermark that a block was stamped with.
func beforeOf(b *topic.Block) int64 {
	if b.Flags&topic.FlagWatermark == 0 {
		return eventtime.None
	}
	return b.Watermark
}

// arrivalShift is how many bits of an arrival number rows within a commit group.
const arrivalShift = 28

// originOf says where the rows of a block stand in the log, for the system
// columns of its stream; nil for a table.
func (e *Engine) originOf(seq uint64, b *topic.Block) *task.Origin {
	e.streams.Lock()
	s := e.streams.of[catalog.ID(b.Table)]
	e.streams.Unlock()
	if s == nil {
		return nil
	}
	o := &task.Origin{First: seq<<arrivalShift | b.Place, Before: beforeOf(b), Time: -1}
	o.Known = o.Before != eventtime.None
	if w := s.table.EventTime; w != nil {
		o.Time, o.Delay = w.Column, w.Delay
	}
	if s.table.Upsert() {
		o.Key = s.table.Primary
	}
	return o
}

// ownOrigin stands in for the origin of rows that a transaction has not committed
// yet: behind all others, as if they went into the partition whose turn it is.
func (e *Engine) ownOrigin(id catalog.ID, place int) *task.Origin {
	o := &task.Origin{First: ^uint64(0)>>1&^(1<<arrivalShift-1) + uint64(place), Before: eventtime.None, Time: -1}
	e.streams.Lock()
	defer e.streams.Unlock()
	if s := e.streams.of[id]; s != nil && s.clock != nil {
		o.Time, o.Delay = s.table.EventTime.Column, s.table.EventTime.Delay
		o.Before = s.clock.Now(s.turn)
		o.Known = o.Before != eventtime.None
	}
	return o
}

// stamped is a block of a stream with event time that waits to be cut.
type stamped struct {
	stream       catalog.ID
	partition    int
	before, high int64
}

// stampOf is what the next cut must know of a block; false: it is of no stream
// with event time.
func (e *Engine) stampOf(b *topic.Block) (stamped, bool) {
	e.streams.Lock()
	defer e.streams.Unlock()
	s := e.streams.of[catalog.ID(b.Table)]
	if s == nil || s.clock == nil {
		return stamped{}, false
	}
	return stamped{s.table.ID, int(b.Partition), beforeOf(b), b.High}, true
}

// advance moves event time on with a cut: what it takes in, and which partitions
// are idle at its time. It puts the watermarks into the cut and what changed into
// its record, and returns the streams that moved on. Engine.mu is held.
func (e *Engine) advance(r *cutlog.Record, taken []stamped) (moved []catalog.ID, watermarks map[uint64]int64) {
	watermarks = e.watermarks
	e.streams.Lock()
	defer e.streams.Unlock()
	look := map[catalog.ID]*stream{}
	for _, t := range taken {
		if s := e.streams.of[t.stream]; s != nil {
			s.clock.Take(t.partition, t.before, t.high, r.Time)
			look[t.stream] = s
		}
	}
	if r.Time >= e.streams.idleAt {
		e.streams.idleAt = eventtime.Never
		for id, s := range e.streams.of {
			if s.clock == nil {
				continue
			}
			if s.clock.IdleAt() <= r.Time {
				look[id] = s
			} else {
				e.streams.watch(s)
			}
		}
	}
	for id, s := range look {
		on, turned := s.clock.Advance(r.Time)
		e.streams.watch(s)
		if turned {
			if r.IdleMarks == nil {
				r.IdleMarks = map[uint64][]int64{}
			}
			r.IdleMarks[uint64(id)] = idleMarks(s.clock)
		}
		if on {
			if r.Watermarks == nil {
				r.Watermarks = map[uint64]int64{}
			}
			r.Watermarks[uint64(id)] = s.clock.Watermark()
			moved = append(moved, id)
		}
	}
	if len(moved) > 0 {
		watermarks = with(watermarks, r.Watermarks)
		e.watermarks = watermarks
	}
	return moved, watermarks
}

// with is a copy of some watermarks with those that moved.
func with(old, moved map[uint64]int64) map[uint64]int64 {
	if len(moved) == 0 {
		return old
	}
	next := make(map[uint64]int64, len(old)+len(moved))
	maps.Copy(next, old)
	maps.Copy(next, moved)
	return next
}

// idleMarks are the marks of a clock's partitions as a record has them.
func idleMarks(c *eventtime.Clock) []int64 {
	var marks []int64
	for _, idle := range c.Idle() {
		if idle {
			marks = append(marks, c.Watermark())
		} else {
			marks = append(marks, cutlog.Awake)
		}
	}
	return marks
}

// replayed brings the clocks to where a recorded cut left them. Engine.mu is held.
func (e *Engine) replayed(r *cutlog.Record) {
	e.streams.Lock()
	defer e.streams.Unlock()
	for id, w := range r.Watermarks {
		if s := e.streams.of[catalog.ID(id)]; s != nil && s.clock != nil {
			s.clock.Replay(w, nil)
		}
	}
	for id, marks := range r.IdleMarks {
		if s := e.streams.of[catalog.ID(id)]; s != nil && s.clock != nil {
			idle := make([]bool, len(marks))
			for i, m := range marks {
				idle[i] = m != cutlog.Awake
			}
			s.clock.Replay(eventtime.None, idle)
		}
	}
}

// clockStates are all clocks as of the last cut. Engine.mu is held.
func (e *Engine) clockStates() map[uint64]eventtime.State {
	e.streams.Lock()
	defer e.streams.Unlock()
	states := map[uint64]eventtime.State{}
	for id, s := range e.streams.of {
		if s.clock != nil {
			states[uint64(id)] = s.clock.State()
		}
	}
	return states
}
