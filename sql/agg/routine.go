package agg

import (
	"encoding/binary"
	"errors"

	"streamsql/sql/routine"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// Routine is Call.Fn of a function of the user's own, Call.Routine.
const Routine = "user aggregate"

// routineState is a function of the user's own. Its state, as the function's code
// encodes it, lies in the row if it is short, else in the heap:
//
//	0   the length of what is kept, + 1, 8; 0: nothing was seen yet
//	8   how many rows the function could not take in, less those that it could not take out, 8
//	16  the handle of what is kept in the heap, 0: it lies here, 8
//	24  what is kept
//
// While rows are missing the group has no result. When they have all been taken
// back it has one again. Kept is the reason why the first one is missing, with its
// length before it as an unsigned varint (0 while none is), then the state.
type routineState struct {
	at   int
	cols []int // the arguments, or the partial
	call Call
	code routine.Aggregate
	heap Heap
	can  bool // retract

	args   []*vector.Vector
	groups map[*byte]int32 // numbers of groups in the call, by where their rows lie
	rows   [][]byte        // of groups
	states [][]byte
	bad    []int64
	why    []string
	plus   taken
	minus  taken
	others [][]byte
	enc    []byte
}

// taken are rows to be taken in or out.
type taken struct {
	slots, rows []int32
}

const (
	routineHeader = 24
	routineInline = 56
	// Without a heap, in the frames of window functions, what is kept is as long as that.
	routineAlone = 1000
	// maxTaken bounds the rows that the code gets at once: a row of a large weight is many.
	maxTaken = 4096
)

func newRoutine(c Call, cols []int, at int, heap Heap) (*routineState, error) {
	code, err := routine.Open(c.Routine)
	if err != nil {
		return nil, err
	}
	return &routineState{at: at, cols: cols, call: c, code: code.Aggregate(), can: code.Retracts(), heap: heap, groups: map[*byte]int32{}}, nil
}

func (s *routineState) Columns() int { return 1 }

func (s *routineState) Size() int { return routineHeader + s.inline() }

// inline is how much can be kept in the row.
func (s *routineState) inline() int {
	if s.heap == nil {
		return routineAlone
	}
	return routineInline
}

func (s *routineState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	s.args = s.args[:0]
	for _, c := range s.cols {
		s.args = append(s.args, in[c])
	}
	s.open()
	for i, r := range rows {
		w := weight(weights, lo+i)
		if w == 0 {
			continue
		}
		slot, list := s.slot(r), &s.plus
		if w < 0 {
			list, w = &s.minus, -w
		}
		for ; w > 0; w-- {
			list.slots, list.rows = append(list.slots, slot), append(list.rows, int32(lo+i))
			if len(list.slots) == maxTaken {
				s.takeRows()
			}
		}
	}
	s.takeRows()
	return s.keepAll()
}

// open begins a call.
func (s *routineState) open() {
	clear(s.groups)
	s.rows, s.states, s.bad, s.why = s.rows[:0], s.states[:0], s.bad[:0], s.why[:0]
}

// slot is the number of a group in the call.
func (s *routineState) slot(row []byte) int32 {
	key := &row[s.at]
	if n := len(s.rows); n > 0 && &s.rows[n-1][s.at] == key {
		return int32(n - 1)
	}
	slot, ok := s.groups[key]
	if !ok {
		slot = int32(len(s.rows))
		s.groups[key] = slot
		why, state := s.kept(row)
		s.rows, s.states = append(s.rows, row), append(s.states, state)
		s.bad, s.why = append(s.bad, getInt(row[s.at+8:])), append(s.why, why)
	}
	return slot
}

// kept is what is kept of a group; a nil state: nothing was seen yet.
func (s *routineState) kept(row []byte) (why string, state []byte) {
	b := row[s.at : s.at+s.Size()]
	n := getInt(b)
	if n == 0 {
		return "", nil
	}
	kept := b[routineHeader:]
	if h := binary.LittleEndian.Uint64(b[16:]); h != 0 {
		kept = s.heap.Get(h)
	}
	return cutReason(kept[: n-1 : n-1])
}

func cutReason(b []byte) (why string, state []byte) {
	n, k := binary.Uvarint(b)
	b = b[k:]
	return string(b[:n]), b[n:]
}

// takeRows has the code take in, and out, what has been gathered.
func (s *routineState) takeRows() {
	if len(s.plus.slots) > 0 {
		s.code.Accumulate(s.states, s.plus.slots, s.args, s.plus.rows, s.failing(s.plus.slots, 1))
	}
	if len(s.minus.slots) > 0 {
		fail := s.failing(s.minus.slots, -1)
		if s.can {
			s.code.Retract(s.states, s.minus.slots, s.args, s.minus.rows, fail)
		} else {
			for j := range s.minus.slots {
				fail(j, errors.New("a value was taken back from an aggregate without retract"))
			}
		}
	}
	s.plus.slots, s.plus.rows = s.plus.slots[:0], s.plus.rows[:0]
	s.minus.slots, s.minus.rows = s.minus.slots[:0], s.minus.rows[:0]
}

// failing notes rows that the code could not take in (by 1) or out (by −1).
func (s *routineState) failing(slots []int32, by int64) routine.Fail {
	return func(j int, err error) {
		slot := slots[j]
		if s.bad[slot] += by; s.why[slot] == "" {
			s.why[slot] = sqlerr.From(err).Message
		}
	}
}

// keepAll puts the groups' states into their rows.
func (s *routineState) keepAll() error {
	for i, row := range s.rows {
		if err := s.keep(row[s.at:s.at+s.Size()], s.states[i], s.bad[i], s.why[i]); err != nil {
			return err
		}
	}
	return nil
}

const longState = "its state is longer than a window function with a frame can keep"

func (s *routineState) keep(b, state []byte, bad int64, why string) error {
	if bad == 0 {
		why = ""
	}
	s.enc = append(binary.AppendUvarint(s.enc[:0], uint64(len(why))), why...)
	s.enc = append(s.enc, state...)
	old := binary.LittleEndian.Uint64(b[16:])
	h := uint64(0)
	switch {
	case len(s.enc) <= s.inline():
		clear(b[routineHeader+copy(b[routineHeader:], s.enc):])
	case s.heap == nil: // nothing can ever make up for what is lost
		bad, s.enc = 1<<62, append(binary.AppendUvarint(s.enc[:0], uint64(0)), state[:0]...)
	default:
		var err error
		if h, err = s.heap.Put(s.enc); err != nil {
			return err
		}
	}
	if old != 0 {
		s.heap.Drop(old)
	}
	putInt(b, int64(len(s.enc))+1)
	putInt(b[8:], bad)
	binary.LittleEndian.PutUint64(b[16:], h)
	return nil
}

// AppendPartial gives, of each group, how many rows are missing as a varint, then
// what is kept; nothing of one that has seen nothing.
func (s *routineState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	for _, r := range rows {
		why, state := s.kept(r)
		s.enc = s.enc[:0]
		if b := r[s.at:]; getInt(b) != 0 {
			s.enc = binary.AppendVarint(s.enc, getInt(b[8:]))
			s.enc = append(binary.AppendUvarint(s.enc, uint64(len(why))), why...)
			s.enc = append(s.enc, state...)
		}
		out[0].AppendBytes(s.enc)
	}
}

func (s *routineState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	s.open()
	s.others, s.plus.slots = s.others[:0], s.plus.slots[:0]
	v := in[s.cols[0]]
	for i, r := range rows {
		b := v.Bytes(lo + i)
		if len(b) == 0 {
			continue
		}
		slot := s.slot(r)
		bad, k := binary.Varint(b)
		why, state := cutReason(b[k:])
		if s.bad[slot] += bad; s.why[slot] == "" {
			s.why[slot] = why
		}
		s.plus.slots, s.others = append(s.plus.slots, slot), append(s.others, state)
	}
	if len(s.others) > 0 {
		s.code.Merge(s.states, s.plus.slots, s.others, s.failing(s.plus.slots, 1))
	}
	s.plus.slots = s.plus.slots[:0]
	return s.keepAll()
}

func (s *routineState) AppendResult(rows [][]byte, out *vector.Vector, fail func(i int, err error)) {
	s.open()
	missing := false
	for _, r := range rows {
		_, state := s.kept(r)
		s.states = append(s.states, state)
		missing = missing || getInt(r[s.at+8:]) != 0
	}
	if !missing {
		s.finish(s.states, out, fail)
		return
	}
	some := vector.New(out.Type, len(rows))
	s.finish(s.states, some, func(i int, err error) {
		if getInt(rows[i][s.at+8:]) == 0 {
			fail(i, err)
		}
	})
	for i, r := range rows {
		if getInt(r[s.at+8:]) == 0 {
			out.AppendFrom(some, i)
			continue
		}
		out.AppendNull()
		why, _ := s.kept(r)
		if why == "" {
			why = sqlerr.From(routine.Failed(s.call.Routine, longState)).Message
		}
		fail(i, sqlerr.New(sqlerr.SignalException, "%s", why))
	}
}

// finish appends results behind what out holds, for which the code knows no place.
func (s *routineState) finish(states [][]byte, out *vector.Vector, fail func(i int, err error)) {
	if out.N == 0 {
		s.code.Finish(states, out, fail)
		return
	}
	some := vector.New(out.Type, len(states))
	s.code.Finish(states, some, fail)
	for i := range states {
		out.AppendFrom(some, i)
	}
}

// handle is what a group's row has in the heap; 0: nothing.
func (s *routineState) handle(row []byte) uint64 { return binary.LittleEndian.Uint64(row[s.at+16:]) }
