// Package wasm runs functions that are WebAssembly modules, compiled to machine
// code in this process (wazero). A module gets whole chunks of rows, in its own
// memory, in the layout that chunk.go writes down; docs/user-functions.md says the
// same to those who make modules. It imports nothing: it has no clock, no random
// numbers, no input or output.
//
// Its memory is bounded when it grows, its time from outside (routine.Watch).
package wasm

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"streamsql/sql/routine"
)

// abiVersion is the layout of chunks that this package writes.
const abiVersion = 1

const pageSize = 64 << 10

// Language is WebAssembly.
type Language struct{}

// Compile checks and compiles a module.
func (Language) Compile(d *routine.Definition) (routine.Code, error) {
	if len(d.Code) > routine.MaxModule {
		return nil, routine.Invalid(d, "its module is larger than %d KB", routine.MaxModule>>10)
	}
	ctx := context.Background()
	pages := uint32(min(max(routine.CurrentLimits().Memory/pageSize, 1), 65536))
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(pages))
	c := &code{def: d, runtime: rt}
	if err := c.load(ctx); err != nil {
		rt.Close(ctx)
		return nil, err
	}
	// Computations may outlive the cache: the runtime goes with the last of them.
	runtime.AddCleanup(c, func(rt wazero.Runtime) { rt.Close(ctx) }, rt)
	return c, nil
}

// code is a compiled module and its instances.
type code struct {
	def      *routine.Definition
	runtime  wazero.Runtime
	module   wazero.CompiledModule
	retracts bool
	size     int    // of a state, in bytes, a multiple of 8
	initial  []byte // the state of no rows
	pool     routine.Pool[*instance]
	// perCall is how many rows a call may have: fewer once a call took too long.
	perCall atomic.Int32
}

// maxPerCall bounds the rows of a call.
const maxPerCall = 4096

func (c *code) load(ctx context.Context) (err error) {
	if c.module, err = c.runtime.CompileModule(ctx, c.def.Code); err != nil {
		return routine.Invalid(c.def, "its module does not compile: %s", firstLine(err))
	}
	if err := c.check(); err != nil {
		return err
	}
	c.perCall.Store(maxPerCall)
	c.pool.Open = func() (*instance, error) { return newInstance(c) }
	c.pool.Drop = func(in *instance) { in.close() }
	in, err := c.pool.Take()
	if err != nil {
		return err
	}
	if c.def.Aggregate {
		if err := in.measure(); err != nil {
			in.close()
			return err
		}
	}
	c.pool.Give(in)
	return nil
}

// check sees to it that the module has what the function needs, and no imports.
func (c *code) check() error {
	if imports := c.module.ImportedFunctions(); len(imports) > 0 {
		from, name, _ := imports[0].Import()
		return routine.Invalid(c.def, "its module imports %s.%s: a function has no imports (with TinyGo, build for wasm-unknown)", from, name)
	}
	if len(c.module.ImportedMemories()) > 0 || len(c.module.ExportedMemories()) == 0 {
		return routine.Invalid(c.def, "its module exports no memory")
	}
	i32 := api.ValueTypeI32
	type export struct {
		name     string
		params   int
		results  int
		optional bool
	}
	need := []export{{"abi_version", 0, 1, false}, {"reserve", 1, 1, false}}
	if c.def.Aggregate {
		need = append(need, export{"state_size", 0, 1, false}, export{"init", 1, 0, false}, export{"accumulate", 1, 0, false},
			export{"merge", 1, 0, false}, export{"finish", 1, 0, false}, export{"retract", 1, 0, true})
	} else {
		need = append(need, export{"call", 1, 0, false})
	}
	has := c.module.ExportedFunctions()
	for _, e := range need {
		f := has[e.name]
		if f == nil && e.optional {
			continue
		}
		if f == nil {
			return routine.Invalid(c.def, "its module exports no function %s", e.name)
		}
		if p, r := f.ParamTypes(), f.ResultTypes(); len(p) != e.params || len(r) != e.results ||
			len(p) > 0 && p[0] != i32 || len(r) > 0 && r[0] != i32 {
			return routine.Invalid(c.def, "the function %s of its module has other parameters or results than i32 as it should", e.name)
		}
	}
	c.retracts = has["retract"] != nil
	return nil
}

func (c *code) Retracts() bool { return c.retracts }

func (c *code) Scalar() routine.Scalar {
	if c.def.Aggregate {
		return nil
	}
	return scalar{c}
}

func (c *code) Aggregate() routine.Aggregate { return &aggregate{code: c} }

func (c *code) Close() { c.pool.Close() }

// firstLine is an error without the stack of the module.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return strings.TrimSuffix(text, " (recovered by wazero)")
}
