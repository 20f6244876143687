package operators

import (
	"bytes"
	"fmt"
	"math"

	"github.com/tidwall/btree"

	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// sessionStore holds the rows of a Session, and the sessions that they make.
//
// A key's row:
//
//	0   how many sessions it has, 8
//	8   the key's hash, 8
//	16  the encoded key
//
// A session's row, whose Ref is the session's id:
//
//	0   the key's Ref, 8
//	8   the time of its first row, 8
//	16  the time of its last row, 8
//	24  how many different rows it has, about, 8
//	32  the least time that one of its rows reaches back to, 8
//	40  1 while it is in Session.moved, 8
//
// A row's row:
//
//	0   how often it is there, 8
//	8   how often it was given, 8
//	16  with which session, 16: start and end, or the id
//	32  the key's Ref, 8
//	40  1 while it is in Session.dirty, 8
//	48  its time, 8
//	56  the time that it reaches back to, 8
//	64  the encoded columns that are kept
type sessionStore struct {
	account  *account.Account
	keys     *index
	sessions *state.Store
	rows     *state.Store
	byRow    *state.Table
	codec    *state.Codec
	spans    *btree.BTreeG[sessionEntry] // sessions by key and first row
	times    *btree.BTreeG[sessionEntry] // rows by key and time
	short    *btree.BTreeG[sessionEntry] // those of them that reach back less than gap
	gap      int64
	// marked: the watermark of a row is part of the row, and so is what it reaches back
	// to. Else equal rows are one row, with the reach of the first of them.
	marked bool
	enc    []byte
	// ended are sessions that ended in the batch. Their rows, of key 0, stay until its
	// end, so that no id means two sessions in one batch.
	ended []state.Ref
}

const (
	sessionKeyHeader = 16
	sessionBytes     = 48
	sessionRowHeader = 64
	sessionEntrySize = 32 // bytes, with the room that nodes leave
)

// sessionEntry is a session, or a row, of a key at a time.
type sessionEntry struct {
	key state.Ref
	at  int64
	ref state.Ref
}

func lessSessionEntry(a, b sessionEntry) bool {
	switch {
	case a.key != b.key:
		return a.key < b.key
	case a.at != b.at:
		return a.at < b.at
	}
	return a.ref < b.ref
}

const lastRef = state.Ref(math.MaxUint64)

func newSessionStore(spec SessionSpec, a *account.Account) *sessionStore {
	s := &sessionStore{
		account: a, keys: newIndex(newGrouping(spec.Input, spec.Keys), sessionKeyHeader, a),
		sessions: state.NewStore(a), rows: state.NewStore(a), byRow: state.NewTable(a), gap: spec.Gap, marked: spec.Late >= 0,
	}
	for _, t := range []**btree.BTreeG[sessionEntry]{&s.spans, &s.times, &s.short} {
		*t = btree.NewBTreeGOptions(lessSessionEntry, btree.Options{NoLocks: true})
	}
	var kept []types.Type
	for _, k := range spec.Keep {
		kept = append(kept, spec.Input[k])
	}
	s.codec = state.NewCodec(kept)
	return s
}

func (s *sessionStore) set(t *btree.BTreeG[sessionEntry], e sessionEntry) {
	t.Set(e)
	s.account.Force(sessionEntrySize)
}

func (s *sessionStore) unset(t *btree.BTreeG[sessionEntry], e sessionEntry) {
	t.Delete(e)
	s.account.Release(sessionEntrySize)
}

// key is the row of the key of row i of the open chunk.
func (s *sessionStore) key(i int) (state.Ref, error) {
	r := s.keys.find(i)
	if r != 0 {
		return r, nil
	}
	r, err := s.keys.add(i)
	if err == nil {
		putInt(s.keys.store.Mutable(r)[8:], int64(s.keys.hashes[i]))
	}
	return r, err
}

// row is that of row i of the columns kept, under a key; 0: there is none.
func (s *sessionStore) row(kept []*vector.Vector, i int, key state.Ref, at, from int64) (r state.Ref, hash uint64) {
	s.enc = s.codec.Append(s.enc[:0], kept, i)
	hash = s.hash(key, at, from, s.enc)
	r = s.byRow.Find(hash, func(r state.Ref) bool {
		row := s.rows.Get(r)
		return getInt(row[32:]) == int64(key) && getInt(row[48:]) == at && (!s.marked || getInt(row[56:]) == from) &&
			bytes.Equal(row[sessionRowHeader:], s.enc)
	})
	return r, hash
}

func (s *sessionStore) hash(key state.Ref, at, from int64, row []byte) uint64 {
	h := state.HashInt(int64(key)) ^ state.HashInt(at)<<1 ^ state.HashBytes(row)
	if s.marked {
		h += state.HashInt(at - from)
	}
	return h
}

// makeRow makes the row last looked for.
func (s *sessionStore) makeRow(key state.Ref, at, from int64, hash uint64) (state.Ref, error) {
	r, err := s.rows.Alloc(sessionRowHeader + len(s.enc))
	if err != nil {
		return 0, err
	}
	row := s.rows.Mutable(r)
	clear(row[:sessionRowHeader])
	putInt(row[32:], int64(key))
	putInt(row[48:], at)
	putInt(row[56:], from)
	copy(row[sessionRowHeader:], s.enc)
	s.byRow.Insert(hash, r)
	return r, nil
}

// freeRow ends a row that is in no tree.
func (s *sessionStore) freeRow(r state.Ref) {
	row := s.rows.Get(r)
	s.byRow.Delete(s.hash(state.Ref(getInt(row[32:])), getInt(row[48:]), getInt(row[56:]), row[sessionRowHeader:]), r)
	s.rows.Free(r)
}

// session is one, read from its row.
type session struct {
	ref, key    state.Ref
	start, last int64
	rows        int64
	reach       int64
}

func (s *sessionStore) read(r state.Ref) session {
	row := s.sessions.Get(r)
	return session{r, state.Ref(getInt(row)), getInt(row[8:]), getInt(row[16:]), getInt(row[24:]), getInt(row[32:])}
}

// at is the session of a key that holds a time, or the last that begins before it.
func (s *sessionStore) at(key state.Ref, at int64) (session, bool) {
	var found sessionEntry
	s.spans.Descend(sessionEntry{key, at, lastRef}, func(e sessionEntry) bool {
		found = e
		return false
	})
	if found.ref == 0 || found.key != key {
		return session{}, false
	}
	return s.read(found.ref), true
}

// makeSession makes a session.
func (s *sessionStore) makeSession(v session) (session, error) {
	r, err := s.sessions.Alloc(sessionBytes)
	if err != nil {
		return v, err
	}
	v.ref = r
	clear(s.sessions.Mutable(r))
	s.write(v)
	s.set(s.spans, sessionEntry{v.key, v.start, r})
	k := s.keys.store.Mutable(v.key)
	putInt(k, getInt(k)+1)
	return v, nil
}

func (s *sessionStore) write(v session) {
	row := s.sessions.Mutable(v.ref)
	putInt(row, int64(v.key))
	putInt(row[8:], v.start)
	putInt(row[16:], v.last)
	putInt(row[24:], v.rows)
	putInt(row[32:], v.reach)
}

// change gives a session other bounds.
func (s *sessionStore) change(was, now session) {
	if was.start != now.start {
		s.unset(s.spans, sessionEntry{was.key, was.start, was.ref})
		s.set(s.spans, sessionEntry{now.key, now.start, now.ref})
	}
	s.write(now)
}

// end ends a session.
func (s *sessionStore) end(v session) {
	s.unset(s.spans, sessionEntry{v.key, v.start, v.ref})
	putInt(s.sessions.Mutable(v.ref), 0)
	s.ended = append(s.ended, v.ref)
	k := s.keys.store.Mutable(v.key)
	putInt(k, getInt(k)-1)
}

// has reports that a session is there and has not ended.
func (s *sessionStore) has(r state.Ref) bool {
	return s.sessions.Has(r) && getInt(s.sessions.Get(r)) != 0
}

// freeEnded frees at most n of the sessions that have ended, and returns how many.
func (s *sessionStore) freeEnded(n int) (did int) {
	for ; did < n && len(s.ended) > 0; did++ {
		s.sessions.Free(s.ended[len(s.ended)-1])
		s.ended = s.ended[:len(s.ended)-1]
	}
	return did
}

// endKey ends a key without sessions.
func (s *sessionStore) endKey(key state.Ref) {
	if !s.keys.store.Has(key) {
		return
	}
	if k := s.keys.store.Get(key); getInt(k) == 0 {
		s.keys.remove(uint64(getInt(k[8:])), key)
	}
}

// checkCount is the error of a row that is there less than not at all.
func (s *sessionStore) checkCount(n int64, node string) error {
	if n < 0 {
		return fmt.Errorf("%s: a row is there %d times: a retraction of what was never inserted", node, n)
	}
	return nil
}

// states are the stores; rebuild derives the indexes from them.
func (s *sessionStore) states() []*state.Store {
	return []*state.Store{s.keys.store, s.sessions, s.rows}
}

func (s *sessionStore) rebuild() {
	s.keys.rebuild()
	s.sessions.Scan(func(r state.Ref, row []byte) bool {
		s.set(s.spans, sessionEntry{state.Ref(getInt(row)), getInt(row[8:]), r})
		return true
	})
	s.rows.Scan(func(r state.Ref, row []byte) bool {
		key, at, from := state.Ref(getInt(row[32:])), getInt(row[48:]), getInt(row[56:])
		s.place(key, at, from, r)
		s.byRow.Insert(s.hash(key, at, from, row[sessionRowHeader:]), r)
		return true
	})
}
