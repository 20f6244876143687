package operators

import (
	"bytes"
	"encoding/binary"
	"math"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// joinSide holds the rows of one input of a Join. Rows of equal keys form a
// chain, whose first row the key table finds; the row table finds each row by its
// whole content, so that a retraction need not walk a long chain. Where no
// retraction comes there is no such table, and equal rows lie side by side. A row:
//
//	0   how often it is there, 8
//	8   left row of a LEFT join: its degree, 8
//	16  the row before in the chain, 0 for the first, 8
//	24  the next in the chain, 0 for the last, 8
//	32  of a side whose rows expire: the row's time, MaxInt64 for NULL, 8
//
// then the encoded key, then the encoded row. A side that is a log has less: see
// joinLog.
type joinSide struct {
	group *grouping
	codec *state.Codec
	store *state.Store
	byRow *state.Table // nil: no row is ever taken back
	byKey *state.Table
	null  state.Ref // of one int key: the first row of the key NULL
	keyAt int       // where in a row the key begins; of a log, the row
	log   bool

	expiry *expiring // nil: rows stay
	time   int       // the column by which they expire
	// overMeet: rows that are over when they come are taken still.
	overMeet bool

	all    []int            // the positions of all columns
	hashes []uint64         // of the current chunk's rows
	cols   []*vector.Vector // scratch of pairColumns.decode
	old    expired
	enc    []byte
	packed []byte // scratch of a log's append
	plain  []byte // of a log: rows that were asked for
}

const joinHeader = 32

func newJoinSide(input []types.Type, keys []int, keyTypes []types.Type, env Env) *joinSide {
	s := &joinSide{group: newGroupingAs(keyTypes, keys), codec: state.NewCodec(input), store: state.NewStore(env.Account),
		byRow: state.NewTable(env.Account), all: positions(len(input)), keyAt: joinHeader}
	if s.group.one {
		s.byKey = state.NewIntTable(env.Account)
	} else {
		s.byKey = state.NewTable(env.Account)
	}
	return s
}

// next is the row behind a stored one in its chain.
func (s *joinSide) next(stored []byte) state.Ref {
	if s.log {
		return state.Ref(binary.LittleEndian.Uint64(stored))
	}
	return nextOf(stored)
}

// count is how often a stored row is there.
func (s *joinSide) count(stored []byte) int64 {
	if s.log {
		return logCount(stored)
	}
	return getInt(stored)
}

func nextOf(row []byte) state.Ref       { return state.Ref(binary.LittleEndian.Uint64(row[24:])) }
func setNext(row []byte, r state.Ref)   { binary.LittleEndian.PutUint64(row[24:], uint64(r)) }
func beforeOf(row []byte) state.Ref     { return state.Ref(binary.LittleEndian.Uint64(row[16:])) }
func setBefore(row []byte, r state.Ref) { binary.LittleEndian.PutUint64(row[16:], uint64(r)) }

// open prepares a chunk of this side.
func (s *joinSide) open(c *batch.Chunk) {
	s.group.open(c.Cols, c.N)
	if s.byRow != nil {
		s.hashes = state.HashRows(c.Cols, s.all, c.N, s.hashes)
	}
}

// row is the encoded row within a stored one, good until forget.
func (s *joinSide) row(stored []byte) []byte {
	if s.log {
		at := len(s.plain)
		s.plain = s.codec.Unpack(s.plain, stored[s.keyAt:])
		return s.plain[at:]
	}
	return stored[s.keyAt+s.group.codec.Len(stored[s.keyAt:]):]
}

// forget gives back the memory of rows that were asked for.
func (s *joinSide) forget() {
	if s.plain = s.plain[:0]; cap(s.plain) > 4<<20 { // of rows that were larger than most
		s.plain = nil
	}
}

// head returns the first of this side's rows with the key of row i of g, which
// may be the other side's.
func (s *joinSide) head(g *grouping, i int) state.Ref {
	if g.one {
		if g.null(i) {
			return s.null
		}
		return s.byKey.FindInt(g.ints[i])
	}
	enc := g.encode(i)
	// The texts' lengths stand at its beginning: as a prefix it is the whole key.
	return s.byKey.Find(g.hashes[i], func(r state.Ref) bool {
		return bytes.HasPrefix(s.store.Slot(r)[s.keyAt:], enc)
	})
}

// heads is head of the rows 0 … len(refs)−1 of g.
func (s *joinSide) heads(g *grouping, refs []state.Ref) {
	if !g.one {
		for i := range refs {
			refs[i] = s.head(g, i)
		}
		return
	}
	n := len(refs)
	s.byKey.FindInts(g.ints[:n], g.hashes[:n], refs)
	if g.cols[0].HasNulls() {
		for i := range refs {
			if g.null(i) {
				refs[i] = s.null
			}
		}
	}
}

// headOf is head for a key by its hash and encoding.
func (s *joinSide) headOf(hash uint64, key []byte) state.Ref {
	switch {
	case !s.group.one:
		return s.byKey.Find(hash, func(r state.Ref) bool { return bytes.HasPrefix(s.store.Slot(r)[s.keyAt:], key) })
	case key[0] != 0:
		return s.null
	}
	return s.byKey.FindInt(getInt(key[1:]))
}

// setHead makes r the first row of its key, in place of old (0: there was none).
func (s *joinSide) setHead(hash uint64, key []byte, old, r state.Ref) {
	switch {
	case !s.group.one:
		if old != 0 {
			s.byKey.Delete(hash, old)
		}
		if r != 0 {
			s.byKey.Insert(hash, r)
		}
	case key[0] != 0:
		s.null = r
	default:
		if old != 0 {
			s.byKey.DeleteInt(getInt(key[1:]), old)
		}
		if r != 0 {
			s.byKey.InsertInt(getInt(key[1:]), r)
		}
	}
}

// upsert counts row i of the open chunk w times more, and sets its degree.
func (s *joinSide) upsert(c *batch.Chunk, i int, w, degree int64) error {
	switch {
	case w == 0:
		return nil
	case s.log:
		return s.append(c, i, w)
	}
	s.enc = append(s.enc[:0], s.group.encode(i)...)
	keyLen := len(s.enc)
	s.enc = s.codec.Append(s.enc, c.Cols, i)
	if s.byRow == nil {
		_, err := s.insert(c, i, w, degree, keyLen)
		return err
	}
	r := s.byRow.Find(s.hashes[i], func(r state.Ref) bool { return bytes.HasPrefix(s.store.Slot(r)[s.keyAt:], s.enc) })
	if r == 0 {
		r, err := s.insert(c, i, w, degree, keyLen)
		if err == nil {
			s.byRow.Insert(s.hashes[i], r)
		}
		return err
	}
	row := s.store.MutableSlot(r)
	putInt(row, getInt(row)+w)
	putInt(row[8:], degree)
	if getInt(row) == 0 {
		if s.expiry != nil {
			s.expiry.gone(r)
		}
		s.byRow.Delete(s.hashes[i], r)
		s.drop(r, s.group.hashes[i])
	}
	return nil
}

// insert makes a row of what upsert has encoded, a key of keyLen bytes and the
// row, and adds it to its chain.
func (s *joinSide) insert(c *batch.Chunk, i int, w, degree int64, keyLen int) (state.Ref, error) {
	r, err := s.store.Alloc(s.keyAt + len(s.enc))
	if err != nil {
		return 0, err
	}
	row := s.store.MutableSlot(r)
	clear(row[16:s.keyAt])
	putInt(row, w)
	putInt(row[8:], degree)
	copy(row[s.keyAt:], s.enc)
	if s.expiry != nil {
		time := timeIn(c.Cols[s.time], i)
		putInt(row[joinHeader:], time)
		if time != math.MaxInt64 {
			s.expiry.addAt(r, time)
		}
	}
	if s.byRow == nil && s.group.one && !s.group.null(i) {
		// First in the chain: one look at the key table, and one other row to change.
		if old := s.byKey.SwapInt(s.group.ints[i], s.group.hashes[i], r); old != 0 {
			setNext(row, old)
			setBefore(s.store.MutableSlot(old), r)
		}
		return r, nil
	}
	// Second in the chain, so that the key table need not change.
	head := s.head(s.group, i)
	if head == 0 {
		s.setHead(s.group.hashes[i], s.enc[:keyLen], 0, r)
		return r, nil
	}
	first := s.store.MutableSlot(head)
	next := nextOf(first)
	setNext(first, r)
	setBefore(row, head)
	setNext(row, next)
	if next != 0 {
		setBefore(s.store.MutableSlot(next), r)
	}
	return r, nil
}

// drop ends the row r, whose key has the given hash. It is out of the row table.
func (s *joinSide) drop(r state.Ref, keyHash uint64) {
	row := s.store.Get(r)
	before, next := beforeOf(row), nextOf(row)
	if next != 0 {
		setBefore(s.store.MutableSlot(next), before)
	}
	if before != 0 {
		setNext(s.store.MutableSlot(before), next)
	} else {
		s.setHead(keyHash, row[s.keyAt:], r, next)
	}
	s.store.Free(r)
}

// addDegree adds w to the degree of a left row. It returns by how much the
// number of its NULL-extended rows changes for each time that it is there.
func (s *joinSide) addDegree(r state.Ref, w int64) int64 {
	row := s.store.MutableSlot(r)
	before := getInt(row[8:])
	after := before + w
	putInt(row[8:], after)
	switch {
	case before == 0 && after != 0:
		return -1
	case before != 0 && after == 0:
		return 1
	default:
		return 0
	}
}

// rebuild fills the tables from the store. The chains are in the rows.
func (s *joinSide) rebuild() {
	if s.log {
		s.rebuildLog()
		return
	}
	cols, keyCols := newVectors(s.codec.Types, 1), newVectors(s.group.types, 1)
	var one [1]uint64
	s.store.Scan(func(r state.Ref, row []byte) bool {
		if s.byRow != nil {
			resetVectors(cols)
			s.codec.Decode([][]byte{s.row(row)}, cols)
			s.byRow.Insert(state.HashRows(cols, s.all, 1, one[:])[0], r)
		}
		if beforeOf(row) == 0 {
			resetVectors(keyCols)
			s.group.codec.Decode([][]byte{row[s.keyAt:]}, keyCols)
			s.setHead(s.group.hashOf(keyCols), row[s.keyAt:], 0, r)
		}
		return true
	})
	if s.expiry != nil {
		s.expiry.rebuild(s.store)
	}
}
