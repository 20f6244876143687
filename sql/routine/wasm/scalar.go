package wasm

import (
	"errors"

	"streamsql/sql/routine"
	"streamsql/sql/vector"
)

// scalar is a function of the values of one row.
type scalar struct{ code *code }

// Call runs the module for all rows; for one at a time, where it fails for all.
func (s scalar) Call(args []*vector.Vector, n int, out *vector.Vector, fail routine.Fail) {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	tried := tries{code: s.code}
	for lo := 0; lo < n; {
		hi := min(n, lo+int(s.code.perCall.Load()))
		if err := tried.once(func() error { return s.some(args, rows[lo:hi], out, fail) }); err != nil {
			s.code.slower(hi - lo)
			for i := lo; i < hi; i++ {
				if err := tried.once(func() error { return s.some(args, rows[i:i+1], out, fail) }); err != nil {
					out.AppendNull()
					fail(i, tried.reason(err))
				}
			}
		}
		lo = hi
	}
}

// tries counts how often the module had to be stopped in one call of the engine's.
type tries struct {
	code  *code
	stops int
}

// errExhausted is of a call that is not made any more.
var errExhausted = errors.New("exhausted")

func (t *tries) once(run func() error) error {
	if t.stops >= routine.MaxStops {
		return errExhausted
	}
	err := run()
	if _, stopped := err.(stop); stopped {
		t.stops++
	}
	return err
}

// reason is why a row has no value, for the user.
func (t *tries) reason(err error) error {
	if err == errExhausted {
		return routine.Exhausted(t.code.def)
	}
	return routine.Failed(t.code.def, err.Error())
}

// some runs the module once. After an error nothing was appended or told to fail.
func (s scalar) some(args []*vector.Vector, rows []int32, out *vector.Vector, fail routine.Fail) error {
	in, err := s.code.pool.Take()
	if err != nil {
		return err
	}
	defer s.code.give(in)
	var c chunk
	c.reset(len(rows))
	for _, v := range args {
		c.place(v, rows)
	}
	c.placeHeads()
	c.placeResult(out.Type)
	b, err := in.room(c.size)
	if err != nil {
		return err
	}
	for k, v := range args {
		c.columns[k].fill(b, v, rows)
	}
	c.write(b, in.at)
	if err := in.invoke(in.call); err != nil {
		return err
	}
	return in.collect(&c, s.code.def, rows, out, fail)
}

// slower makes later calls smaller after one of n rows has failed as a whole.
func (c *code) slower(n int) {
	if n > 1 {
		c.perCall.Store(int32(max(n/8, 1)))
	}
}
