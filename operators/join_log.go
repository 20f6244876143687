package operators

import (
	"encoding/binary"
	"fmt"
	"math"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// A joinSide is a log if its rows stay, have one integer as their key, and count no
// matches. Then nothing that is there changes when a row comes, so that pages are
// written once. The newest row of a key is the first of its chain. A row:
//
//	0   the next in the chain, which came before it, 8
//	8   how often it is there, 4
//	12  how many of its key came before it, 4
//
// then the encoded row, packed, which has the key.
const joinLog = 16

// makeLog makes a side without rows, of those that count no matches, a log if it can
// be one.
func (s *joinSide) makeLog() {
	if s.byRow != nil || s.expiry != nil || !s.group.one {
		return
	}
	switch s.codec.Types[s.group.keys[0]].Class() {
	case types.ClassFloat, types.ClassBytes, types.ClassDecimal:
	default:
		s.log, s.keyAt = true, joinLog
	}
}

func logCount(stored []byte) int64   { return int64(binary.LittleEndian.Uint32(stored[8:])) }
func logBefore(stored []byte) uint32 { return binary.LittleEndian.Uint32(stored[12:]) }

// append adds row i of the open chunk, w times.
func (s *joinSide) append(c *batch.Chunk, i int, w int64) error {
	if w < 0 {
		return fmt.Errorf("Join: a row of an input that only grows is taken back")
	}
	s.enc = s.codec.Append(s.enc[:0], c.Cols, i)
	s.packed = s.codec.Pack(s.packed[:0], s.enc)
	for w > 0 {
		n := min(w, math.MaxUint32)
		w -= n
		r, err := s.store.Alloc(joinLog + len(s.packed))
		if err != nil {
			return err
		}
		old := s.null
		if s.group.null(i) {
			s.null = r
		} else {
			old = s.byKey.SwapInt(s.group.ints[i], s.group.hashes[i], r)
		}
		before := uint32(0)
		if old != 0 {
			before = logBefore(s.store.Slot(old)) + 1
		}
		row := s.store.MutableSlot(r)
		binary.LittleEndian.PutUint64(row, uint64(old))
		binary.LittleEndian.PutUint32(row[8:], uint32(n))
		binary.LittleEndian.PutUint32(row[12:], before)
		copy(row[joinLog:], s.packed)
	}
	return nil
}

// rebuildLog finds the newest row of each key.
func (s *joinSide) rebuildLog() {
	key := s.group.keys[0]
	s.store.Scan(func(r state.Ref, row []byte) bool {
		s.enc = s.codec.Unpack(s.enc[:0], row[joinLog:])
		k, ok := s.codec.Int(s.enc, key)
		if !ok {
			if s.null == 0 || logBefore(s.store.Slot(s.null)) < logBefore(row) {
				s.null = r
			}
			return true
		}
		hash := state.HashInt(k)
		if old := s.byKey.SwapInt(k, hash, r); old != 0 && logBefore(s.store.Slot(old)) > logBefore(row) {
			s.byKey.SwapInt(k, hash, old)
		}
		return true
	})
}
