package js

import (
	"errors"

	"github.com/grafana/sobek"

	"streamsql/sql/routine"
	"streamsql/sql/vector"
)

// aggregate runs an aggregate function. A state is decoded once for all rows of a
// call that go into it.
type aggregate struct {
	code *code
	in   *instance // while a call is made
	// stops is how many instances had to be stopped in the call.
	stops int

	values []sobek.Value // of the states, as far as they were needed
	made   []int32       // slots of those
	enc    []byte        // new states
}

// step takes row j into a state.
type step func(in *instance, state sobek.Value, j int) (sobek.Value, error)

// Accumulate takes rows into states.
func (a *aggregate) Accumulate(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, fail routine.Fail) {
	a.each(states, slots, a.taking(func(in *instance) sobek.Callable { return in.accumulate }, args, rows), fail)
}

// Retract takes rows out of states.
func (a *aggregate) Retract(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, fail routine.Fail) {
	a.each(states, slots, a.taking(func(in *instance) sobek.Callable { return in.retract }, args, rows), fail)
}

// taking is the step that calls a function with a state and the values of a row.
func (a *aggregate) taking(f func(*instance) sobek.Callable, args []*vector.Vector, rows []int32) step {
	call := make([]sobek.Value, 1+len(args))
	return func(in *instance, state sobek.Value, j int) (sobek.Value, error) {
		values, err := in.arguments(args, int(rows[j]))
		if err != nil {
			return nil, err
		}
		call[0] = state
		copy(call[1:], values)
		return f(in)(sobek.Undefined(), call...)
	}
}

// Merge takes other states into states.
func (a *aggregate) Merge(states [][]byte, slots []int32, others [][]byte, fail routine.Fail) {
	a.each(states, slots, func(in *instance, state sobek.Value, j int) (sobek.Value, error) {
		other, err := in.state(others[j])
		if err != nil {
			return nil, err
		}
		return in.merge(sobek.Undefined(), state, other)
	}, fail)
}

// Finish gives the results.
func (a *aggregate) Finish(states [][]byte, out *vector.Vector, fail routine.Fail) {
	for i := 0; i < len(states); {
		err := a.within(func(in *instance) error {
			state, err := in.state(states[i])
			if err != nil {
				return err
			}
			v, err := in.finish(sobek.Undefined(), state)
			if err != nil {
				return err
			}
			return in.appendResult(out, v)
		})
		if err != nil {
			out.Truncate(i)
			if err == errAgain {
				continue
			}
			out.AppendNull()
			fail(i, err)
		}
		i++
	}
	a.release()
}

// state decodes a state; nil is that of no rows.
func (in *instance) state(b []byte) (sobek.Value, error) {
	if b == nil {
		return in.init(sobek.Undefined())
	}
	v, _, err := in.decode(b)
	return v, err
}

// errAgain is of a call that was stopped for a row that was done.
var errAgain = errors.New("once more")

// each takes the rows into their states, as many at a time as do not fail.
func (a *aggregate) each(states [][]byte, slots []int32, take step, fail routine.Fail) {
	defer a.release()
	a.enc = nil // that of the call before is the caller's
	n := len(slots)
	for lo := 0; lo < n; {
		at, err := a.attempt(states, slots, lo, n, take)
		switch {
		case err == nil:
			return
		case err == errAgain:
			continue
		case at < 0: // a state of one of them cannot be kept
			for ; lo < n; lo++ {
				_, err := a.attempt(states, slots, lo, lo+1, take)
				for err == errAgain {
					_, err = a.attempt(states, slots, lo, lo+1, take)
				}
				if err != nil {
					fail(lo, err)
				}
			}
			return
		}
		for hi := at; hi > lo; { // those before it, once more
			before, err := a.attempt(states, slots, lo, hi, take)
			if err == nil {
				break
			}
			if err == errAgain {
				continue
			}
			if hi = max(before, lo); hi == lo {
				at = lo
			}
		}
		fail(at, err)
		lo = at + 1
	}
}

// attempt takes the rows lo … hi into their states. If one fails nothing has
// changed, and its number is returned; −1 if it is not known which.
func (a *aggregate) attempt(states [][]byte, slots []int32, lo, hi int, take step) (int, error) {
	if len(a.values) < len(states) {
		a.values = make([]sobek.Value, len(states))
	}
	defer func() {
		for _, s := range a.made {
			a.values[s] = nil
		}
		a.made = a.made[:0]
	}()
	at := lo
	err := a.within(func(in *instance) error {
		for ; at < hi; at++ {
			in.watch.Step()
			s := slots[at]
			if a.values[s] == nil {
				v, err := in.state(states[s])
				if err != nil {
					return err
				}
				a.values[s] = v
				a.made = append(a.made, s)
			}
			v, err := take(in, a.values[s], at)
			if err != nil {
				return err
			}
			if v != nil && !sobek.IsUndefined(v) {
				a.values[s] = v
			}
		}
		return nil
	})
	if err != nil {
		return at, err
	}
	if err := a.keep(states); err != nil {
		return -1, err
	}
	return 0, nil
}

// keep puts the new states in the places of the old ones, or changes nothing.
func (a *aggregate) keep(states [][]byte) error {
	ends := make([]int, len(a.made))
	from := len(a.enc)
	err := a.within(func(in *instance) error {
		for k, s := range a.made {
			at := len(a.enc)
			one, err := in.encode(a.enc[at:], a.values[s], 0)
			if err != nil {
				return err
			}
			if len(one) > routine.MaxState {
				return errors.New("its state is too large")
			}
			a.enc = append(a.enc, one...)
			ends[k] = len(a.enc)
		}
		return nil
	})
	if err != nil {
		a.enc = a.enc[:from]
		return err
	}
	for k, s := range a.made {
		states[s] = a.enc[from:ends[k]:ends[k]]
		from = ends[k]
	}
	return nil
}

// within runs f with an instance, a new one if that before had to be stopped. Its
// error says for the user why the function failed.
func (a *aggregate) within(f func(in *instance) error) error {
	if a.stops >= routine.MaxStops {
		return routine.Exhausted(a.code.def)
	}
	if a.in == nil {
		in, err := a.code.pool.Take()
		if err != nil {
			return err
		}
		a.in = in
	}
	in := a.in
	in.watch.Begin()
	err := in.protect(func() error { return f(in) })
	if err != nil {
		why := in.reason(err)
		if err = routine.Failed(a.code.def, why); in.dead && !in.watch.Blames() {
			err = errAgain
		}
	}
	in.end()
	if in.dead {
		a.stops++
		a.in = nil
		a.code.give(in)
	}
	return err
}

// release ends a call: it gives the instance back.
func (a *aggregate) release() {
	a.stops = 0
	if a.in != nil {
		a.code.give(a.in)
		a.in = nil
	}
}
