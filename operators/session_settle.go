package operators

import "streamsql/operators/state"

// settle brings sessions up to date with a row that was counted: it may have
// come, or gone.
func (s *Session) settle(r state.Ref) error {
	row := s.store.rows.Get(r)
	count, given := getInt(row), getInt(row[8:])
	key, at := state.Ref(getInt(row[32:])), getInt(row[48:])
	if err := s.store.checkCount(count, s.env.Node); err != nil {
		return err
	}
	switch {
	case count > 0 && given == 0:
		err := s.come(key, at)
		s.store.set(s.store.times, sessionEntry{key, at, r})
		return err
	case count == 0 && given > 0:
		s.store.unset(s.store.times, sessionEntry{key, at, r})
		return s.leave(key, at)
	case count == 0:
		s.keys = append(s.keys, key)
	}
	return nil
}

// come makes room for a row: in the session before it, the one behind it, in
// both, which become one, or in a new one.
func (s *Session) come(key state.Ref, at int64) error {
	before, ok := s.store.at(key, at)
	ok = ok && at-before.last <= s.spec.Gap
	after, next := s.store.after(key, at)
	next = next && after.start-at <= s.spec.Gap
	switch {
	case ok && at <= before.last:
		before.rows++
		s.store.write(before)
	case ok && next:
		s.join(before, after)
	case ok:
		s.reach(before, before.start, at)
	case next:
		s.reach(after, at, after.last)
	default:
		v, err := s.store.makeSession(session{key: key, start: at, last: at, rows: 1})
		if err == nil && s.over != nil {
			s.over.add(v.ref)
		}
		return err
	}
	return nil
}

// reach gives a session one row more, and other bounds.
func (s *Session) reach(v session, start, last int64) {
	now := v
	now.start, now.last, now.rows = start, last, v.rows+1
	s.store.change(v, now)
	s.moveAll(now)
}

// join makes one session of two and a row between them. The one with more rows
// stays.
func (s *Session) join(before, after session) {
	stays, goes := before, after
	if after.rows > before.rows {
		stays, goes = after, before
	}
	s.move(goes.key, goes.start, goes.last)
	s.drop(goes)
	now := stays
	now.start, now.last, now.rows = before.start, after.last, before.rows+after.rows+1
	s.store.change(stays, now)
	s.moveAll(now)
}

// leave takes a row out of its session: at an end this draws back, in the middle
// it may fall in two.
func (s *Session) leave(key state.Ref, at int64) error {
	v, _ := s.store.at(key, at)
	before, after, same := s.store.neighbours(key, at)
	now := v
	now.rows = max(v.rows-1, 1)
	switch {
	case same:
	case v.start == v.last:
		s.drop(v)
		return nil
	case at == v.start:
		now.start = after
	case at == v.last:
		now.last = before
	case after-before > s.spec.Gap:
		return s.split(v, before, after)
	}
	s.store.change(v, now)
	if now.start != v.start || now.last != v.last {
		s.moveAll(now)
	}
	return nil
}

// split parts a session between two times. The smaller part is a new one.
func (s *Session) split(v session, before, after int64) error {
	left, n := s.store.fewer(v, before, after)
	stays, goes := v, v
	stays.rows, goes.rows = max(v.rows-1-n, 1), max(n, 1)
	if left {
		stays.start, goes.last = after, before
	} else {
		stays.last, goes.start = before, after
	}
	s.store.change(v, stays)
	goes, err := s.store.makeSession(goes)
	if err != nil {
		return err
	}
	if s.over != nil {
		s.over.add(goes.ref)
	}
	s.move(goes.key, goes.start, goes.last)
	s.moveAll(stays)
	return nil
}

func (s *Session) drop(v session) {
	if s.over != nil {
		s.over.gone(v.ref)
	}
	s.store.end(v)
	s.keys = append(s.keys, v.key)
}

// move notes rows that stand in another session now.
func (s *Session) move(key state.Ref, from, to int64) {
	s.moved = append(s.moved, movedRows{key: key, from: from, to: to})
}

// moveAll notes a session whose bounds have changed, once in a batch. Its rows
// keep its id.
func (s *Session) moveAll(v session) {
	row := s.store.sessions.Mutable(v.ref)
	if s.spec.IDs || row[32] != 0 {
		return
	}
	row[32] = 1
	s.moved = append(s.moved, movedRows{session: v.ref})
}
