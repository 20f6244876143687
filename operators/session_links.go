package operators

import (
	"math"

	"streamsql/operators/state"
)

// A row reaches back in time for the gap, but not to sessions that were over when
// it came: those it would have found given out already. Rows of a key are in one
// session that hang together by that, each one's stretch from where it reaches back
// to up to its own time being a link. So sessions depend on the rows alone, in
// whatever order they come, and one that is over stays as it is.
//
// Few rows reach back for less than the gap (short): those that come when a session
// at that distance would have been over. Between two rows of a session that are not
// short, what holds is that they are no more than the gap apart.

// place puts a row into the trees.
func (s *sessionStore) place(key state.Ref, at, from int64, r state.Ref) {
	s.set(s.times, sessionEntry{key, at, r})
	if at-from < s.gap {
		s.set(s.short, sessionEntry{key, at, r})
	}
}

// displace takes it out again.
func (s *sessionStore) displace(key state.Ref, at, from int64, r state.Ref) {
	s.unset(s.times, sessionEntry{key, at, r})
	if at-from < s.gap {
		s.unset(s.short, sessionEntry{key, at, r})
	}
}

// touching appends the sessions of a key that a row at a time, which reaches back
// to from, would be in.
func (s *sessionStore) touching(list []session, key state.Ref, from, at int64) []session {
	s.spans.Descend(sessionEntry{key, at, lastRef}, func(e sessionEntry) bool {
		if e.key != key {
			return false
		}
		v := s.read(e.ref)
		if v.last >= from {
			list = append(list, v)
		}
		return v.last >= from
	})
	s.spans.Ascend(sessionEntry{key, at, lastRef}, func(e sessionEntry) bool {
		if e.key == key {
			if v := s.read(e.ref); v.reach <= at {
				list = append(list, v)
			}
		}
		return false
	})
	return list
}

// reach is the least time that a row of the session that begins at start reaches
// back to. The first that is not short decides, with the short ones before it.
func (s *sessionStore) reach(key state.Ref, start int64) int64 {
	least := int64(math.MaxInt64)
	s.times.Ascend(sessionEntry{key, start, 0}, func(e sessionEntry) bool {
		if e.key != key || e.at-s.gap >= least {
			return false
		}
		from := getInt(s.rows.Get(e.ref)[56:])
		least = min(least, from)
		return e.at-from < s.gap
	})
	return least
}

// sessionBreak is between two times of rows that follow one another.
type sessionBreak struct{ before, after int64 }

// apart reports that no row behind b reaches over it.
func (s *sessionStore) apart(key state.Ref, b sessionBreak) bool {
	apart := true
	s.times.Ascend(sessionEntry{key, b.after, 0}, func(e sessionEntry) bool {
		if e.key != key || e.at-s.gap > b.before {
			return false
		}
		apart = getInt(s.rows.Get(e.ref)[56:]) > b.before
		return apart
	})
	return apart
}

// uncovered appends, in order, where a session is in pieces up to a time after a
// row there that reached back to from has gone: always before a short row.
func (s *sessionStore) uncovered(list []sessionBreak, v session, from, at int64) []sessionBreak {
	low := max(from, v.start)
	s.short.Ascend(sessionEntry{v.key, low + 1, 0}, func(e sessionEntry) bool {
		if e.key != v.key || e.at > min(at, v.last) {
			return false
		}
		if n := len(list); n > 0 && list[n-1].after == e.at {
			return true
		}
		before := s.before(v.key, e.at)
		if b := (sessionBreak{before, e.at}); before >= low && s.apart(v.key, b) {
			list = append(list, b)
		}
		return true
	})
	return list
}

// before is the time of the last row of a key before a time; MinInt64: there is
// none.
func (s *sessionStore) before(key state.Ref, at int64) int64 {
	before := int64(math.MinInt64)
	s.times.Descend(sessionEntry{key, at, 0}, func(e sessionEntry) bool {
		if e.key == key {
			before = e.at
		}
		return false
	})
	return before
}

// neighbours are the times of a key's rows next to a time, or say that a row is at
// the time itself.
func (s *sessionStore) neighbours(key state.Ref, at int64) (before, after int64, same bool) {
	before, after = s.before(key, at), math.MaxInt64
	s.times.Ascend(sessionEntry{key, at, 0}, func(e sessionEntry) bool {
		if same = e.key == key && e.at == at; !same && e.key == key {
			after = e.at
		}
		return false
	})
	return before, after, same
}

// mostCounted bounds how many rows are looked at to tell which part of a split
// session is the smaller one.
const mostCounted = 512

// fewer tells which part of a session with the given number of rows is the
// smaller one when it is split between two times, and about how many rows it has.
func (s *sessionStore) fewer(v session, before, after int64) (left bool, n int64) {
	l, r := int64(0), int64(0)
	s.times.Descend(sessionEntry{v.key, before, lastRef}, func(e sessionEntry) bool {
		if e.key != v.key || e.at < v.start || l == mostCounted {
			return false
		}
		l++
		return true
	})
	s.times.Ascend(sessionEntry{v.key, after, 0}, func(e sessionEntry) bool {
		if e.key != v.key || e.at > v.last || r == min(l+1, mostCounted) {
			return false
		}
		r++
		return true
	})
	if l == mostCounted && r == mostCounted {
		return true, v.rows / 2
	}
	return l <= r, min(l, r)
}
