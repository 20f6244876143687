package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"streamsql/sql/routine"
)

// instance is a module with its memory, for one goroutine.
type instance struct {
	code   *code
	module api.Module
	watch  *routine.Watch
	dead   bool // it trapped or was stopped: what it holds is not to be trusted

	mu  sync.Mutex
	why string // it was stopped

	reserve    api.Function
	call       api.Function // of a scalar function
	accumulate api.Function
	retract    api.Function
	merge      api.Function
	finish     api.Function

	at       uint32 // what reserve gave
	reserved uint32 // bytes there
	stack    [1]uint64
}

func newInstance(c *code) (*instance, error) {
	in := &instance{code: c}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in.watch = routine.NewWatch(func(why string) { in.stopped(why); cancel() }, false)
	in.watch.Begin()
	module, err := c.runtime.InstantiateModule(ctx, c.module, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	in.watch.End()
	in.watch.Close()
	if err != nil {
		return nil, routine.Invalid(c.def, "its module does not start: %s", in.reason(err))
	}
	in.module = module
	in.watch = routine.NewWatch(func(why string) {
		in.stopped(why)
		module.CloseWithExitCode(context.Background(), 1)
	}, false)
	for name, f := range map[string]*api.Function{
		"reserve": &in.reserve, "call": &in.call, "accumulate": &in.accumulate, "retract": &in.retract,
		"merge": &in.merge, "finish": &in.finish,
	} {
		*f = module.ExportedFunction(name)
	}
	if v, err := in.number("abi_version"); err != nil || v != abiVersion {
		in.close()
		if err == nil {
			err = fmt.Errorf("its module was made for version %d of the interface; this server has version %d", v, abiVersion)
		}
		return nil, routine.Invalid(c.def, "%s", firstLine(err))
	}
	return in, nil
}

// number calls a function that gives a number.
func (in *instance) number(name string) (uint32, error) {
	var n uint32
	err := in.guarded(func(ctx context.Context) error {
		out, err := in.module.ExportedFunction(name).Call(ctx)
		if err == nil {
			n = uint32(out[0])
		}
		return err
	})
	return n, err
}

// measure finds the size of a state, and the state of no rows.
func (in *instance) measure() error {
	c := in.code
	size, err := in.number("state_size")
	if err != nil {
		return routine.Invalid(c.def, "state_size: %s", firstLine(err))
	}
	if size > routine.MaxState {
		return routine.Invalid(c.def, "its state has %d bytes, more than %d KB", size, routine.MaxState>>10)
	}
	c.size = int(size+7) &^ 7
	b, err := in.room(c.size)
	if err == nil {
		clear(b)
		init := in.module.ExportedFunction("init")
		err = in.guarded(func(ctx context.Context) error {
			_, err := init.Call(ctx, uint64(in.at))
			return err
		})
	}
	if err != nil {
		return routine.Invalid(c.def, "init: %s", firstLine(err))
	}
	b, ok := in.module.Memory().Read(in.at, uint32(c.size))
	if !ok {
		return routine.Invalid(c.def, "%s", errMemory.Error())
	}
	c.initial = append([]byte(nil), b...)
	return nil
}

// guarded runs f, which calls the module, watched.
func (in *instance) guarded(f func(ctx context.Context) error) error {
	in.watch.Begin()
	err := f(context.Background())
	if in.watch.End() {
		in.dead = true // though the call may have come to its end
	}
	if err != nil {
		in.dead = true
		in.mu.Lock()
		why := in.why
		in.mu.Unlock()
		if why != "" {
			return stop(why)
		}
		return errors.New(firstLine(err))
	}
	return nil
}

// stop is the error of a call that was stopped.
type stop string

func (s stop) Error() string { return string(s) }

// invoke calls a function of the module with the chunk at the reserved memory.
func (in *instance) invoke(f api.Function) error {
	return in.guarded(func(ctx context.Context) error {
		in.stack[0] = uint64(in.at)
		return f.CallWithStack(ctx, in.stack[:])
	})
}

var errMemory = errors.New("it gave an address outside of its memory")

// room gives n bytes of the module's memory, good until the module runs again.
func (in *instance) room(n int) ([]byte, error) {
	if uint32(n) > in.reserved {
		want := uint32(n + n/4)
		err := in.guarded(func(ctx context.Context) error {
			in.stack[0] = uint64(want)
			return in.reserve.CallWithStack(ctx, in.stack[:])
		})
		if err != nil {
			return nil, err
		}
		in.at, in.reserved = uint32(in.stack[0]), want
		if in.at == 0 || in.at%8 != 0 {
			in.dead = true
			return nil, fmt.Errorf("reserve(%d) gave %d, not an address that is a multiple of 8", want, in.at)
		}
	}
	b, ok := in.module.Memory().Read(in.at, uint32(n))
	if !ok {
		in.dead = true
		return nil, errMemory
	}
	return b, nil
}

// stopped notes why the call is being stopped.
func (in *instance) stopped(why string) {
	in.mu.Lock()
	in.why = why
	in.mu.Unlock()
}

// reason is why a call failed, for the user.
func (in *instance) reason(err error) string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.why != "" {
		return in.why
	}
	return firstLine(err)
}

func (in *instance) close() {
	in.watch.Close()
	in.module.Close(context.Background())
}

// give puts an instance back, if it is still good.
func (c *code) give(in *instance) {
	if in.dead {
		in.close()
		return
	}
	c.pool.Give(in)
}
