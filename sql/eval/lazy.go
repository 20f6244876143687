package eval

import (
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// lazy is the node of a call that reaches its arguments only as needed.
func lazy(e *expr.Expr, args []node) node {
	switch e.Fn {
	case "and":
		return logic(e, args, builtin.False)
	case "or":
		return logic(e, args, builtin.True)
	case "coalesce", "ifnull":
		return coalesce(e, args)
	}
	return branch(e, args) // "case", "if"
}

// harmless reports an expression that can neither fail nor warn, and is cheap:
// evaluating it for rows that do not need it costs less than leaving them out.
func harmless(e *expr.Expr) bool {
	if e.Op == expr.OpCall {
		switch e.Fn {
		case "=", "<>", "<", "<=", ">", ">=", "<=>", "is null", "is not null", "is true", "is false", "not", "and", "or":
		default:
			return false
		}
	}
	for _, a := range e.Args {
		if !harmless(a) {
			return false
		}
	}
	return true
}

// logic is AND (decided by False) and OR (decided by True) of any number of
// arguments: an argument is evaluated for the rows that are still undecided.
func logic(e *expr.Expr, args []node, decided builtin.Truth) node {
	everywhere := make([]bool, len(args))
	for i, a := range e.Args {
		everywhere[i] = harmless(a)
	}
	return func(x *exec, rows []int32, n int) builtin.Operand {
		acc := newTruths(x.scratch.Ints(n), decided)
		for i, a := range args {
			if everywhere[i] || i == 0 {
				o := a(x, rows, n)
				acc.take(o, nil)
				x.scratch.Recycle(o)
				continue
			}
			open := acc.undecided(x.scratch.Rows(n)[:0])
			mem := open
			if len(open) == n {
				open = nil
			} else if len(open) == 0 {
				break
			}
			o := a(x, through(rows, open), count(open, n))
			acc.take(o, open)
			x.scratch.Recycle(o)
			x.scratch.RecycleRows(mem)
		}
		out := x.scratch.Vector(e.Type)
		out.N, out.I, out.Valid = n, acc.value, acc.valid
		return builtin.Owned(out)
	}
}

// through maps positions in a frame to rows of the chunk.
func through(rows, at []int32) []int32 {
	switch {
	case at == nil:
		return rows
	case rows == nil:
		return at
	}
	out := make([]int32, len(at))
	for i, p := range at {
		out[i] = rows[p]
	}
	return out
}

func count(at []int32, n int) int {
	if at == nil {
		return n
	}
	return len(at)
}

// truths gathers the truth values of AND or OR.
type truths struct {
	value   []int64 // 0 or 1
	valid   []uint64
	decided builtin.Truth
}

func newTruths(mem []int64, decided builtin.Truth) *truths {
	t := &truths{value: mem, decided: decided}
	all := int64(1 - decided)
	for i := range t.value {
		t.value[i] = all
	}
	return t
}

// take adds an argument's truth values, of the positions at (nil: all).
func (t *truths) take(o builtin.Operand, at []int32) {
	if at == nil && !o.IsConst() && t.valid == nil && o.Valid == nil && o.Type.Bool && o.I != nil {
		if t.decided == builtin.False {
			for i, v := range o.I[:len(t.value)] {
				t.value[i] &= v
			}
		} else {
			for i, v := range o.I[:len(t.value)] {
				t.value[i] |= v
			}
		}
		return
	}
	for k := range count(at, len(t.value)) {
		i := k
		if at != nil {
			i = int(at[k])
		}
		if t.at(i) != t.decided {
			t.set(i, o.Truth(k))
		}
	}
}

func (t *truths) at(i int) builtin.Truth {
	if t.valid != nil && t.valid[i>>6]>>(uint(i)&63)&1 == 0 {
		return builtin.Unknown
	}
	return builtin.Truth(t.value[i])
}

// set joins the undecided row i with v.
func (t *truths) set(i int, v builtin.Truth) {
	switch v {
	case t.decided:
		t.value[i] = int64(v)
		if t.valid != nil {
			t.valid[i>>6] |= 1 << (uint(i) & 63)
		}
	case builtin.Unknown:
		if t.valid == nil {
			t.valid = make([]uint64, (len(t.value)+63)>>6)
			for k := range t.valid {
				t.valid[k] = ^uint64(0)
			}
		}
		t.valid[i>>6] &^= 1 << (uint(i) & 63)
	}
}

func (t *truths) undecided(open []int32) []int32 {
	for i := range t.value {
		if t.at(i) != t.decided {
			open = append(open, int32(i))
		}
	}
	return open
}

// piece is the values of some rows of a result.
type piece struct {
	at []int32 // positions in the result; nil: all
	o  builtin.Operand
}

// branch is CASE and IF: pairs of condition and result, then perhaps the ELSE.
func branch(e *expr.Expr, args []node) node {
	if s := switchOf(e, args); s != nil {
		return s.run
	}
	return func(x *exec, rows []int32, n int) builtin.Operand {
		var pieces []piece
		var open []int32 // positions that no condition has taken; nil: all
		for i := 0; i < len(args); i += 2 {
			left := count(open, n)
			if left == 0 {
				break
			}
			if i == len(args)-1 { // ELSE
				pieces = append(pieces, piece{open, args[i](x, through(rows, open), left)})
				break
			}
			cond := args[i](x, through(rows, open), left)
			hit, miss := split(cond, open, left)
			x.scratch.Recycle(cond)
			if len(hit) == n {
				hit = nil
			}
			if hit == nil || len(hit) > 0 {
				pieces = append(pieces, piece{hit, args[i+1](x, through(rows, hit), count(hit, n))})
			}
			open = miss
		}
		return assemble(e.Type, pieces, n)
	}
}

// split parts positions by a condition: true, or not.
func split(cond builtin.Operand, at []int32, n int) (hit, miss []int32) {
	hit, miss = make([]int32, 0, n), make([]int32, 0, n)
	for k := range n {
		i := int32(k)
		if at != nil {
			i = at[k]
		}
		if cond.Truth(k) == builtin.True {
			hit = append(hit, i)
		} else {
			miss = append(miss, i)
		}
	}
	return hit, miss
}

// coalesce takes each row's first argument that is not NULL.
func coalesce(e *expr.Expr, args []node) node {
	return func(x *exec, rows []int32, n int) builtin.Operand {
		var pieces []piece
		var open []int32
		for _, a := range args {
			o := a(x, through(rows, open), count(open, n))
			if o.Valid == nil {
				if open == nil && !o.IsConst() {
					return o.As(e.Type)
				}
				pieces = append(pieces, piece{open, o})
				break
			}
			pieces = append(pieces, piece{open, o})
			null := make([]int32, 0, count(open, n))
			for k := range count(open, n) {
				if o.NullAt(k) {
					i := int32(k)
					if open != nil {
						i = open[k]
					}
					null = append(null, i)
				}
			}
			if open = null; len(open) == 0 {
				break
			}
		}
		return assemble(e.Type, pieces, n)
	}
}

// assemble puts pieces together, later ones over earlier ones. Rows in no piece
// are NULL.
func assemble(t types.Type, pieces []piece, n int) builtin.Operand {
	if len(pieces) == 1 && pieces[0].at == nil {
		return pieces[0].o.As(t)
	}
	if o, ok := scatter(t, pieces, n); ok {
		return o
	}
	if t.Class() == types.ClassBytes {
		return assembleText(t, pieces, n)
	}
	from := make([]int32, n) // which piece, from 1; 0: none
	index := make([]int32, n)
	for p, pc := range pieces {
		for k := range count(pc.at, n) {
			i := k
			if pc.at != nil {
				i = int(pc.at[k])
			}
			from[i], index[i] = int32(p+1), int32(k)
		}
	}
	out := vector.New(t, n)
	for i := range n {
		if from[i] == 0 {
			out.AppendNull()
			continue
		}
		o := pieces[from[i]-1].o
		out.AppendFrom(o.Vector, o.Index(int(index[i])))
	}
	return builtin.Owned(out)
}

// assembleText is assemble for text: the lengths first, then every text to its
// place. A row that is in several pieces is NULL in all but one.
func assembleText(t types.Type, pieces []piece, n int) builtin.Operand {
	out := &vector.Vector{Type: t, N: n, Off: make([]int32, n+1)}
	set := make([]uint64, (n+63)>>6)
	values := 0
	each := func(do func(i int, text []byte)) {
		for _, p := range pieces {
			for k := range count(p.at, n) {
				i := k
				if p.at != nil {
					i = int(p.at[k])
				}
				if !p.o.NullAt(k) {
					do(i, p.o.Str(k))
				}
			}
		}
	}
	each(func(i int, text []byte) {
		out.Off[i+1] = int32(len(text))
		set[i>>6] |= 1 << (uint(i) & 63)
		values++
	})
	for i := range n {
		out.Off[i+1] += out.Off[i]
	}
	out.Buf = make([]byte, out.Off[n])
	each(func(i int, text []byte) { copy(out.Buf[out.Off[i]:], text) })
	if values < n {
		out.Valid = set
	}
	return builtin.Owned(out)
}

// scatter is assemble for pieces of int64 without NULLs that cover all rows.
func scatter(t types.Type, pieces []piece, n int) (builtin.Operand, bool) {
	covered := 0
	for _, p := range pieces {
		if p.o.I == nil || p.o.Valid != nil || p.at == nil {
			return builtin.Operand{}, false
		}
		covered += len(p.at)
	}
	if covered != n {
		return builtin.Operand{}, false
	}
	out := make([]int64, n)
	for _, p := range pieces {
		if p.o.IsConst() {
			for _, i := range p.at {
				out[i] = p.o.I[0]
			}
			continue
		}
		for k, i := range p.at {
			out[i] = p.o.I[k]
		}
	}
	return builtin.Owned(&vector.Vector{Type: t, N: n, I: out}), true
}
