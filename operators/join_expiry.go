package operators

import (
	"math"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// The rows of a join's side may have an end: once the watermark passes a column of
// theirs, none comes any more that they could meet. They go then without a word:
// what was given of them stays given, the padded row of a left join too.
//
// In a join within windows a row whose window is over has met all that it could.
// Where times are only bounded, the sides' watermarks may be far apart: a row can
// be over by the other side's, and in time for rows of the past that are kept by
// its own. Such rows (overMeet) still meet those.

// newExpiringSide is newJoinSide of rows that are over as expiry says (nil:
// never), and that, with appends, are never taken back.
func newExpiringSide(input []types.Type, keys []int, keyTypes []types.Type, expiry *Expiry, appends bool, env Env) *joinSide {
	s := newJoinSide(input, keys, keyTypes, env)
	if appends {
		s.byRow = nil
	}
	if expiry != nil {
		s.keyAt, s.time = joinHeader+8, expiry.Col
		s.expiry = newExpiring(expiry.Watermark, grainOfTimes, s.timeOf, env.Account)
	}
	return s
}

// timeIn is the time in row i of a column; MaxInt64, which no watermark reaches,
// for NULL.
func timeIn(v *vector.Vector, i int) int64 {
	if v.IsNull(i) {
		return math.MaxInt64
	}
	return v.I[i]
}

// timeOf reads the time of a row; false: it is not there any more.
func (s *joinSide) timeOf(r state.Ref) (int64, bool) {
	if !s.store.Has(r) {
		return 0, false
	}
	time := getInt(s.store.Slot(r)[joinHeader:])
	return time, time != math.MaxInt64
}

// live is c without the rows whose time is over already; nil: none is left.
func (s *joinSide) live(c *batch.Chunk) *batch.Chunk {
	if s.expiry == nil || s.overMeet {
		return c
	}
	return s.expiry.live(c, s.time)
}

// timeless reports that row i of c matches nothing for want of a time.
func (s *joinSide) timeless(c *batch.Chunk, i int) bool {
	return s.overMeet && s.expiry != nil && c.Cols[s.time].IsNull(i)
}

// states are the stores of the side.
func (s *joinSide) states() []*state.Store {
	if s.expiry == nil {
		return []*state.Store{s.store}
	}
	return []*state.Store{s.store, s.expiry.over.store}
}

// expire drops rows whose time is over after the batch, budget at most, and
// returns how many there were.
func (s *joinSide) expire(budget int) int {
	if s.expiry == nil {
		return 0
	}
	due := s.expiry.next(budget)
	if len(due) == 0 {
		return 0
	}
	if s.byRow != nil {
		rows, cols := make([][]byte, len(due)), newVectors(s.codec.Types, len(due))
		for k, r := range due {
			rows[k] = s.row(s.store.Get(r))
		}
		s.codec.Decode(rows, cols)
		for k, h := range state.HashRows(cols, s.all, len(due), nil) {
			s.byRow.Delete(h, due[k])
		}
	}
	hashes := make([]uint64, len(due))
	if !s.group.one { // the table of ints asks for none
		keys, cols := make([][]byte, len(due)), newVectors(s.group.types, len(due))
		for k, r := range due {
			keys[k] = s.store.Get(r)[s.keyAt:]
		}
		s.group.codec.Decode(keys, cols)
		state.HashColumns(cols, positions(len(cols)), len(due), hashes)
	}
	for k, r := range due {
		s.drop(r, hashes[k])
	}
	return len(due)
}

// advance moves the side on to the watermark after the batch.
func (s *joinSide) advance(b *Batch) error {
	if s.expiry == nil {
		return nil
	}
	return s.expiry.advance(b)
}

// expire, at the end of a batch, lets rows of both sides go whose time is over.
func (j *Join) expire(budget int) (Status, error) {
	if !j.closed() {
		return Done, nil
	}
	for _, s := range j.side {
		if !j.advanced {
			if err := s.advance(j.batch); err != nil {
				return Done, err
			}
		}
	}
	j.advanced = true
	for _, s := range j.side {
		for n := 1; n > 0; budget -= n {
			if budget <= 0 {
				return More, nil
			}
			n = s.expire(min(budget, blockRows))
		}
	}
	return Done, nil
}
