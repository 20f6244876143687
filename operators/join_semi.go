package operators

import (
	"math"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// KeySemiJoin is a semi or anti join by keys alone. Then a left row matches if its
// key is there on the right, so that the right side is a count for each key, and
// a left row needs no degree of its own: a right row that comes or goes beside
// another of its key costs the same however many left rows have that key.
//
// A key's status, matched or not, changes once a batch, when all of the right
// input is in, and its left rows come or go then. Until then, left rows go by the
// status that was. A row of keys:
//
//	0  how many right rows have the key, 8
//	8  keyMatched: the status; keyTouched: it is in touched
//	9  if keys expire: the time, MaxInt64 for NULL, 8
//
// then the encoded key.
type KeySemiJoin struct {
	inbox
	spec   JoinSpec
	left   *joinSide
	keys   *index    // its grouping is the one of the chunk at hand
	right  *grouping // of right chunks
	expiry *expiring // of keys; nil: they stay
	batch  *Batch
	opened bool
	holds  bool
	held   []*batch.Chunk
	queued [2]int
	ended  [2]bool
	// advanced: the batch is at its end, and rows go whose time is over.
	advanced bool

	touched []touchedKey // keys of which right rows came or went in this batch
	flushed int          // how many of them are done
	next    state.Ref    // the left row to go on with, of the one that is not
	refs    []state.Ref
	bytes   [][]byte
}

type touchedKey struct {
	ref  state.Ref
	hash uint64
}

const (
	keyMatched = 1 << iota
	keyTouched
)

const semiHeader = 9

// newKeySemiJoin makes a KeySemiJoin; keyTypes are the types of the keys.
func newKeySemiJoin(spec JoinSpec, keyTypes []types.Type, env Env) *KeySemiJoin {
	s := &KeySemiJoin{spec: spec, left: newExpiringSide(spec.Left, spec.LeftKeys, keyTypes, spec.LeftExpiry, spec.LeftAppends, env), right: newGroupingAs(keyTypes, spec.RightKeys)}
	s.keys = newIndex(s.right, semiHeader, env.Account)
	if spec.RightExpiry != nil {
		s.keys.keyAt += 8
		s.expiry = newExpiring(spec.RightExpiry.Watermark, grainOfTimes, s.keyTime, env.Account)
	}
	return s
}

// String names the operator as EXPLAIN does.
func (s *KeySemiJoin) String() string { return "Join" }

// Types are the types of the output columns.
func (s *KeySemiJoin) Types() []types.Type { return s.spec.Left }

// Begin opens a batch.
func (s *KeySemiJoin) Begin(b *Batch) {
	s.begin(2)
	s.batch, s.advanced = b, false
	s.holds, s.ended = s.spec.RightFirst, [2]bool{}
}

// Push queues a chunk of the left (0) or right (1) input.
func (s *KeySemiJoin) Push(in int, c *batch.Chunk) {
	if in == 0 {
		c = s.left.live(c)
	} else if s.expiry != nil {
		c = s.expiry.live(c, s.spec.RightExpiry.Col)
	}
	switch {
	case c == nil || c.N == 0:
	case in == 0 && s.holds:
		s.held = append(s.held, c)
	default:
		s.queued[in]++
		s.push(in, c)
	}
}

// CloseInput notes the end of an input.
func (s *KeySemiJoin) CloseInput(in int) {
	s.close()
	s.ended[in] = true
	if in == 1 && s.holds {
		s.holds = false
		for _, c := range s.held {
			s.Push(0, c)
		}
		s.held = nil
	}
}

// States are the left rows and the right keys.
func (s *KeySemiJoin) States() []*state.Store {
	list := append(s.left.states(), s.keys.store)
	if s.expiry != nil {
		list = append(list, s.expiry.over.store)
	}
	return list
}

// Rebuild derives the indexes from the stores.
func (s *KeySemiJoin) Rebuild() error {
	s.left.rebuild()
	s.keys.grouping = s.right
	s.keys.rebuild()
	if s.expiry != nil {
		s.expiry.rebuild(s.keys.store)
	}
	return nil
}

// Step works on.
func (s *KeySemiJoin) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for {
		if s.rightDone() && len(s.touched) > 0 {
			if budget <= 0 {
				return More, nil
			}
			budget -= s.flush(min(budget, blockRows), emit)
			continue
		}
		in, c, at := s.first()
		if c == nil {
			return s.expire(budget)
		}
		if budget <= 0 {
			return More, nil
		}
		if !s.opened {
			s.open(in, c)
			s.opened = true
		}
		n := min(budget, blockRows, c.N-at)
		if cap(s.refs) < n {
			s.refs = make([]state.Ref, max(n, blockRows))
		}
		s.keys.findAll(at, s.refs[:n])
		var err error
		if in == 0 {
			err = s.leftRows(c, at, n, emit)
		} else {
			err = s.rightRows(c, at, n)
		}
		if err != nil {
			return Done, err
		}
		budget -= n
		if s.done(n) {
			s.opened = false
			s.queued[in]--
		}
	}
}

func (s *KeySemiJoin) rightDone() bool { return s.ended[1] && s.queued[1] == 0 }

func (s *KeySemiJoin) open(in int, c *batch.Chunk) {
	if in == 0 {
		s.left.open(c)
		s.keys.grouping = s.left.group
		return
	}
	s.right.open(c.Cols, c.N)
	s.keys.grouping = s.right
}

// leftRows gives those of the rows at … at+n that their keys' status lets pass,
// and keeps those for which that may change.
func (s *KeySemiJoin) leftRows(c *batch.Chunk, at, n int, emit func(*batch.Chunk)) error {
	keep := !s.spec.OneBatch || !s.rightDone()
	var sel []int32
	for k, r := range s.refs[:n] {
		row := at + k
		free := s.spec.unmatchable(s.left.group, row)
		matched := !free && r != 0 && s.keys.store.Slot(r)[8]&keyMatched != 0
		if matched == (s.spec.Kind == SemiJoin) {
			sel = append(sel, int32(row))
		}
		if free || !keep || matched && s.spec.RightAppends {
			continue
		}
		if err := s.left.upsert(c, row, c.Weight(row), 0); err != nil {
			return err
		}
	}
	if len(sel) > 0 {
		emit(c.Gather(sel))
	}
	return nil
}

// rightRows counts the rows at … at+n.
func (s *KeySemiJoin) rightRows(c *batch.Chunk, at, n int) error {
	for k, r := range s.refs[:n] {
		i := at + k
		if s.spec.unmatchable(s.right, i) {
			continue
		}
		if r == 0 { // unless a row before it in this block made it
			if r = s.keys.find(i); r == 0 {
				var err error
				if r, err = s.keys.add(i); err != nil {
					return err
				}
				if s.expiry != nil {
					putInt(s.keys.store.MutableSlot(r)[semiHeader:], timeIn(c.Cols[s.spec.RightExpiry.Col], i))
					s.expiry.add(r)
				}
			}
		}
		row := s.keys.store.MutableSlot(r)
		putInt(row, getInt(row)+c.Weight(i))
		if row[8]&keyTouched == 0 {
			row[8] |= keyTouched
			s.touched = append(s.touched, touchedKey{r, s.right.hashes[i]})
		}
	}
	return nil
}

// flush gives a touched key its new status, and gives or takes back the left rows
// with it, budget at most. It returns the work done.
func (s *KeySemiJoin) flush(budget int, emit func(*batch.Chunk)) int {
	t := s.touched[s.flushed]
	row := s.keys.store.MutableSlot(t.ref)
	matched := getInt(row) != 0
	work := 1
	if matched != (row[8]&keyMatched != 0) {
		if row[8]&keyTouched != 0 { // the first of its rows
			row[8] &^= keyTouched
			s.next = s.left.headOf(t.hash, s.keys.store.Get(t.ref)[s.keys.keyAt:])
		}
		if work = s.turn(t, matched, budget, emit); s.next != 0 {
			return work
		}
	}
	if row = s.keys.store.MutableSlot(t.ref); matched {
		row[8] = keyMatched
	} else {
		if s.expiry != nil {
			s.expiry.gone(t.ref)
		}
		s.keys.remove(t.hash, t.ref)
	}
	if s.flushed++; s.flushed == len(s.touched) {
		s.touched, s.flushed = s.touched[:0], 0
	}
	return work
}

// turn emits left rows of a key, from next on, that come or go now that it is
// matched, or not any more.
func (s *KeySemiJoin) turn(t touchedKey, matched bool, budget int, emit func(*batch.Chunk)) int {
	sign := int64(1)
	if matched != (s.spec.Kind == SemiJoin) {
		sign = -1
	}
	s.refs, s.bytes = s.refs[:0], s.bytes[:0]
	out := &batch.Chunk{}
	for ; s.next != 0 && out.N < budget; out.N++ {
		stored := s.left.store.Slot(s.next)
		s.refs, s.bytes = append(s.refs, s.next), append(s.bytes, s.left.row(stored))
		out.Weights = append(out.Weights, sign*getInt(stored))
		s.next = nextOf(stored)
	}
	if out.N == 0 {
		return 1
	}
	out.Cols = newVectors(s.left.codec.Types, out.N)
	s.left.codec.Decode(s.bytes, out.Cols)
	if matched && s.spec.RightAppends {
		if s.left.byRow != nil {
			for k, h := range state.HashRows(out.Cols, s.left.all, out.N, nil) {
				s.left.byRow.Delete(h, s.refs[k])
			}
		}
		for _, r := range s.refs {
			if s.left.expiry != nil {
				s.left.expiry.gone(r)
			}
			s.left.drop(r, t.hash)
		}
	}
	out.Weights = plain(out.Weights)
	emit(out)
	return out.N
}

// keyTime reads the time of a row of keys; false: it is not there any more.
func (s *KeySemiJoin) keyTime(r state.Ref) (int64, bool) {
	if !s.keys.store.Has(r) {
		return 0, false
	}
	time := getInt(s.keys.store.Slot(r)[semiHeader:])
	return time, time != math.MaxInt64
}

// expire, at the end of a batch, lets left rows and keys go whose time is over.
func (s *KeySemiJoin) expire(budget int) (Status, error) {
	if !s.closed() {
		return Done, nil
	}
	if !s.advanced {
		if err := s.left.advance(s.batch); err != nil {
			return Done, err
		}
		if s.expiry != nil {
			if err := s.expiry.advance(s.batch); err != nil {
				return Done, err
			}
		}
		s.advanced = true
	}
	for n := 1; n > 0; budget -= n {
		if budget <= 0 {
			return More, nil
		}
		n = s.left.expire(min(budget, blockRows)) + s.expireKeys(min(budget, blockRows))
	}
	return Done, nil
}

func (s *KeySemiJoin) expireKeys(budget int) int {
	if s.expiry == nil {
		return 0
	}
	due := s.expiry.next(budget)
	cols := newVectors(s.keys.types, 1)
	for _, r := range due {
		resetVectors(cols)
		s.keys.codec.Decode([][]byte{s.keys.store.Get(r)[s.keys.keyAt:]}, cols)
		s.keys.remove(s.keys.hashOf(cols), r)
	}
	return len(due)
}
