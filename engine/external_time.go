package engine

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"streamsql/catalog"
	"streamsql/engine/cutlog"
	"streamsql/engine/eventtime"
	"streamsql/operators/connector"
)

// ahead is how far a partition of an external stream with event time was looked
// at: a batch may take the rows before to, of which the largest time is high.
type ahead struct {
	to   uint64
	high int64
	end  bool // the partition ends there for ever
}

// highestOf is the largest time among rows of a partition.
func (x *external) highestOf(ctx context.Context, part int, from, to uint64) (int64, error) {
	high := eventtime.None
	for from < to {
		c, next, err := x.source.ReadRange(ctx, part, connector.Offset(from), connector.Offset(min(to, from+lookRows)))
		if err != nil {
			return high, err
		}
		if uint64(next) == from {
			return high, fmt.Errorf("connector %s gives no rows at offset %d of partition %d", x.table.Options["connector"], from, part)
		}
		high = max(high, highest(c.Cols[x.table.EventTime.Column]))
		from = uint64(next)
	}
	return high, nil
}

// lookRows is how many rows are looked at in one go.
const lookRows = 8192

// lookAhead looks at the times of what external streams with event time have for
// the next batch. The cutter does that without a lock: it may take time.
func (e *Engine) lookAhead() {
	e.mu.Lock()
	var due []*external
	if e.holds == 0 && !e.sourcesStopped {
		for id, x := range e.externals {
			if x.table.EventTime != nil && e.wanted(id) {
				due = append(due, x)
			}
		}
	}
	e.mu.Unlock()
	now := time.Now()
	for _, x := range due {
		for p := range x.ahead {
			a := &x.ahead[p]
			from := x.offsets[p]
			if a.to > from {
				continue // no batch has taken it yet
			}
			latest, end, err := x.source.Latest(e.ctx, p, now)
			to := min(uint64(latest), from+externalBatchRows)
			high := eventtime.None
			if err == nil {
				high, err = x.highestOf(e.ctx, p, from, to)
			}
			if err != nil {
				slog.Warn("a source cannot be read", "stream", x.table.Name, "partition", p, "error", err)
				continue
			}
			*a = ahead{max(to, from), high, end}
		}
	}
}

// takeAhead takes what was looked at into a batch: it moves next on, and stamps each
// partition that has rows. Engine.mu is held.
func (e *Engine) takeAhead(id catalog.ID, x *external, next []uint64) (before []int64, taken []stamped, poll bool) {
	e.streams.Lock()
	defer e.streams.Unlock()
	s := e.streams.of[id]
	before = make([]int64, len(next))
	for p := range next {
		a := x.ahead[p]
		if before[p] = eventtime.None; a.to <= next[p] || s == nil {
			poll = poll || !a.end
			continue
		}
		next[p] = a.to
		before[p], _ = s.clock.Stamp(p, a.high)
		taken = append(taken, stamped{id, p, before[p], a.high})
	}
	return before, taken, poll
}

// stampsOf are the stamps of the external partitions that a batch reads.
func stampsOf(inputs []sourceInput) map[uint64][]int64 {
	var out map[uint64][]int64
	for _, in := range inputs {
		if in.before != nil {
			if out == nil {
				out = map[uint64][]int64{}
			}
			out[uint64(in.table)] = in.before
		}
	}
	return out
}

// retake lets the clocks of external streams take in a recorded cut, which moved
// their offsets on from those before.
func (e *Engine) retake(before map[uint64][]uint64, r *cutlog.Record) error {
	for id, x := range e.externals {
		s := e.streams.of[id]
		stamps := r.Stamps[uint64(id)]
		if s == nil || s.clock == nil || stamps == nil {
			continue
		}
		from := before[uint64(id)]
		for p, to := range r.Offsets[uint64(id)] {
			at := uint64(0)
			if p < len(from) {
				at = from[p]
			}
			if to == at {
				continue
			}
			high, err := x.highestOf(e.ctx, p, at, to)
			if err != nil {
				return err
			}
			s.clock.Take(p, stamps[p], high, r.Time)
		}
	}
	return nil
}

// arrivalPartition is where in the arrival of an external row its partition
// stands, above the offset.
const arrivalPartition = 48

// externalArrival is the arrival of a row of an external stream.
func externalArrival(part int, offset uint64) uint64 {
	return uint64(part)<<arrivalPartition | offset
}
