package eval

import (
	"slices"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/vector"
)

// Filter is a compiled list of conditions of which all must be true. Goroutines
// may share it.
type Filter struct {
	conds []condition
}

// condition is one conjunct: a comparison of plain columns and constants, which
// selects rows without computing truth values, or anything else.
type condition struct {
	e           *expr.Expr
	selector    builtin.Selector
	left, right node
	run         node
}

// CompileFilter compiles conjuncts, in whose order rows are dropped.
func CompileFilter(conjuncts []*expr.Expr) (*Filter, error) {
	f := &Filter{}
	for _, e := range conjuncts {
		if err := f.add(e); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *Filter) add(e *expr.Expr) error {
	if e.Op == expr.OpCall && e.Fn == "and" {
		for _, a := range e.Args {
			if err := f.add(a); err != nil {
				return err
			}
		}
		return nil
	}
	c := condition{e: e}
	if e.Op == expr.OpCall && len(e.Args) == 2 && plain(e.Args[0]) && plain(e.Args[1]) {
		if c.selector = builtin.SelectorOf(e); c.selector != nil {
			for i, side := range []*node{&c.left, &c.right} {
				a, err := compile(e.Args[i])
				if err != nil {
					return err
				}
				*side = a.node()
			}
			f.conds = append(f.conds, c)
			return nil
		}
	}
	a, err := compile(e)
	if err != nil {
		return err
	}
	c.run = a.node()
	f.conds = append(f.conds, c)
	return nil
}

// plain reports a column or a constant.
func plain(e *expr.Expr) bool { return e.Op == expr.OpColumn || e.Op == expr.OpConst }

// Select gives the rows, in order, of the n rows of cols for which every condition
// is true. sel is memory to use for the answer; it may be nil. A row whose
// condition fails is told to ctx.Fail and left out.
func (f *Filter) Select(ctx *Context, cols []*vector.Vector, n int, sel []int32) []int32 {
	x := acquire(ctx, cols)
	defer x.release()
	sel = sel[:0]
	all := true // all rows are still in, and sel is empty
	for _, c := range f.conds {
		var in []int32
		left := n
		if !all {
			in, left = sel, len(sel)
			if left == 0 {
				return sel
			}
		}
		if c.selector != nil { // it writes no further than it has read
			sel = c.selector(sel[:0], c.left(x, nil, n), c.right(x, nil, n), in, n)
		} else {
			o := c.run(x, in, left)
			sel = keepTrue(sel[:0], o, in, left)
			x.scratch.Recycle(o)
			if len(x.failed) > 0 {
				sel = slices.DeleteFunc(sel, func(r int32) bool { _, bad := x.failed[int(r)]; return bad })
			}
		}
		all = false
	}
	if all {
		for i := range n {
			sel = append(sel, int32(i))
		}
	}
	return sel
}

// keepTrue appends the rows whose value is true.
func keepTrue(dst []int32, o builtin.Operand, rows []int32, n int) []int32 {
	for k := range n {
		if o.Truth(k) == builtin.True {
			i := int32(k)
			if rows != nil {
				i = rows[k]
			}
			dst = append(dst, i)
		}
	}
	return dst
}
