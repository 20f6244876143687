package operators

import "streamsql/operators/state"

// settle brings sessions up to date with a row that was counted: it may have
// come, or gone.
func (s *Session) settle(r state.Ref) error {
	row := s.store.rows.Get(r)
	count, given := getInt(row), getInt(row[8:])
	key, at, from := state.Ref(getInt(row[32:])), getInt(row[48:]), getInt(row[56:])
	if err := s.store.checkCount(count, s.env.Node); err != nil {
		return err
	}
	switch {
	case count > 0 && given == 0:
		err := s.come(key, at, from)
		s.store.place(key, at, from, r)
		return err
	case count == 0 && given > 0:
		s.store.displace(key, at, from, r)
		return s.leave(key, at, from)
	case count == 0:
		s.keys = append(s.keys, key)
	}
	return nil
}

// retract takes a row back, in the order in which that was done. A session that was over
// by then stays as it is: what has come later is in none of those.
func (s *Session) retract(b retraction) error {
	row := s.store.rows.Mutable(b.row)
	count, key, at := getInt(row), state.Ref(getInt(row[32:])), getInt(row[48:])
	if count > 0 {
		if v, ok := s.store.at(key, at); ok && v.last+s.spec.Gap+s.late.Allowed <= b.closed {
			return nil
		}
	}
	putInt(row, count+b.weight)
	if err := s.store.checkCount(count+b.weight, s.env.Node); err != nil || count+b.weight > 0 {
		return err
	}
	s.store.displace(key, at, getInt(row[56:]), b.row)
	return s.leave(key, at, getInt(row[56:]))
}

// come makes room for a row: in a session that it touches, in several, which
// become one, or in a new one. The session with the most rows stays.
func (s *Session) come(key state.Ref, at, from int64) error {
	s.near = s.store.touching(s.near[:0], key, from, at)
	now := session{key: key, start: at, last: at, reach: from, rows: 1}
	if len(s.near) == 0 {
		_, err := s.begins(now)
		return err
	}
	stays := s.near[0]
	for _, v := range s.near {
		now.start, now.last, now.reach = min(now.start, v.start), max(now.last, v.last), min(now.reach, v.reach)
		now.rows += v.rows
		if v.rows > stays.rows {
			stays = v
		}
	}
	for _, v := range s.near {
		if v.ref != stays.ref {
			s.move(key, v.start, v.last)
			s.drop(v)
		}
	}
	now.ref = stays.ref
	s.change(stays, now)
	return nil
}

// begins makes a session.
func (s *Session) begins(v session) (session, error) {
	v, err := s.store.makeSession(v)
	if err == nil && s.over != nil {
		s.over.add(v.ref)
	}
	return v, err
}

// change gives a session other bounds.
func (s *Session) change(was, now session) {
	s.store.change(was, now)
	if s.over != nil && now.last < was.last {
		s.over.add(now.ref)
	}
	if now.start != was.start || now.last != was.last {
		s.moveAll(now)
	}
}

// leave takes a row out of its session: at an end this draws back, and it may
// fall in two, or more, where the row held it together.
func (s *Session) leave(key state.Ref, at, from int64) error {
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
	}
	now.reach = s.store.reach(key, now.start)
	s.change(v, now)
	s.breaks = s.store.uncovered(s.breaks[:0], now, from, at)
	if !same && v.start < at && at < v.last && s.store.apart(key, sessionBreak{before, after}) {
		s.breaks = append(s.breaks, sessionBreak{before, after})
	}
	for _, b := range s.breaks {
		var err error
		if now, err = s.split(now, b); err != nil {
			return err
		}
	}
	return nil
}

// split parts a session at a break, and returns the part behind it. The smaller
// part is a new session.
func (s *Session) split(v session, b sessionBreak) (behind session, err error) {
	left, n := s.store.fewer(v, b.before, b.after)
	stays, goes := v, v
	stays.rows, goes.rows = max(v.rows-1-n, 1), max(n, 1)
	reach := s.store.reach(v.key, b.after)
	if left {
		stays.start, stays.reach, goes.last = b.after, reach, b.before
	} else {
		stays.last, goes.start, goes.reach = b.before, b.after, reach
	}
	s.change(v, stays)
	if goes, err = s.begins(goes); err != nil {
		return goes, err
	}
	s.move(goes.key, goes.start, goes.last)
	if left {
		return stays, nil
	}
	return goes, nil
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
	if s.spec.IDs || row[40] != 0 {
		return
	}
	row[40] = 1
	s.moved = append(s.moved, movedRows{session: v.ref})
}
