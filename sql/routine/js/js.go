// Package js runs functions that are written in JavaScript, by an interpreter in
// this process (sobek). A function has the language and its pure library, and
// nothing else: no clock, no random numbers, no input or output, no timers.
//
// How much a function may use is watched from outside (routine.Watch), as the
// interpreter has no limits of its own but the depth of calls: it can be
// interrupted between two of its instructions. Its library functions cannot be; the
// prelude keeps their arguments small enough.
package js

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/grafana/sobek"

	"streamsql/sql/routine"
)

// Language is JavaScript.
type Language struct{}

// declaration is what a module exports where it is declared. Functions are found as
// they are declared, and the word is a script's error.
var declaration = regexp.MustCompile(`(?m)(^|[;}])\s*export\s+(function|const|let|var)\b`)

// Compile checks the code, and that it has what the function needs.
func (Language) Compile(d *routine.Definition) (routine.Code, error) {
	if len(d.Code) > routine.MaxText {
		return nil, routine.Invalid(d, "its code is longer than %d KB", routine.MaxText>>10)
	}
	source := string(d.Code)
	if !d.Aggregate {
		names := make([]string, len(d.Params))
		for i, p := range d.Params {
			names[i] = p.Name
		}
		source = "(function (" + strings.Join(names, ", ") + ") {" + source + "\n})"
	} else {
		source = declaration.ReplaceAllStringFunc(source, func(s string) string { return strings.Replace(s, "export", "      ", 1) })
	}
	if bytes.IndexByte(d.Code, 0) >= 0 {
		return nil, routine.Invalid(d, "its code has a NUL")
	}
	program, err := sobek.Compile(d.Name, source, true)
	if err != nil {
		return nil, routine.Invalid(d, "%v", err)
	}
	c := &code{def: d, program: program, isJSON: d.IsJSON()}
	c.pool.Open = func() (*instance, error) { return newInstance(c) }
	c.pool.Drop = func(in *instance) { in.watch.Close() }
	in, err := c.pool.Take()
	if err != nil {
		return nil, err
	}
	c.retracts = in.retract != nil
	c.give(in)
	return c, nil
}

// code is a compiled function and its instances.
type code struct {
	def      *routine.Definition
	program  *sobek.Program
	isJSON   []bool
	retracts bool
	pool     routine.Pool[*instance]
}

// maxCalls is for how many calls an instance is used, lest what a function hides
// in its globals grows.
const maxCalls = 4096

func (c *code) Retracts() bool { return c.retracts }

func (c *code) Scalar() routine.Scalar {
	if c.def.Aggregate {
		return nil
	}
	return scalar{c}
}

func (c *code) Aggregate() routine.Aggregate { return &aggregate{code: c} }

func (c *code) Close() { c.pool.Close() }

// give puts an instance back. One that was stopped, or has made many calls, goes.
func (c *code) give(in *instance) {
	if in.calls++; in.dead || in.calls >= maxCalls {
		in.watch.Close()
		return
	}
	c.pool.Give(in)
}
