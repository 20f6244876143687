package operators

import (
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
)

// asofBounds ends the rows of an AsofJoin that can change nothing any more, where
// rows stay and the watermarks of both sides tell of the times to come. It is for
// joins that look back, `left.t >= right.t` and `>`:
//
//   - A left row is done with once the right side's watermark is above its time:
//     no right row comes any more that lies before it.
//   - Of the right rows of a key those are done with that lie before one which both
//     watermarks have reached: left rows to come find that one, or a later one.
//
// That holds but for late rows, of either side, which are left out: those whose time
// is below the watermark of their own partition before them. So what is left out is a
// fact of the logs, wherever batches are cut and whatever is kept still.
type asofBounds struct {
	late  [2]*lateness
	over  [2]*expiring
	side  [2]*orderedRows
	group *asofGroups
	batch *Batch
	ended bool // the watermarks after the batch are known
}

// newAsofBounds is nil if something tells no bound.
func newAsofBounds(j *AsofJoin, env Env) *asofBounds {
	s := &j.spec
	if len(s.LeftWatermark) == 0 || len(s.RightWatermark) == 0 || !j.backward() {
		return nil
	}
	b := &asofBounds{side: j.side, group: j.groups, late: [2]*lateness{newLateness(s.Lateness, env), newLateness(s.RightLateness, env)}}
	both := slices.Concat(s.LeftWatermark, s.RightWatermark)
	if j.strict() { // a left row at the watermark does not find a right row there
		both = both.later(1)
	}
	for in, w := range [2]Watermark{s.RightWatermark.later(1), both} {
		rows := j.side[in]
		time := func(r state.Ref) (int64, bool) {
			if !rows.store.Has(r) {
				return 0, false
			}
			return int64(^placePrefix(rows.time(r)) ^ 1<<63), true
		}
		b.over[in] = newExpiring(w, grainOfTimes, time, env.Account)
	}
	return b
}

func (b *asofBounds) begin(of *Batch) {
	b.batch, b.ended = of, false
	for _, l := range b.late {
		l.begin(of)
	}
}

// leavesOut reports that row i of a chunk of an input, which has a time, is late.
func (b *asofBounds) leavesOut(in int, c *batch.Chunk, i, time int) bool {
	at, ok := b.late[in].watermark(c, i)
	if !ok || c.Cols[time].I[i] >= at {
		return false
	}
	b.late[in].missed(c, i)
	return true
}

func (b *asofBounds) states() (s []*state.Store) {
	for in := range b.over {
		s = append(append(s, b.over[in].over.store), b.late[in].states()...)
	}
	return s
}

func (b *asofBounds) rebuild() {
	for in := range b.over {
		b.late[in].rebuild()
		b.over[in].rebuild(b.side[in].store)
	}
}

// expire, at the end of a batch, ends about limit rows, and returns how much work
// that was.
func (b *asofBounds) expire(limit int) (work int, err error) {
	if !b.ended {
		b.ended = true
		for in := range b.over {
			if err := b.late[in].end(); err != nil {
				return 0, err
			}
			if err := b.over[in].advance(b.batch); err != nil {
				return 0, err
			}
		}
	}
	for _, r := range b.over[0].next(limit) {
		b.drop(0, r)
		work++
	}
	for work < limit {
		due := b.over[1].next(1)
		if len(due) == 0 {
			break
		}
		work++
		if !b.side[1].store.Has(due[0]) {
			continue // a later one has ended it
		}
		for e := b.side[1].entry(due[0]); ; work++ {
			r := b.side[1].behind(e)
			if r == 0 {
				break
			}
			b.drop(1, r)
		}
	}
	return work, nil
}

func (b *asofBounds) drop(in int, r state.Ref) {
	rows := b.side[in]
	group := rows.group(r)
	rows.hide(r)
	rows.free(r)
	b.group.count(group, -1)
}
