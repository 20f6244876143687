package engine

import (
	"streamsql/catalog"
	"streamsql/engine/cutlog"
	"streamsql/engine/eventtime"
	"streamsql/engine/timeline"
	"streamsql/engine/topic"
)

// recoveredTimes brings event time and timers back: the clocks as of the
// checkpoint's last cut, then block by block and cut by cut up to the end of the
// log. While cuts are replayed each has the watermarks that it had.
type recoveredTimes struct {
	known   timeline.Cut // the cut that the clocks are as of
	clocks  bool         // there is a stream with event time
	blind   bool         // records since the clocks' cut are missing
	records []*cutlog.Record
	next    int // of records: the first that the clocks have not taken in
}

// begin returns the first cut of interest, where the oldest job's is low, and sets
// the watermarks as they were then. Of a stream that no restored job knows only
// the latest is needed.
func (t *recoveredTimes) begin(e *Engine, low uint64, known timeline.Cut) uint64 {
	t.known = known
	for _, s := range e.streams.of {
		t.clocks = t.clocks || s.clock != nil
	}
	switch {
	case !t.clocks && low == never:
		low = e.cuts.LastID()
	case t.clocks && known.ID > 0:
		low = min(low, known.ID)
	case t.clocks && low == never:
		low = 0
		if t.blind = e.cuts.FirstID() > 1; t.blind {
			low = e.cuts.LastID()
		}
	}
	base := map[uint64]int64{}
	for id, w := range known.Watermarks {
		if len(e.timed[catalog.ID(id)]) == 0 {
			base[id] = w
		}
	}
	for _, j := range e.jobs {
		for id, w := range j.watermarks {
			if old, ok := base[id]; !ok || w < old {
				base[id] = w
			}
		}
	}
	e.watermarks = base
	return low
}

// add takes in a record behind the first cut, and returns the watermarks after it.
func (t *recoveredTimes) add(e *Engine, r *cutlog.Record) map[uint64]int64 {
	t.records = append(t.records, r)
	e.watermarks = with(e.watermarks, r.Watermarks)
	return e.watermarks
}

// record is that of a cut which is to be replayed.
func (t *recoveredTimes) record(id uint64) *cutlog.Record { return t.records[id-t.records[0].ID] }

// calls is who had to see a cut, whatever rows it had.
func (r *recovery) calls(id uint64) (moved []catalog.ID, due []*job) {
	rec := r.times.record(id)
	for s := range rec.Watermarks {
		moved = append(moved, catalog.ID(s))
	}
	for _, x := range rec.Timers {
		if j := r.e.jobs[catalog.ID(x.Owner)]; j != nil {
			due = append(due, j)
		}
	}
	return moved, due
}

// from is where the log must be read from, if it were from there without event time.
func (t *recoveredTimes) from(e *Engine, from uint64) uint64 {
	if t.clocks {
		from = min(from, t.known.LogSeq)
	}
	for t.next < len(t.records) && t.records[t.next].ID <= t.known.ID {
		t.next++
	}
	return from
}

// pass takes in a block of the log; those behind last no cut holds.
func (t *recoveredTimes) pass(e *Engine, seq, last uint64, b *topic.Block) error {
	s := e.streams.of[catalog.ID(b.Table)]
	if s == nil || s.clock == nil || seq <= t.known.LogSeq {
		return nil
	}
	times, err := b.Column(s.table.EventTime.Column)
	if err != nil {
		return err
	}
	b.High = highest(times)
	if seq > last {
		if err := t.end(e); err != nil {
			return err
		}
		s.clock.Restamped(int(b.Partition), beforeOf(b), b.High)
		return nil
	}
	for t.next < len(t.records) && t.records[t.next].LogSeq < seq {
		if err := t.apply(e); err != nil {
			return err
		}
	}
	now := e.timeline.Last().Time
	if t.next < len(t.records) {
		now = t.records[t.next].Time
	}
	s.clock.Take(int(b.Partition), beforeOf(b), b.High, now)
	return nil
}

// apply lets the clocks take in the next record.
func (t *recoveredTimes) apply(e *Engine) error {
	offsets := t.known.Offsets
	if t.next > 0 {
		offsets = t.records[t.next-1].Offsets
	}
	if err := e.retake(offsets, t.records[t.next]); err != nil {
		return err
	}
	e.replayed(t.records[t.next])
	t.next++
	return nil
}

// end is behind the last block that a cut holds.
func (t *recoveredTimes) end(e *Engine) error {
	for t.next < len(t.records) {
		if err := t.apply(e); err != nil {
			return err
		}
	}
	for id, s := range e.streams.of {
		if s.clock == nil {
			continue
		}
		if t.blind {
			s.clock.Advance(0)
		}
		if w := s.clock.Watermark(); w != eventtime.None {
			e.watermarks = with(e.watermarks, map[uint64]int64{uint64(id): w})
		}
		e.streams.watch(s)
	}
	t.blind = false
	return nil
}
