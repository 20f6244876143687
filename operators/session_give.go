package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

func (s *Session) flush(emit func(*batch.Chunk)) {
	if s.pending != nil {
		emit(s.pending)
	}
	s.pending = nil
}

// giveCounted gives the change of a row that was counted in the batch, and ends
// it if it is there no more.
func (s *Session) giveCounted(r state.Ref) {
	s.giveRow(r)
	row := s.store.rows.Mutable(r)
	if row[40] = 0; getInt(row) == 0 {
		s.store.freeRow(r)
	}
}

// giveRange gives at most n rows of m anew.
func (s *Session) giveRange(m *movedRows, n int) int {
	if m.session != 0 {
		row := []byte(nil)
		if s.store.has(m.session) {
			row = s.store.sessions.Mutable(m.session)
		}
		if row == nil || row[40] == 0 { // it went into another one
			*m = movedRows{from: 1}
			return 0
		}
		row[40] = 0
		v := s.store.read(m.session)
		*m = movedRows{key: v.key, from: v.start, to: v.last}
	}
	list := s.rowsOf(m, max(n, 1))
	for _, e := range list {
		s.giveRow(e.ref)
	}
	return len(list)
}

// giveRow gives what has changed of a row since it was given: how often it is
// there, and in which session.
func (s *Session) giveRow(r state.Ref) {
	row := s.store.rows.Get(r)
	count, given := getInt(row), getInt(row[8:])
	was := [2]int64{getInt(row[16:]), getInt(row[24:])}
	now := was
	at := getInt(row[48:])
	if count > 0 {
		v, _ := s.store.at(state.Ref(getInt(row[32:])), at)
		now = [2]int64{v.start, v.last + s.spec.Gap}
		if s.spec.IDs {
			now = [2]int64{at + s.spec.Gap, int64(v.ref)}
		}
	}
	switch {
	case given == 0 && count == 0, now == was && count == given:
		return
	case given == 0:
		s.put(row, now, count)
	case count == 0:
		s.put(row, was, -given)
	case now == was:
		s.put(row, now, count-given)
	default:
		s.put(row, was, -given)
		s.put(row, now, count)
	}
	row = s.store.rows.Mutable(r)
	putInt(row[8:], count)
	putInt(row[16:], now[0])
	putInt(row[24:], now[1])
}

// put appends a stored row to the output.
func (s *Session) put(row []byte, last [2]int64, w int64) {
	if s.pending == nil {
		s.pending = batch.New(s.out, 64)
	}
	c := s.pending
	n := len(c.Cols) - 2
	s.store.codec.Decode([][]byte{row[sessionRowHeader:]}, c.Cols[:n:n])
	for k, v := range []*vector.Vector{c.Cols[n], c.Cols[n+1]} {
		v.AppendInt(last[k])
	}
	c.PushWeight(w)
}
