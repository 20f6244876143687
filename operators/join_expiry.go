package operators

import (
	"math"
	"slices"

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
	old := &s.old
	if s.byRow != nil {
		old.rows = old.rows[:0]
		for _, r := range due {
			old.rows = append(old.rows, s.row(s.store.Get(r)))
		}
		cols := old.columns(&old.full, s.codec.Types, len(due))
		s.codec.Decode(old.rows, cols)
		old.hashes = state.HashRows(cols, s.all, len(due), old.hashes)
		for k, h := range old.hashes {
			s.byRow.Delete(h, due[k])
		}
	}
	old.hashes = slices.Grow(old.hashes[:0], len(due))[:len(due)]
	if !s.group.one { // the table of ints asks for none
		old.rows = old.rows[:0]
		for _, r := range due {
			old.rows = append(old.rows, s.store.Get(r)[s.keyAt:])
		}
		cols := old.columns(&old.keys, s.group.types, len(due))
		s.group.codec.Decode(old.rows, cols)
		old.hashes = state.HashColumns(cols, positions(len(cols)), len(due), old.hashes)
	}
	for k, r := range due {
		s.drop(r, old.hashes[k])
	}
	return len(due)
}

// expired is scratch of expire.
type expired struct {
	rows       [][]byte
	hashes     []uint64
	full, keys []*vector.Vector
}

// columns are empty ones of the types, always the same.
func (x *expired) columns(cols *[]*vector.Vector, ts []types.Type, n int) []*vector.Vector {
	if *cols == nil {
		*cols = newVectors(ts, n)
	}
	resetVectors(*cols)
	return *cols
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
