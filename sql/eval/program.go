// Package eval evaluates bound expressions over chunks of columns. An expression
// is compiled once into a tree of closures; each is called once per chunk and
// works on whole vectors (the kernels are package builtin's). Arguments that may
// not be reached (AND, OR, CASE, IF, COALESCE) are evaluated for the rows that
// reach them only, so that an error in a branch not taken never shows.
package eval

import (
	"fmt"
	"sync"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Context is what an evaluation sees of its surroundings.
type Context = builtin.Context

// Rules are what sql_mode says of values that go wrong.
type Rules = builtin.Rules

// node evaluates one expression for n rows of a chunk: those at the positions
// rows, or with nil the first n. Its operand has one value per row, or is constant.
type node func(x *exec, rows []int32, n int) builtin.Operand

// exec is one evaluation at work. Its Context is the caller's, but for Fail, which
// remembers the rows that failed: whatever else is computed of them, they have no
// value.
type exec struct {
	ctx     *Context
	cols    []*vector.Vector
	sel     *Selection // of rows instead of cols
	scratch builtin.Scratch
	failed  map[int]struct{}
	tell    func(row int, err error) // the caller's Fail
	own     Context
	hook    func(row int, err error) // fail
	frames  []*builtin.Frame         // of calls, the first depth of them under way
	depth   int
}

var execs = sync.Pool{New: func() any {
	x := &exec{failed: map[int]struct{}{}}
	x.hook = x.fail
	return x
}}

// acquire takes an exec for one evaluation.
func acquire(ctx *Context, cols []*vector.Vector) *exec {
	x := execs.Get().(*exec)
	x.own, x.tell, x.cols = *ctx, ctx.Fail, cols
	x.own.Fail = x.hook
	x.ctx = &x.own
	return x
}

// fail tells the caller of a row's first error.
func (x *exec) fail(row int, err error) {
	if _, again := x.failed[row]; again {
		return
	}
	x.failed[row] = struct{}{}
	if x.tell != nil {
		x.tell(row, err)
	}
}

// release forgets what belongs to the caller, and keeps the scratch memory.
func (x *exec) release() {
	x.own, x.tell, x.cols, x.sel, x.depth = Context{}, nil, nil, nil, 0
	clear(x.failed)
	execs.Put(x)
}

// Program is a compiled expression. It has no state: goroutines may share it.
type Program struct {
	e    *expr.Expr
	root node
}

// Compile compiles e, whose columns are positions in the input. It fails only on
// what package builtin did not make: an unbound parameter, an unknown call.
func Compile(e *expr.Expr) (*Program, error) {
	c, err := compile(e)
	if err != nil {
		return nil, err
	}
	return &Program{e: e, root: c.node()}, nil
}

// Type is the type of the result.
func (p *Program) Type() types.Type { return p.e.Type }

// Eval computes the expression for the n rows of cols. A row without a value is
// told to ctx.Fail and is NULL in the result. The result may be one of cols; it
// shares no memory that anyone will write to.
func (p *Program) Eval(ctx *Context, cols []*vector.Vector, n int) (*vector.Vector, error) {
	v, _, err := p.EvalOwn(ctx, cols, n)
	return v, err
}

// EvalOwn is Eval that says also whether the result is the caller's own, so that its
// memory can be given back (vector.Give).
func (p *Program) EvalOwn(ctx *Context, cols []*vector.Vector, n int) (v *vector.Vector, own bool, err error) {
	if n == 0 {
		return vector.New(p.e.Type, 0), false, nil
	}
	x := acquire(ctx, cols)
	defer x.release()
	v, own = p.eval(x, n)
	return v, own, nil
}

// EvalSelected is EvalOwn for the rows of a selection, which it counts from 0.
func (p *Program) EvalSelected(ctx *Context, s *Selection) (v *vector.Vector, own bool) {
	if len(s.rows) == 0 {
		return vector.New(p.e.Type, 0), false
	}
	x := acquire(ctx, nil)
	defer x.release()
	x.sel = s
	return p.eval(x, len(s.rows))
}

func (p *Program) eval(x *exec, n int) (v *vector.Vector, own bool) {
	o := p.root(x, nil, n)
	v, own = x.scratch.Settle(o), o.IsOwned()
	if o.IsConst() {
		v, own = repeat(v, p.e.Type, n), true
	}
	if len(x.failed) > 0 {
		v = without(v, x.failed)
	}
	return v, own
}

// without is v with NULL in some rows.
func without(v *vector.Vector, rows map[int]struct{}) *vector.Vector {
	out := *v
	out.Valid = make([]uint64, (v.N+63)>>6)
	for k := range out.Valid {
		out.Valid[k] = ^uint64(0)
	}
	copy(out.Valid, v.Valid)
	for i := range rows {
		out.Valid[i>>6] &^= 1 << (uint(i) & 63)
	}
	return &out
}

// repeat is a vector of n times the one value of v.
func repeat(v *vector.Vector, t types.Type, n int) *vector.Vector {
	out := vector.Take(t, n)
	for range n {
		out.AppendFrom(v, 0)
	}
	return out
}

// Const computes an expression without columns. An error of its row is returned.
func Const(e *expr.Expr, ctx *Context) (expr.Value, error) {
	p, err := Compile(e)
	if err != nil {
		return expr.Value{}, err
	}
	c := Context{}
	if ctx != nil {
		c = *ctx
	}
	var failed error
	c.Fail = func(_ int, err error) {
		if failed == nil {
			failed = err
		}
	}
	v, err := p.Eval(&c, nil, 1)
	if err == nil {
		err = failed
	}
	if err != nil {
		return expr.Value{}, err
	}
	return expr.ValueOf(v, 0), nil
}

// compiled is a node, or a constant.
type compiled struct {
	run   node
	value *vector.Vector
}

func (c compiled) node() node {
	if c.value == nil {
		return c.run
	}
	o := builtin.Constant(c.value)
	return func(*exec, []int32, int) builtin.Operand { return o }
}

func compile(e *expr.Expr) (compiled, error) {
	switch e.Op {
	case expr.OpColumn:
		return compiled{run: column(e.Col)}, nil
	case expr.OpConst:
		return compiled{value: e.Value.Vector(e.Type)}, nil
	case expr.OpParam:
		return compiled{}, fmt.Errorf("parameter %d has no value", e.Col+1)
	}
	args := make([]compiled, len(e.Args))
	for i, a := range e.Args {
		c, err := compile(a)
		if err != nil {
			return compiled{}, err
		}
		args[i] = c
	}
	if builtin.IsLazy(e.Fn) {
		return compiled{run: lazy(e, nodes(args))}, nil
	}
	k := builtin.KernelOf(e)
	if k == nil {
		return compiled{}, fmt.Errorf("no way to compute %s of %s", e.Fn, e.Type)
	}
	if v := fold(e, k, args); v != nil {
		return compiled{value: v}, nil
	}
	return compiled{run: call(e, k, nodes(args))}, nil
}

func nodes(args []compiled) []node {
	out := make([]node, len(args))
	for i, a := range args {
		out[i] = a.node()
	}
	return out
}

// fold computes a call of constants, unless it needs the Context or has something
// to tell it.
func fold(e *expr.Expr, k builtin.Kernel, args []compiled) *vector.Vector {
	if !builtin.Foldable(e) {
		return nil
	}
	ops := make([]builtin.Operand, len(args))
	for i, a := range args {
		if a.value == nil {
			return nil
		}
		ops[i] = builtin.Constant(a.value)
	}
	quiet := true
	v, ok := builtin.Run(&Context{Warn: func(uint16, string) { quiet = false }, Note: func(uint16, string) { quiet = false }}, k, e, ops)
	if !ok || !quiet {
		return nil
	}
	return v
}

func column(i int) node {
	return func(x *exec, rows []int32, n int) builtin.Operand {
		switch {
		case x.sel != nil && rows == nil:
			return builtin.Column(x.sel.Column(i))
		case x.sel != nil:
			return x.scratch.Gather(x.sel.some(i, rows))
		case rows == nil:
			return builtin.Column(x.cols[i])
		}
		return x.scratch.Gather(x.cols[i], rows)
	}
}

// call evaluates the arguments, then runs the kernel: once, if all are constant.
func call(e *expr.Expr, k builtin.Kernel, args []node) node {
	once := builtin.Deterministic(e.Fn)
	return func(x *exec, rows []int32, n int) builtin.Operand {
		f := x.frame()
		constant := once
		for _, a := range args {
			o := a(x, rows, n)
			f.Args = append(f.Args, o)
			constant = constant && o.IsConst()
		}
		f.Context, f.Call, f.N, f.Rows, f.Scratch, f.Out = x.ctx, e, n, rows, &x.scratch, x.scratch.Vector(e.Type)
		if constant {
			f.N, f.Spread = 1, n
		}
		k(f)
		out := finish(f, constant)
		clear(f.Args)
		x.depth--
		return out
	}
}

// frame is an empty frame for a call within those that are under way.
func (x *exec) frame() *builtin.Frame {
	if x.depth == len(x.frames) {
		x.frames = append(x.frames, &builtin.Frame{})
	}
	f := x.frames[x.depth]
	*f = builtin.Frame{Args: f.Args[:0]}
	x.depth++
	return f
}

// finish takes the result out of a frame and gives its arguments' memory back.
func finish(f *builtin.Frame, constant bool) builtin.Operand {
	for i := range f.Args {
		if f.Pass != &f.Args[i] {
			f.Scratch.Recycle(f.Args[i])
		}
	}
	if f.Pass != nil {
		return f.Pass.As(f.Call.Type)
	}
	if constant {
		return builtin.Constant(f.Out)
	}
	return builtin.Owned(f.Out)
}
