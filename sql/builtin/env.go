package builtin

import (
	"slices"
	"strings"

	"streamsql/sql/expr"
	"streamsql/sql/reference"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Env is what resolution needs to know of the session (or of what a definition
// captured of it). Nil means the defaults.
type Env struct {
	DivPrecision          int             // div_precision_increment; negative or a zero Env through nil: 4
	Collation             types.Collation // of text made of something else
	NoUnsignedSubtraction bool            // sql_mode NO_UNSIGNED_SUBTRACTION
	BlockMode             string          // block_encryption_mode; empty: its default
}

// defaults is the Env of a nil one.
var defaults = &Env{DivPrecision: 4}

// flag says what is special about a function.
type flag uint8

const (
	total      flag = 1 << iota // never NULL unless an argument is
	nonNull                     // never NULL
	volatile                    // another value each time: not deterministic
	contextual                  // depends on the Context: not to be folded without one
	lazy                        // evaluated by package eval, which reaches arguments only as needed
	compares                    // compares its texts, which must meet in a collation
)

// function is an entry of the registry.
type function struct {
	name     string
	min, max int // arguments; max −1: any number
	flags    flag
	resolve  func(c *call) (*expr.Expr, error)
	kernel   func(e *expr.Expr) Kernel
}

// call is a call being resolved.
type call struct {
	env  *Env
	f    *function
	fn   string
	args []*expr.Expr
}

var registry = map[string]*function{}

// register adds a function under its names.
func register(f function, names ...string) {
	for _, n := range names {
		g := f
		g.name = n
		registry[n] = &g
	}
}

// Call resolves a call of fn (a lower case name or operator; see the package
// comment): it checks the number of arguments (1582; 1305 for an unknown name),
// puts in coercions and finds the type of the result.
func Call(env *Env, fn string, args ...*expr.Expr) (*expr.Expr, error) {
	if env == nil {
		env = defaults
	}
	f, ok := registry[fn]
	if !ok {
		return nil, NoFunction(fn)
	}
	if len(args) < f.min || f.max >= 0 && len(args) > f.max {
		return nil, sqlerr.New(sqlerr.WrongParamCountNative,
			"Incorrect parameter count in the call to native function '%s'", strings.ToUpper(fn))
	}
	return f.resolve(&call{env: env, f: f, fn: fn, args: args})
}

// Known reports whether fn is a function or operator of this package.
func Known(fn string) bool { return registry[fn] != nil }

// Deterministic reports that fn gives the same for the same arguments and Context.
func Deterministic(fn string) bool {
	f := registry[fn]
	return f != nil && f.flags&volatile == 0
}

// Foldable reports that a call needs nothing of the Context: on constants it may
// be computed once for all.
func Foldable(e *expr.Expr) bool {
	f := registry[e.Fn]
	if f == nil || f.flags&(volatile|contextual) != 0 {
		return false
	}
	if usesZone(e.Type) {
		return false
	}
	for _, a := range e.Args {
		if usesZone(a.Type) {
			return false
		}
	}
	return true
}

func usesZone(t types.Type) bool { return t.Kind == types.Timestamp || t.Kind == types.Time }

// IsLazy reports a call that package eval evaluates itself.
func IsLazy(fn string) bool {
	f := registry[fn]
	return f != nil && f.flags&lazy != 0
}

// KernelOf is the kernel of a resolved call; nil if there is none.
func KernelOf(e *expr.Expr) Kernel {
	f := registry[e.Fn]
	if f == nil || f.kernel == nil {
		return nil
	}
	return f.kernel(e)
}

// NoFunction is error 1305, with the nearest name that exists.
func NoFunction(fn string) error {
	best, distance := "", 3
	for name := range registry {
		if _, ok := reference.Find(name); !ok { // what only the server itself calls
			continue
		}
		if d := editDistance(fn, name); d < distance || d == distance && name < best {
			best, distance = name, d
		}
	}
	if best != "" && distance < len(fn) {
		return sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s does not exist; did you mean %s?", fn, strings.ToUpper(best))
	}
	return sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s does not exist", fn)
}

// editDistance is Levenshtein's, on bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// result is the call itself with its arguments as they now are and type t. It is
// NOT NULL if the function and the arguments allow it.
func (c *call) result(t types.Type) *expr.Expr {
	t.NotNull = c.f.flags&nonNull != 0
	if c.f.flags&total != 0 {
		t.NotNull = allNotNull(c.args)
	}
	return expr.NewCall(c.fn, t, c.args...)
}

func allNotNull(args []*expr.Expr) bool {
	for _, a := range args {
		if !a.Type.NotNull {
			return false
		}
	}
	return true
}

// define registers a function (names, with commas between them) whose arguments each have a fixed class. sig has a
// letter an argument: s text or bytes, i BIGINT, d DOUBLE, n any number, t
// DATETIME(6), T TIME(6), * anything; `?` before the optional ones, `+` after
// the last if it may repeat.
func define(names, sig string, flags flag, ret func(c *call) types.Type, kernel Kernel) {
	defineBy(names, sig, flags, ret, func(*expr.Expr) Kernel { return kernel })
}

// defineBy is define for a kernel that depends on the types.
func defineBy(names, sig string, flags flag, ret func(c *call) types.Type, kernel func(e *expr.Expr) Kernel) {
	f := function{min: -1, flags: flags, kernel: kernel}
	var letters []byte
	repeat := false
	for i := range len(sig) {
		switch sig[i] {
		case '?':
			f.min = len(letters)
		case '+':
			repeat = true
		default:
			letters = append(letters, sig[i])
		}
	}
	f.max = len(letters)
	if f.min < 0 {
		f.min = f.max
	}
	if repeat {
		f.max = -1
	}
	f.resolve = func(c *call) (*expr.Expr, error) {
		args := make([]*expr.Expr, len(c.args))
		for i, a := range c.args {
			args[i] = c.env.fit(a, letters[min(i, len(letters)-1)])
		}
		if slices.ContainsFunc(args, func(a *expr.Expr) bool { return a.Type.IsText() && a.Type.Folds() }) {
			together, decided := collationOf(args)
			if !decided && flags&compares != 0 {
				return nil, illegalMix(args, c.fn)
			}
			args = inCollation(args, together)
		}
		c.args = args
		return c.result(ret(c)), nil
	}
	register(f, strings.Split(names, ",")...)
}

// fit coerces an argument to the class of a letter of define.
func (env *Env) fit(a *expr.Expr, letter byte) *expr.Expr {
	switch letter {
	case 's':
		return env.toText(a)
	case 'i':
		if a.Type.IsInteger() {
			return a
		}
		if isHex(a) {
			return hexNumber(a)
		}
		return coerce(a, types.MakeBigInt())
	case 'd':
		return toDouble(a)
	case 'n':
		return Exact(toNumber(a))
	case 't':
		return toDateTime(a)
	case 'T':
		return toTime(a)
	}
	return a
}

// returns is the result type t whatever the arguments.
func returns(t types.Type) func(*call) types.Type { return func(*call) types.Type { return t } }
