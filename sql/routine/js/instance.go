package js

import (
	_ "embed" // the prelude
	"errors"

	"github.com/grafana/sobek"

	"streamsql/sql/routine"
)

// prelude is what runs in each new runtime, before the function's own code.
//
//go:embed prelude.js
var prelude string

var preludeProgram = sobek.MustCompile("prelude", prelude, true)

// maxDepth is how deep calls may nest in a function.
const maxDepth = 512

// maxNesting is how deep a JSON document, and a state, may be.
const maxNesting = 200

// instance is a runtime with the function in it, for one goroutine.
type instance struct {
	code  *code
	vm    *sobek.Runtime
	watch *routine.Watch
	calls int
	dead  bool // it was stopped: what it holds is not to be trusted

	call                                     sobek.Callable // of a scalar function
	init, accumulate, retract, merge, finish sobek.Callable
	parse, stringify                         sobek.Callable // JSON
	entries, mapOf, setOf                    sobek.Callable // Map and Set ↔ array

	args []sobek.Value
}

func newInstance(c *code) (*instance, error) {
	in := &instance{code: c, vm: sobek.New(), args: make([]sobek.Value, len(c.def.Params))}
	in.vm.SetMaxCallStackSize(maxDepth)
	in.watch = routine.NewWatch(func(why string) { in.vm.Interrupt(why) }, true)
	in.watch.Begin()
	err := in.load()
	in.watch.End()
	if err != nil {
		in.watch.Close()
		return nil, err
	}
	return in, nil
}

// load runs the prelude and the function's code, and finds the functions in it.
func (in *instance) load() error {
	setup, err := in.vm.RunProgram(preludeProgram)
	if err != nil {
		return routine.Invalid(in.code.def, "%v", in.reason(err))
	}
	tools, err := callable(setup)(sobek.Undefined(), in.vm.ToValue(nesting))
	if err != nil {
		return routine.Invalid(in.code.def, "%v", in.reason(err))
	}
	o := tools.ToObject(in.vm)
	for name, f := range map[string]*sobek.Callable{
		"parse": &in.parse, "stringify": &in.stringify, "entries": &in.entries, "mapOf": &in.mapOf, "setOf": &in.setOf,
	} {
		*f = callable(o.Get(name))
	}
	exports := in.vm.NewObject()
	if in.code.def.Aggregate {
		if err := in.vm.Set("exports", exports); err != nil {
			return err
		}
	}
	result, err := in.vm.RunProgram(in.code.program)
	if err != nil {
		return routine.Invalid(in.code.def, "%s", in.reason(err))
	}
	if in.code.def.Aggregate {
		err = in.findExports(exports)
	} else {
		in.call = callable(result)
	}
	if err != nil {
		return err
	}
	_, err = callable(o.Get("seal"))(sobek.Undefined())
	return err
}

// findExports finds the functions of an aggregate: members of exports, or declared
// at the top.
func (in *instance) findExports(exports *sobek.Object) error {
	for _, f := range []struct {
		name string
		to   *sobek.Callable
		need bool
	}{
		{"init", &in.init, true}, {"accumulate", &in.accumulate, true}, {"retract", &in.retract, false},
		{"merge", &in.merge, true}, {"finish", &in.finish, true},
	} {
		if *f.to = callable(exports.Get(f.name)); *f.to == nil {
			declared, err := in.vm.RunString("typeof " + f.name + " === 'undefined' ? undefined : " + f.name)
			if err != nil {
				return routine.Invalid(in.code.def, "%s", in.reason(err))
			}
			*f.to = callable(declared)
		}
		if *f.to == nil && f.need {
			return routine.Invalid(in.code.def, "it has no function %s: an aggregate in JavaScript exports init, accumulate, merge, finish, and retract if values can be taken back", f.name)
		}
	}
	return nil
}

func callable(v sobek.Value) sobek.Callable {
	if v == nil {
		return nil
	}
	f, _ := sobek.AssertFunction(v)
	return f
}

// reason is why a call gave no value, for the user. A call that was stopped ends
// the instance.
func (in *instance) reason(err error) string {
	var stopped *sobek.InterruptedError
	if errors.As(err, &stopped) {
		in.dead = true
		if why, ok := stopped.Value().(string); ok {
			return why
		}
		return "it was stopped"
	}
	var deep *sobek.StackOverflowError
	if errors.As(err, &deep) {
		return "its calls are nested too deep"
	}
	var thrown *sobek.Exception
	if errors.As(err, &thrown) {
		text := ""
		if again := in.vm.Try(func() { text = thrown.Value().String() }); again != nil {
			return "it threw something that has no text"
		}
		return cutText(text)
	}
	return cutText(err.Error())
}

// cutText bounds what a function may write into an error.
func cutText(s string) string {
	const most = 300
	if len(s) > most {
		s = s[:most] + "…"
	}
	return s
}

// nesting is how deep the brackets of a JSON text are.
func nesting(text string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
