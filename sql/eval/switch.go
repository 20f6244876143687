package eval

import (
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// switching is a CASE of which all conditions hold one expression, the subject,
// against a constant. The subject is computed once; every row reaches it.
type switching struct {
	typ     types.Type
	subject node
	whens   []when
	other   node // of ELSE; nil: there is none
}

// when is a condition and its result.
type when struct {
	e      *expr.Expr
	equals builtin.Kernel
	value  builtin.Operand
	result node
}

// switchOf is the switching of a CASE, nil if it is none, or if the subject is no
// more than a column.
func switchOf(e *expr.Expr, args []node) *switching {
	if len(e.Args) < 4 {
		return nil
	}
	s := &switching{typ: e.Type}
	var subject *expr.Expr
	for i := 0; i+1 < len(e.Args); i += 2 {
		c := e.Args[i]
		if c.Op != expr.OpCall || c.Fn != "=" || c.Args[0].Op != expr.OpCall || c.Args[1].Op != expr.OpConst || !builtin.Foldable(c.Args[0]) {
			return nil
		}
		if subject == nil {
			subject = c.Args[0]
		} else if !expr.Equal(subject, c.Args[0]) {
			return nil
		}
		s.whens = append(s.whens, when{c, builtin.KernelOf(c), builtin.Constant(c.Args[1].Value.Vector(c.Args[1].Type)), args[i+1]})
	}
	compiled, err := compile(subject)
	if err != nil || compiled.value != nil {
		return nil
	}
	if s.subject = compiled.run; len(args)%2 == 1 {
		s.other = args[len(args)-1]
	}
	return s
}

func (s *switching) run(x *exec, rows []int32, n int) builtin.Operand {
	subject := s.subject(x, rows, n)
	kept := builtin.Column(subject.Vector) // a kernel must not take its memory
	if subject.IsConst() {
		kept = builtin.Constant(subject.Vector)
	}
	var pieces []piece
	open := []int32(nil) // positions that no condition has taken; nil: all
	for _, w := range s.whens {
		if count(open, n) == 0 {
			break
		}
		f := builtin.Frame{
			Context: x.ctx, Call: w.e, N: n, Rows: rows, Scratch: &x.scratch,
			Args: []builtin.Operand{kept, w.value}, Out: &vector.Vector{Type: w.e.Type},
		}
		w.equals(&f)
		cond := finish(&f, false)
		hit, miss := splitAt(cond, open, n)
		x.scratch.Recycle(cond)
		if len(hit) == n {
			hit = nil
		}
		if hit == nil || len(hit) > 0 {
			pieces = append(pieces, piece{hit, w.result(x, through(rows, hit), count(hit, n))})
		}
		open = miss
	}
	if left := count(open, n); s.other != nil && left > 0 {
		pieces = append(pieces, piece{open, s.other(x, through(rows, open), left)})
	}
	x.scratch.Recycle(subject)
	return assemble(s.typ, pieces, n)
}

// splitAt is split by a condition that was computed for all n positions.
func splitAt(cond builtin.Operand, at []int32, n int) (hit, miss []int32) {
	hit, miss = make([]int32, 0, n), make([]int32, 0, n)
	for k := range count(at, n) {
		i := int32(k)
		if at != nil {
			i = at[k]
		}
		if cond.Truth(int(i)) == builtin.True {
			hit = append(hit, i)
		} else {
			miss = append(miss, i)
		}
	}
	return hit, miss
}
