package routine

import (
	"crypto/sha256"
	"strings"
	"sync"
	"sync/atomic"

	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// Scalar computes a function for rows. It is safe for concurrent use.
type Scalar interface {
	// Call appends the function's values for the n rows of args to out, which is
	// empty and has the Carrier of the result. A row that has none is told to fail,
	// once, and gets NULL. args have the carriers of the parameters, and are not to be
	// kept or changed.
	Call(args []*vector.Vector, n int, out *vector.Vector, fail Fail)
}

// Fail is told of a row, or of a group, that has no value, and why.
type Fail func(i int, err error)

// Aggregate computes an aggregate function over many groups. It is for one
// goroutine at a time; its methods are deterministic.
//
// A state is the bytes that are known of a group; nil: of a group of no rows. Where
// a method takes states, it puts new ones in their places, in memory that it does
// not use again. States are kept, moved and stored between calls, at most MaxState
// bytes each.
//
// The engine adds and takes rows in any order: over a batch it may retract a value
// before it accumulates it, and may begin with a group's own state and merge that
// later. So Retract is the inverse of Accumulate whatever came between.
type Aggregate interface {
	// Accumulate takes rows into states: rows[j] of args into states[slots[j]]. A row
	// that fails is told to fail as j, and leaves the state as if it had not come.
	Accumulate(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, fail Fail)
	// Retract takes rows out again.
	Retract(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, fail Fail)
	// Merge takes what other states know: others[j] into states[slots[j]].
	Merge(states [][]byte, slots []int32, others [][]byte, fail Fail)
	// Finish appends the results of states to out, which has the Carrier of the
	// result; NULL for one that fails.
	Finish(states [][]byte, out *vector.Vector, fail Fail)
}

// MaxState is the largest state of a group, in bytes.
const MaxState = 1 << 20

// Code is a function ready to run.
type Code interface {
	// Scalar is the function; of an aggregate, nil.
	Scalar() Scalar
	// Aggregate begins a computation.
	Aggregate() Aggregate
	// Retracts reports an aggregate that has retract.
	Retracts() bool
	// Close is called when the code was dropped from the cache; computations go on.
	Close()
}

// Language makes code of definitions.
type Language interface {
	// Compile checks and compiles a function. Its errors are for the user.
	Compile(d *Definition) (Code, error)
}

// languages are those that there are, by name in lower case.
var languages = struct {
	sync.RWMutex
	of map[string]Language
}{of: map[string]Language{"go": goLanguage{}}}

// RegisterLanguage makes a language known, by a name in lower case. It is for main
// to call, before anything is opened.
func RegisterLanguage(name string, l Language) {
	languages.Lock()
	defer languages.Unlock()
	languages.of[name] = l
}

// Languages lists what there is, by name.
func Languages() []string {
	languages.RLock()
	defer languages.RUnlock()
	return sortedNames(languages.of)
}

// cached is how many functions are kept compiled.
const cached = 256

// compiled keeps code by what it computes.
var compiled = struct {
	sync.Mutex
	of    map[[sha256.Size]byte]*opened
	clock uint64
}{of: map[[sha256.Size]byte]*opened{}}

type opened struct {
	once sync.Once
	code Code
	err  error
	done atomic.Bool // code and err are there
	used uint64
}

// Open gives the code of a definition, compiled if it is not yet. Concurrent
// callers of one definition share the work.
func Open(d *Definition) (Code, error) {
	compiled.Lock()
	o := compiled.of[d.Hash()]
	if o == nil {
		if len(compiled.of) >= cached {
			evict()
		}
		o = &opened{}
		compiled.of[d.Hash()] = o
	}
	compiled.clock++
	o.used = compiled.clock
	compiled.Unlock()
	o.once.Do(func() {
		o.code, o.err = compile(d)
		o.done.Store(true)
	})
	if o.err != nil { // it may depend on what is registered
		compiled.Lock()
		if compiled.of[d.Hash()] == o {
			delete(compiled.of, d.Hash())
		}
		compiled.Unlock()
	}
	return o.code, o.err
}

// evict drops the code that was opened least recently. compiled is locked.
func evict() {
	var oldest *opened
	var hash [sha256.Size]byte
	for h, o := range compiled.of {
		if o.done.Load() && (oldest == nil || o.used < oldest.used) {
			oldest, hash = o, h
		}
	}
	if oldest == nil {
		return
	}
	delete(compiled.of, hash)
	if oldest.code != nil {
		oldest.code.Close()
	}
}

func compile(d *Definition) (Code, error) {
	languages.RLock()
	l := languages.of[d.Language]
	languages.RUnlock()
	if l == nil {
		return nil, sqlerr.New(sqlerr.NotSupportedYet, "There is no language '%s' here for functions; there are %s",
			strings.ToUpper(d.Language), strings.ToUpper(strings.Join(Languages(), ", ")))
	}
	return l.Compile(d)
}

// Failed is the error of a row or group for which the function gave no value.
func Failed(d *Definition, why string) error {
	return sqlerr.New(sqlerr.SignalException, "Function '%s' failed: %s", d.Name, why)
}

// MaxStops is how often a function may be stopped in one call, be it for many rows.
// For the rows after that it is not tried: they are Exhausted.
const MaxStops = 25

// Exhausted is the error of the rows for which a function was not tried any more. A
// continuous query ends with it.
func Exhausted(d *Definition) error {
	return sqlerr.New(sqlerr.QueryInterrupted, "Function '%s' had to be stopped for %d rows of one chunk, and is not tried for more", d.Name, MaxStops)
}

// Invalid is the error of a definition that does not make a function.
func Invalid(d *Definition, format string, args ...any) error {
	e := sqlerr.New(sqlerr.CantInitializeUDF, format, args...)
	e.Message = "Can't initialize function '" + d.Name + "'; " + e.Message
	return e
}
