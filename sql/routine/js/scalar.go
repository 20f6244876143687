package js

import (
	"fmt"

	"github.com/grafana/sobek"

	"streamsql/sql/routine"
	"streamsql/sql/vector"
)

// scalar is a function of the values of one row.
type scalar struct{ code *code }

// Call runs the function for each row.
func (s scalar) Call(args []*vector.Vector, n int, out *vector.Vector, fail routine.Fail) {
	var in *instance
	defer func() {
		if in != nil {
			s.code.give(in)
		}
	}()
	for i, stops := 0, 0; i < n; {
		if stops >= routine.MaxStops {
			for ; i < n; i++ {
				out.AppendNull()
				fail(i, routine.Exhausted(s.code.def))
			}
			return
		}
		if in == nil {
			var err error
			if in, err = s.code.pool.Take(); err != nil {
				for ; i < n; i++ {
					out.AppendNull()
					fail(i, err)
				}
				return
			}
		}
		i = s.some(in, args, i, n, out, fail)
		if in.dead {
			s.code.give(in)
			in = nil
			stops++
		}
	}
}

// some computes rows from i on, until the instance had to be stopped, and returns
// the next one.
func (s scalar) some(in *instance, args []*vector.Vector, i, n int, out *vector.Vector, fail routine.Fail) int {
	in.watch.Begin()
	defer in.end()
	for ; i < n && !in.dead; i++ {
		in.watch.Step()
		err := in.protect(func() error {
			values, err := in.arguments(args, i)
			if err != nil {
				return err
			}
			v, err := in.call(sobek.Undefined(), values...)
			if err != nil {
				return err
			}
			return in.appendResult(out, v)
		})
		if err == nil {
			continue
		}
		why := in.reason(err)
		out.Truncate(i)
		if in.dead && !in.watch.Blames() {
			return i // once more
		}
		out.AppendNull()
		fail(i, routine.Failed(s.code.def, why))
	}
	return i
}

// end ends a call. That it was to be stopped is forgotten if it was over before.
func (in *instance) end() {
	if in.watch.End() && !in.dead {
		in.vm.ClearInterrupt()
	}
}

// protect runs what may call back into the function's code, and makes an error of
// what that throws.
func (in *instance) protect(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sobek.InterruptedError:
			err = r
		case *sobek.Exception:
			err = r
		case sobek.Value:
			err = fmt.Errorf("it threw %s", cutText(r.String()))
		default:
			in.dead = true
			err = fmt.Errorf("the interpreter failed: %v", r)
		}
	}()
	return f()
}
