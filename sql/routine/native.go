package routine

import (
	"strings"
	"sync"

	"streamsql/sql/vector"
)

// Native is a function in Go, of a program that embeds the engine. Exactly one of
// its fields is set. Such code is trusted: it runs as part of the engine, without
// limits. It must be deterministic, and the same after a restart.
type Native struct {
	Scalar Scalar
	// Aggregate begins a computation. If what it gives is also a Partial, that says
	// whether it retracts; otherwise it does.
	Aggregate func() Aggregate
}

// Partial is an Aggregate that says whether it has Retract.
type Partial interface{ Retracts() bool }

// ScalarFunc is a Scalar of one function.
type ScalarFunc func(args []*vector.Vector, n int, out *vector.Vector, fail Fail)

// Call computes the function for n rows.
func (f ScalarFunc) Call(args []*vector.Vector, n int, out *vector.Vector, fail Fail) {
	f(args, n, out, fail)
}

var natives = struct {
	sync.RWMutex
	of map[string]Native
}{of: map[string]Native{}}

// Register makes a Go function known, for CREATE FUNCTION … LANGUAGE GO AS 'name'.
// It is for main to call, before the engine starts.
func Register(name string, n Native) {
	natives.Lock()
	defer natives.Unlock()
	natives.of[name] = n
}

// goLanguage finds registered functions.
type goLanguage struct{}

// Compile finds the function that the definition names.
func (goLanguage) Compile(d *Definition) (Code, error) {
	natives.RLock()
	defer natives.RUnlock()
	n, ok := natives.of[string(d.Code)]
	switch {
	case !ok && len(natives.of) == 0:
		return nil, Invalid(d, "this server has no Go functions")
	case !ok:
		return nil, Invalid(d, "this server has no Go function '%s'; it has %s", d.Code, strings.Join(sortedNames(natives.of), ", "))
	case d.Aggregate && n.Aggregate == nil:
		return nil, Invalid(d, "the Go function '%s' is not an aggregate", d.Code)
	case !d.Aggregate && n.Scalar == nil:
		return nil, Invalid(d, "the Go function '%s' is an aggregate", d.Code)
	}
	return native{n}, nil
}

type native struct{ n Native }

func (c native) Scalar() Scalar       { return c.n.Scalar }
func (c native) Aggregate() Aggregate { return c.n.Aggregate() }
func (c native) Close()               {}

func (c native) Retracts() bool {
	if p, ok := c.n.Aggregate().(Partial); ok {
		return p.Retracts()
	}
	return true
}
