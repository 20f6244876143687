package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Session puts rows into sessions, which other rows extend, join together, and
// split when they go. A batch is worked off in phases: its rows are counted
// (take); those that have come or gone change sessions (settle), and those that are
// taken back leave theirs, unless it was over (retract); then whatever stands in
// another session than it was given with is given anew (give); at last sessions that
// are over are forgotten (forget).
//
// When sessions join or split, with IDs the rows of the smaller part get another
// id: a row moves at most once for each doubling of its session.
type Session struct {
	inbox
	spec  SessionSpec
	env   Env
	out   []types.Type
	batch *Batch
	now   int64 // the batch's time, as far as bounds tell it
	store *sessionStore
	late  *lateness
	over  *expiring // nil: sessions are never forgotten
	kept  []*vector.Vector

	dirty   []state.Ref // rows counted in the batch
	back    []retraction
	settled int // of dirty
	moved   []movedRows
	given   int // of dirty, then of moved
	keys    []state.Ref
	leaving state.Ref // the session being forgotten
	phase   sessionPhase
	pending *batch.Chunk // what is to be given out
	list    []sessionEntry
	near    []session
	breaks  []sessionBreak
}

type sessionPhase uint8

const (
	settleSessions sessionPhase = iota
	takeBack
	giveDirty
	giveMoved
	forgetSessions
	endSessionKeys
)

// retraction is a row that is taken back, where sessions may have been over by then:
// that is seen when all that has come is in its session.
type retraction struct {
	row    state.Ref
	weight int64
	closed int64 // the watermark by then
}

// movedRows are rows that may have to be given anew: those of a session, or of
// a key from one time to another.
type movedRows struct {
	session  state.Ref // 0: the rest counts
	key      state.Ref
	from, to int64     // from > to: all are done
	next     state.Ref // the first not done at the time from
}

// NewSession makes a Session.
func NewSession(spec SessionSpec, env Env) (*Session, error) {
	s := &Session{spec: spec, env: env, late: newLateness(spec.Lateness, env)}
	s.store = newSessionStore(spec, env.Account)
	if len(spec.Over) > 0 {
		s.over = newExpiring(spec.Over, 1, s.lastOf, env.Account)
		s.over.moves = true
	}
	for _, k := range spec.Keep {
		s.out = append(s.out, spec.Input[k])
	}
	second := spec.Bound
	if spec.IDs {
		second = types.Type{Kind: types.BigInt, NotNull: true}
	}
	s.out = append(s.out, spec.Bound, second)
	return s, nil
}

// lastOf is the time of a session's last row.
func (s *Session) lastOf(r state.Ref) (int64, bool) {
	if !s.store.has(r) {
		return 0, false
	}
	return getInt(s.store.sessions.Get(r)[16:]), true
}

// String names the operator as EXPLAIN does.
func (s *Session) String() string { return "Session" }

// Types are the types of the output columns.
func (s *Session) Types() []types.Type { return s.out }

// Begin opens a batch.
func (s *Session) Begin(b *Batch) {
	s.batch, s.phase = b, settleSessions
	s.now = types.TruncFraction(b.Now, s.spec.Bound.Scale)
	s.begin(1)
	s.late.begin(b)
}

// Push queues a chunk.
func (s *Session) Push(_ int, c *batch.Chunk) { s.push(0, c) }

// CloseInput notes the end of the input.
func (s *Session) CloseInput(int) { s.close() }

// States are keys, sessions and rows, and the watermarks to go by.
func (s *Session) States() []*state.Store {
	list := append(s.store.states(), s.late.states()...)
	if s.over != nil {
		list = append(list, s.over.over.store)
	}
	return list
}

// StateVersion implements Versioned: 1 had not, of each row, how far it reaches back.
func (s *Session) StateVersion() uint32 { return 2 }

// Rebuild derives the indexes from the stores.
func (s *Session) Rebuild() error {
	s.store.rebuild()
	s.late.rebuild()
	if s.over != nil {
		s.over.rebuild(s.store.sessions)
	}
	return nil
}

// Step works off rows, and with the input closed the phases behind.
func (s *Session) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for s.head < len(s.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, lo := s.first()
		if lo == 0 {
			s.store.keys.open(c.Cols, c.N)
			s.kept = pickColumns(c.Cols, s.spec.Keep)
		}
		n := min(budget, c.N-lo)
		for i := lo; i < lo+n; i++ {
			if err := s.take(c, i); err != nil {
				return Done, err
			}
		}
		s.done(n)
		budget -= n
	}
	if !s.closed() {
		return Done, nil
	}
	for {
		n, err := s.work(budget)
		if err != nil {
			return Done, err
		}
		if s.pending != nil && s.pending.N >= batch.TargetRows || n <= 0 {
			s.flush(emit)
		}
		switch {
		case n < 0:
			return Done, s.late.end()
		case n >= budget:
			s.flush(emit)
			return More, nil
		}
		budget -= n
	}
}

// take counts row i of c.
func (s *Session) take(c *batch.Chunk, i int) error {
	at, w := s.now, c.Weight(i)
	if w == 0 {
		return nil
	}
	if s.spec.Time >= 0 {
		times := c.Cols[s.spec.Time]
		if times.IsNull(i) {
			return nil
		}
		at = times.I[i]
	}
	from := at - s.spec.Gap
	if mark, ok := s.late.watermark(c, i); ok {
		over := mark - s.spec.Gap - s.late.Allowed // sessions with no later row were over
		if at <= over {
			s.late.missed(c, i)
			return nil
		}
		from = max(from, over+1)
	}
	key, err := s.store.key(i)
	if err != nil {
		return err
	}
	r, hash := s.store.row(s.kept, i, key, at, from)
	if r == 0 {
		if w < 0 && s.forgotten(at) {
			s.keys = append(s.keys, key)
			return nil
		}
		if r, err = s.store.makeRow(key, at, from, hash); err != nil {
			return err
		}
	}
	row := s.store.rows.Mutable(r)
	if closed, ok := s.late.closed(c, i); ok {
		s.back = append(s.back, retraction{r, w, closed})
	} else {
		putInt(row, getInt(row)+w)
	}
	if row[40] == 0 {
		row[40] = 1
		s.dirty = append(s.dirty, r)
	}
	return nil
}

// forgotten reports that a session which ended at a time is no longer kept.
func (s *Session) forgotten(at int64) bool {
	if s.over == nil {
		return false
	}
	over, ok := s.over.over.at()
	return ok && at <= over
}

// work does at most about budget rows of what is to be done at the end of the
// batch. It returns how many it did, −1 when nothing is left.
func (s *Session) work(budget int) (n int, err error) {
	switch s.phase {
	case settleSessions:
		for ; s.settled < len(s.dirty) && n < budget; n++ {
			if err := s.settle(s.dirty[s.settled]); err != nil {
				return n, err
			}
			s.settled++
		}
		if s.settled == len(s.dirty) {
			s.phase, s.settled = takeBack, 0
		}
	case takeBack:
		for ; s.settled < len(s.back) && n < budget; n++ {
			if err := s.retract(s.back[s.settled]); err != nil {
				return n, err
			}
			s.settled++
		}
		if s.settled == len(s.back) {
			s.phase, s.settled, s.back = giveDirty, 0, emptied(s.back)
		}
	case giveDirty:
		for ; s.given < len(s.dirty) && n < budget; n++ {
			s.giveCounted(s.dirty[s.given])
			s.given++
		}
		if s.given == len(s.dirty) {
			s.phase, s.given, s.dirty = giveMoved, 0, emptied(s.dirty)
		}
	case giveMoved:
		for s.given < len(s.moved) && n < budget {
			m := &s.moved[s.given]
			n += 1 + s.giveRange(m, budget-n)
			if m.session == 0 && m.from > m.to {
				s.given++
			}
		}
		if s.given == len(s.moved) {
			s.phase, s.given, s.moved = forgetSessions, 0, emptied(s.moved)
			if s.over != nil {
				err = s.over.advance(s.batch)
			}
		}
	case forgetSessions:
		if n = s.forget(budget); n == 0 {
			s.phase = endSessionKeys
		}
	default:
		if n = s.endKeys(budget); n == 0 {
			n = -1
		}
	}
	return n, err
}

// emptied keeps the memory of a batch of usual size.
func emptied[T any](list []T) []T {
	if cap(list) > 1<<16 {
		return nil
	}
	return list[:0]
}

// forget drops at most about budget rows of sessions that are over; 0: none is left.
func (s *Session) forget(budget int) (n int) {
	for s.over != nil && n < budget {
		if s.leaving == 0 {
			due := s.over.next(1)
			if due == nil {
				break
			}
			s.leaving = due[0]
		}
		v := s.store.read(s.leaving)
		list := s.rowsOf(&movedRows{key: v.key, from: v.start, to: v.last}, budget-n)
		for _, e := range list {
			s.store.displace(e.key, e.at, getInt(s.store.rows.Get(e.ref)[56:]), e.ref)
			s.store.freeRow(e.ref)
		}
		if n += len(list) + 1; len(list) == 0 {
			s.store.end(v)
			s.keys = append(s.keys, v.key)
			s.leaving = 0
		}
	}
	return n
}

// endKeys frees ended sessions, and ends keys that have no session any more, at most
// budget of both.
func (s *Session) endKeys(budget int) (n int) {
	for n = s.store.freeEnded(budget); n < budget && len(s.keys) > 0; n++ {
		s.store.endKey(s.keys[len(s.keys)-1])
		s.keys = s.keys[:len(s.keys)-1]
	}
	return n
}

// rowsOf lists the next rows of m, at most n, and moves m on behind them.
func (s *Session) rowsOf(m *movedRows, n int) []sessionEntry {
	s.list = s.list[:0]
	s.store.times.Ascend(sessionEntry{m.key, m.from, m.next}, func(e sessionEntry) bool {
		if e.key != m.key || e.at > m.to || len(s.list) == n {
			return false
		}
		s.list = append(s.list, e)
		return true
	})
	if k := len(s.list); k < n {
		m.from, m.to = 1, 0
	} else {
		m.from, m.next = s.list[k-1].at, s.list[k-1].ref+1
	}
	return s.list
}
