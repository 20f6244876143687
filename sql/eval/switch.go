package eval

import (
	"slices"

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
	choice  *builtin.Choice // nil: the conditions are tried one after the other
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
// more than a column whose conditions are tried one after the other anyhow.
func switchOf(e *expr.Expr, args []node) *switching {
	if len(e.Args) < 4 {
		return nil
	}
	s := &switching{typ: e.Type}
	var subject *expr.Expr
	var conditions []*expr.Expr
	for i := 0; i+1 < len(e.Args); i += 2 {
		c := e.Args[i]
		if c.Op != expr.OpCall || c.Fn != "=" || !subjects(c.Args[0]) || c.Args[1].Op != expr.OpConst {
			return nil
		}
		if subject == nil {
			subject = c.Args[0]
		} else if !expr.Equal(subject, c.Args[0]) {
			return nil
		}
		conditions = append(conditions, c)
		s.whens = append(s.whens, when{c, builtin.KernelOf(c), builtin.Constant(c.Args[1].Value.Vector(c.Args[1].Type)), args[i+1]})
	}
	s.choice = builtin.ChoiceOf(conditions)
	if s.choice == nil && subject.Op == expr.OpColumn {
		return nil
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

// subjects reports an expression that may be computed once for several conditions.
func subjects(e *expr.Expr) bool {
	return e.Op == expr.OpColumn || e.Op == expr.OpCall && builtin.Foldable(e)
}

func (s *switching) run(x *exec, rows []int32, n int) builtin.Operand {
	subject := s.subject(x, rows, n)
	var pieces []piece
	if s.choice != nil {
		pieces = s.chosen(x, subject, rows, n)
	} else {
		pieces = s.tried(x, subject, rows, n)
	}
	x.scratch.Recycle(subject)
	return assemble(s.typ, pieces, n)
}

// chosen looks the subject of every row up among the constants.
func (s *switching) chosen(x *exec, subject builtin.Operand, rows []int32, n int) (pieces []piece) {
	which, none := make([]int32, n), len(s.whens)
	s.choice.Find(subject, which, int32(none))
	ends := make([]int32, none+2) // of each one's positions, in one list
	for _, w := range which {
		ends[w+1]++
	}
	for k := range none + 1 {
		ends[k+1] += ends[k]
	}
	list, next := make([]int32, n), slices.Clone(ends)
	for i, w := range which {
		list[next[w]] = int32(i)
		next[w]++
	}
	for k := range none + 1 {
		result := s.other
		if k < none {
			result = s.whens[k].result
		}
		hit := list[ends[k]:ends[k+1]]
		if len(hit) == 0 || result == nil {
			continue
		}
		if len(hit) == n {
			hit = nil
		}
		pieces = append(pieces, piece{hit, result(x, through(rows, hit), count(hit, n))})
	}
	return pieces
}

// tried tries one condition after the other.
func (s *switching) tried(x *exec, subject builtin.Operand, rows []int32, n int) (pieces []piece) {
	kept := builtin.Column(subject.Vector) // a kernel must not take its memory
	if subject.IsConst() {
		kept = builtin.Constant(subject.Vector)
	}
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
	return pieces
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
