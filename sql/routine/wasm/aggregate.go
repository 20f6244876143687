package wasm

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"streamsql/sql/routine"
	"streamsql/sql/vector"
)

// aggregate runs an aggregate function. The states of a call are copied into the
// module's memory, and back.
type aggregate struct {
	code  *code
	chunk chunk
	made  []byte // the new states of the call
	place []int  // of each state in the chunk, from 1; 0: it is not there
	used  []int32
}

// Accumulate takes rows into states.
func (a *aggregate) Accumulate(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, fail routine.Fail) {
	a.each(states, slots, work{args: args, rows: rows, f: func(in *instance) api.Function { return in.accumulate }}, fail)
}

// Retract takes rows out of states.
func (a *aggregate) Retract(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, fail routine.Fail) {
	a.each(states, slots, work{args: args, rows: rows, f: func(in *instance) api.Function { return in.retract }}, fail)
}

// Merge takes other states into states.
func (a *aggregate) Merge(states [][]byte, slots []int32, others [][]byte, fail routine.Fail) {
	a.each(states, slots, work{others: others, f: func(in *instance) api.Function { return in.merge }}, fail)
}

// work is what a call does: take rows of args in, or others.
type work struct {
	f      func(*instance) api.Function
	args   []*vector.Vector
	rows   []int32
	others [][]byte
}

// part is the work of the calls lo … hi.
func (w work) part(lo, hi int) work {
	if w.others != nil {
		w.others = w.others[lo:hi]
	} else {
		w.rows = w.rows[lo:hi]
	}
	return w
}

// each runs the module for all rows; for one at a time, where it fails for all.
func (a *aggregate) each(states [][]byte, slots []int32, w work, fail routine.Fail) {
	a.made = nil // that of the call before is the caller's
	n := len(slots)
	tried := tries{code: a.code}
	for lo := 0; lo < n; {
		hi := min(n, lo+int(a.code.perCall.Load()))
		if err := tried.once(func() error { return a.some(states, slots[lo:hi], w.part(lo, hi)) }); err != nil {
			if hi-lo > 1 && !isRefusal(err) {
				a.code.slower(hi - lo)
			}
			for i := lo; i < hi; i++ {
				if err := tried.once(func() error { return a.some(states, slots[i:i+1], w.part(i, i+1)) }); err != nil {
					fail(i, tried.reason(err))
				}
			}
		}
		lo = hi
	}
}

// refusal is the error of a call in which the module marked a row.
type refusal struct{}

func (refusal) Error() string { return refused }

func isRefusal(err error) bool { return err == refusal{} }

// some runs the module once. After an error no state has changed.
func (a *aggregate) some(states [][]byte, slots []int32, w work) error {
	in, err := a.code.pool.Take()
	if err != nil {
		return err
	}
	defer a.code.give(in)
	c, size := &a.chunk, a.code.size
	c.reset(len(slots))
	for _, v := range w.args {
		c.place(v, w.rows)
	}
	c.placeHeads()
	a.placeStates(len(states), slots)
	if w.others != nil {
		c.others = c.take(4*len(slots) + len(slots)*size)
	}
	b, err := in.room(c.size)
	if err != nil {
		return err
	}
	for k, v := range w.args {
		c.columns[k].fill(b, v, w.rows)
	}
	a.fillStates(b, in.at, states, slots)
	if w.others != nil {
		a.fillOthers(b, in.at, w.others)
	}
	c.write(b, in.at)
	if err := in.invoke(w.f(in)); err != nil {
		return err
	}
	b, ok := in.module.Memory().Read(in.at, uint32(c.size))
	if !ok {
		in.dead = true
		return errMemory
	}
	for _, f := range b[c.failed : c.failed+c.rows] {
		if f != 0 {
			return refusal{}
		}
	}
	for k, s := range a.used {
		from := len(a.made)
		a.made = append(a.made, b[c.states+k*size:c.states+(k+1)*size]...)
		states[s] = a.made[from:len(a.made):len(a.made)]
	}
	return nil
}

// placeStates makes room for each state that a slot names, once.
func (a *aggregate) placeStates(n int, slots []int32) {
	if len(a.place) < n {
		a.place = make([]int, n)
	}
	for _, s := range a.used {
		a.place[s] = 0
	}
	a.used = a.used[:0]
	for _, s := range slots {
		if a.place[s] == 0 {
			a.used = append(a.used, s)
			a.place[s] = len(a.used)
		}
	}
	a.chunk.slots = a.chunk.take(4 * len(slots))
	a.chunk.states = a.chunk.take(len(a.used) * a.code.size)
}

// fillStates writes states, and for each row where its state is.
func (a *aggregate) fillStates(b []byte, base uint32, states [][]byte, slots []int32) {
	c, size := &a.chunk, a.code.size
	for k, s := range a.used {
		a.code.fillState(b[c.states+k*size:], states[s])
	}
	for k, s := range slots {
		binary.LittleEndian.PutUint32(b[c.slots+4*k:], base+uint32(c.states+(a.place[s]-1)*size))
	}
}

func (a *aggregate) fillOthers(b []byte, base uint32, others [][]byte) {
	c, size := &a.chunk, a.code.size
	at := (c.others + 4*len(others) + 7) &^ 7
	for k, o := range others {
		binary.LittleEndian.PutUint32(b[c.others+4*k:], base+uint32(at+k*size))
		a.code.fillState(b[at+k*size:], o)
	}
}

// fillState writes a state; nil is that of no rows.
func (c *code) fillState(b, state []byte) {
	if state == nil {
		state = c.initial
	}
	copy(b[:c.size], state)
}

// Finish gives the results.
func (a *aggregate) Finish(states [][]byte, out *vector.Vector, fail routine.Fail) {
	n := len(states)
	slots := make([]int32, n)
	for i := range slots {
		slots[i] = int32(i)
	}
	tried := tries{code: a.code}
	for lo := 0; lo < n; {
		hi := min(n, lo+maxPerCall)
		if err := tried.once(func() error { return a.finish(states, slots[lo:hi], out, fail) }); err != nil {
			for i := lo; i < hi; i++ {
				if err := tried.once(func() error { return a.finish(states, slots[i:i+1], out, fail) }); err != nil {
					out.AppendNull()
					fail(i, tried.reason(err))
				}
			}
		}
		lo = hi
	}
}

// finish runs the module once. After an error nothing was appended or told to fail.
func (a *aggregate) finish(states [][]byte, slots []int32, out *vector.Vector, fail routine.Fail) error {
	in, err := a.code.pool.Take()
	if err != nil {
		return err
	}
	defer a.code.give(in)
	c := &a.chunk
	c.reset(len(slots))
	c.placeHeads()
	a.placeStates(len(states), slots)
	c.placeResult(out.Type)
	b, err := in.room(c.size)
	if err != nil {
		return err
	}
	a.fillStates(b, in.at, states, slots)
	c.write(b, in.at)
	if err := in.invoke(in.finish); err != nil {
		return err
	}
	return in.collect(c, a.code.def, slots, out, fail)
}
