package builtin

import (
	"streamsql/sql/expr"
	"streamsql/sql/routine"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// routineFn is Expr.Fn of a call of the user's own function Expr.Routine.
const routineFn = "user function"

func init() {
	// contextual: it is not run while a statement is planned.
	register(function{min: 0, max: -1, flags: contextual, kernel: routineKernel,
		resolve: func(c *call) (*expr.Expr, error) { return nil, NoFunction(c.fn) }}, routineFn)
}

// CallRoutine is a call of a function of the user's own: its arguments are assigned
// to its parameters, and what it gives to the type of its result.
func CallRoutine(env *Env, d *routine.Definition, args ...*expr.Expr) (*expr.Expr, error) {
	args, err := RoutineArguments(env, d, args)
	if err != nil {
		return nil, err
	}
	e := expr.NewCall(routineFn, routine.Carrier(d.Returns), args...)
	e.Routine = d
	return RoutineResult(env, d, e)
}

// RoutineArguments makes of arguments what reaches the function. Error 1318: there
// are too many or too few.
func RoutineArguments(env *Env, d *routine.Definition, args []*expr.Expr) ([]*expr.Expr, error) {
	if len(args) != len(d.Params) {
		return nil, sqlerr.New(sqlerr.SPWrongNumberOfArgs, "Incorrect number of arguments for FUNCTION %s.%s; expected %d, got %d",
			d.Database, d.Name, len(d.Params), len(args))
	}
	out := make([]*expr.Expr, len(args))
	for i, p := range d.Params {
		e, err := AssignColumn(env, args[i], p.Type, p.Name)
		if err != nil {
			return nil, err
		}
		if out[i], err = carry(env, e, p.Type); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// carry brings a value of type t into the form in which it reaches a function.
func carry(env *Env, e *expr.Expr, t types.Type) (*expr.Expr, error) {
	c := routine.Carrier(t)
	if c.Class() == t.Class() && t.Kind != types.Enum {
		return e, nil // text as it is, numbers in their class
	}
	return Cast(env, e, c)
}

// RoutineResult makes of what a function gives its result.
func RoutineResult(env *Env, d *routine.Definition, e *expr.Expr) (*expr.Expr, error) {
	return AssignColumn(env, e, d.Returns, d.Name)
}

// routineKernel runs the function for a chunk.
func routineKernel(e *expr.Expr) Kernel {
	code, err := routine.Open(e.Routine)
	if err != nil {
		return each(func(f *Frame, i int) { f.Fail(i, err) })
	}
	scalar := code.Scalar()
	return func(f *Frame) {
		args := make([]*vector.Vector, len(f.Args))
		for i, a := range f.Args {
			args[i] = a.Vector
			if a.IsConst() && f.N > 1 {
				args[i] = a.Vector.Gather(make([]int32, f.N))
			}
		}
		made := vector.New(f.Out.Type, f.N)
		scalar.Call(args, f.N, made, func(i int, err error) { f.Fail(i, err) })
		t := f.Out.Type
		*f.Out = *made
		f.Out.Type = t
	}
}
