package builtin

import (
	"bytes"
	"cmp"
	"slices"

	"streamsql/sql/collate"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// fastCompare is the kernel for numbers of one class and for equality of text;
// nil if the general one has to do.
func fastCompare(rel Relation, a, b *expr.Expr) Kernel {
	switch {
	case a.Type.Class() == types.ClassFloat:
		return func(f *Frame) {
			if f.MergeValid() {
				x, y := f.Args[0], f.Args[1]
				compareInto(f.Ints(), rel, x.F, x.mask, y.F, y.mask)
			}
		}
	case byteWise(a, b) && rel <= NotEqual:
		same := equalText(textCollation(a, b))
		return func(f *Frame) {
			if !f.MergeValid() {
				return
			}
			x, y := f.Args[0], f.Args[1]
			out := f.Ints()
			if y.IsConst() && !x.IsConst() {
				equalTextConst(out, rel == Equal, same, x.Vector, y.Str(0))
				return
			}
			for i := range out {
				out[i] = bit(same(x.Str(i), y.Str(i)) == (rel == Equal))
			}
		}
	case a.Type.Class() == types.ClassBytes:
		return nil
	case bothInt64(a, b):
		return func(f *Frame) {
			if f.MergeValid() {
				x, y := f.Args[0], f.Args[1]
				compareInto(f.Ints(), rel, x.I, x.mask, y.I, y.mask)
			}
		}
	case !isUnsigned(a.Type) && !isUnsigned(b.Type):
		general := comparisonOf(a, b)
		sa, sb := scaleOf(a), scaleOf(b)
		return func(f *Frame) {
			if !f.MergeValid() {
				return
			}
			x, y := f.Args[0], f.Args[1]
			out := f.Ints()
			if isNarrow(x, y) {
				if sa == sb {
					compareInto(out, rel, x.I, x.mask, y.I, y.mask)
					return
				}
				if c, ok := rescaledConst(y, sb, sa); ok {
					compareInto(out, rel, x.I, x.mask, c, 0)
					return
				}
			}
			for i := range out {
				out[i] = bit(rel.Holds(general(x, y, i)))
			}
		}
	}
	return nil
}

// byteWise reports texts that are equal when their bytes are, but for spaces at the end.
func byteWise(a, b *expr.Expr) bool {
	return a.Type.Class() == types.ClassBytes && a.Type.Kind != types.JSON && textCollation(a, b) <= types.BinaryCollation
}

// equalTextConst looks at the lengths first: most texts differ there.
func equalTextConst(out []int64, equal bool, same func(a, b []byte) bool, v *vector.Vector, want []byte) {
	offs := v.Off[:len(out)+1]
	w := int32(len(want))
	lo := offs[0]
	for i, hi := range offs[1:] {
		var hit bool
		if hi-lo == w {
			hit = string(v.Buf[lo:hi]) == string(want)
		} else if hi-lo > w && v.Buf[lo+w] == ' ' || hi-lo < w && want[hi-lo] == ' ' {
			hit = same(v.Buf[lo:hi], want)
		}
		out[i] = bit(hit == equal)
		lo = hi
	}
}

// bothInt64 reports arguments that compare as int64.
func bothInt64(a, b *expr.Expr) bool {
	return a.Type.Class() == types.ClassInt && b.Type.Class() == types.ClassInt && !isUnsigned(a.Type) && !isUnsigned(b.Type)
}

// compareInto compares two columns, of which one may be constant (mask 0).
func compareInto[T cmp.Ordered](out []int64, rel Relation, a []T, ma int, b []T, mb int) {
	if ma == 0 && mb != 0 {
		a, ma, b, mb, rel = b, mb, a, ma, rel.Swapped()
	}
	if mb == 0 {
		compareConst(out, rel, a, b[0], ma)
		return
	}
	a, b = a[:len(out)], b[:len(out)]
	switch rel {
	case Equal:
		for i := range out {
			out[i] = bit(a[i] == b[i])
		}
	case NotEqual:
		for i := range out {
			out[i] = bit(a[i] != b[i])
		}
	case Less:
		for i := range out {
			out[i] = bit(a[i] < b[i])
		}
	case LessEqual:
		for i := range out {
			out[i] = bit(a[i] <= b[i])
		}
	case Greater:
		for i := range out {
			out[i] = bit(a[i] > b[i])
		}
	case GreaterEqual:
		for i := range out {
			out[i] = bit(a[i] >= b[i])
		}
	}
}

func compareConst[T cmp.Ordered](out []int64, rel Relation, a []T, y T, ma int) {
	switch rel {
	case Equal:
		for i := range out {
			out[i] = bit(a[i&ma] == y)
		}
	case NotEqual:
		for i := range out {
			out[i] = bit(a[i&ma] != y)
		}
	case Less:
		for i := range out {
			out[i] = bit(a[i&ma] < y)
		}
	case LessEqual:
		for i := range out {
			out[i] = bit(a[i&ma] <= y)
		}
	case Greater:
		for i := range out {
			out[i] = bit(a[i&ma] > y)
		}
	case GreaterEqual:
		for i := range out {
			out[i] = bit(a[i&ma] >= y)
		}
	}
}

// equalText is equality in one of the two byte-wise collations.
func equalText(c types.Collation) func(a, b []byte) bool {
	if c == types.BinaryCollation {
		return bytes.Equal
	}
	return equalPadded
}

func equalPadded(a, b []byte) bool {
	if len(a) == len(b) {
		return string(a) == string(b)
	}
	return collate.Compare(types.UTF8MB4Bin, a, b) == 0
}

// Selector picks the rows for which a comparison is true: it appends to dst those
// of rows (nil: the first n) and returns dst. Row numbers are positions in a and b.
// dst may start where rows does: it never gets ahead of them.
type Selector func(dst []int32, a, b Operand, rows []int32, n int) []int32

// SelectorOf is the selector of a comparison without building its truth values;
// nil if there is none for its types.
func SelectorOf(e *expr.Expr) Selector {
	rel, ok := Relations[e.Fn]
	if !ok || e.Args[0].Type.Kind == types.Null || e.Args[1].Type.Kind == types.Null {
		return nil
	}
	a, b := e.Args[0], e.Args[1]
	switch {
	case a.Type.Class() == types.ClassFloat:
		return func(dst []int32, a, b Operand, rows []int32, n int) []int32 {
			return selectWhere(dst, rel, a.F, a, b.F, b, rows, n)
		}
	case bothInt64(a, b):
		return func(dst []int32, a, b Operand, rows []int32, n int) []int32 {
			return selectWhere(dst, rel, a.I, a, b.I, b, rows, n)
		}
	case byteWise(a, b) && rel <= NotEqual:
		return selectText(rel, textCollation(a, b))
	}
	compare := comparisonOf(a, b)
	fast := (a.Type.Class() == types.ClassDecimal || b.Type.Class() == types.ClassDecimal)
	sa, sb := scaleOf(a), scaleOf(b)
	return func(dst []int32, a, b Operand, rows []int32, n int) []int32 {
		if fast && isNarrow(a, b) {
			if sa == sb {
				return selectWhere(dst, rel, a.I, a, b.I, b, rows, n)
			}
			if y, ok := rescaledConst(b, sb, sa); ok {
				return selectWhere(dst, rel, a.I, a, y, b, rows, n)
			}
		}
		return selectRows(dst, a, b, rows, n, func(i int) bool { return rel.Holds(compare(a, b, i)) })
	}
}

// rescaledConst brings a constant to the larger scale of the other side.
func rescaledConst(b Operand, from, to int) ([]int64, bool) {
	if !b.IsConst() || to < from {
		return nil, false
	}
	v, ok := decimal.RescaleNarrow(b.I[0], from, to)
	return []int64{v}, ok
}

func selectText(rel Relation, c types.Collation) Selector {
	same := equalText(c)
	return func(dst []int32, a, b Operand, rows []int32, n int) []int32 {
		if b.IsConst() && !a.IsConst() && rows == nil && a.Valid == nil && b.Valid == nil {
			return selectTextConst(dst, rel, same, a, b.Str(0), n)
		}
		return selectRows(dst, a, b, rows, n, func(i int) bool { return same(a.Str(i), b.Str(i)) == (rel == Equal) })
	}
}

// selectTextConst looks at the lengths first: most texts differ there.
func selectTextConst(dst []int32, rel Relation, same func(a, b []byte) bool, a Operand, want []byte, n int) []int32 {
	k := len(dst)
	dst = slices.Grow(dst, n)[:k+n]
	offs := a.Off[:n+1]
	w := int32(len(want))
	lo := offs[0]
	for i, hi := range offs[1:] {
		s := a.Buf[lo:hi]
		var hit bool
		if hi-lo == w {
			hit = string(s) == string(want)
		} else if hi-lo > w && s[w] == ' ' || hi-lo < w && want[hi-lo] == ' ' {
			hit = same(s, want)
		}
		dst[k] = int32(i)
		k += int(bit(hit == (rel == Equal)))
		lo = hi
	}
	return dst[:k]
}

// selectRows is the general selector: pred says whether row i, which is NULL on
// neither side, is taken.
func selectRows(dst []int32, a, b Operand, rows []int32, n int, pred func(i int) bool) []int32 {
	if rows == nil {
		for i := range n {
			if !a.NullAt(i) && !b.NullAt(i) && pred(i) {
				dst = append(dst, int32(i))
			}
		}
		return dst
	}
	for _, r := range rows {
		if i := int(r); !a.NullAt(i) && !b.NullAt(i) && pred(i) {
			dst = append(dst, r)
		}
	}
	return dst
}

// selectWhere compares columns of ordered values, without a branch per row when
// there are no NULLs.
func selectWhere[T cmp.Ordered](dst []int32, rel Relation, av []T, a Operand, bv []T, b Operand, rows []int32, n int) []int32 {
	if a.IsConst() && !b.IsConst() {
		av, a, bv, b, rel = bv, b, av, a, rel.Swapped()
	}
	if !b.IsConst() || a.IsConst() {
		return selectRows(dst, a, b, rows, n, func(i int) bool { return rel.Holds(cmp.Compare(av[i&a.mask], bv[i&b.mask])) })
	}
	if b.IsNull(0) {
		return dst
	}
	y := bv[0]
	k := len(dst)
	if rows == nil {
		dst = slices.Grow(dst, n)[:k+n]
		k += selectAll(dst[k:], rel, av[:n], y)
	} else {
		dst = slices.Grow(dst, len(rows))[:k+len(rows)]
		k += selectSome(dst[k:], rel, av, rows, y)
	}
	dst = dst[:k]
	if a.Valid != nil {
		dst = dropNulls(dst, a)
	}
	return dst
}

func dropNulls(rows []int32, a Operand) []int32 {
	k := 0
	for _, r := range rows {
		if !a.IsNull(int(r)) {
			rows[k] = r
			k++
		}
	}
	return rows[:k]
}

func selectAll[T cmp.Ordered](dst []int32, rel Relation, a []T, y T) (k int) {
	switch rel {
	case Equal:
		for i, x := range a {
			dst[k] = int32(i)
			k += int(bit(x == y))
		}
	case NotEqual:
		for i, x := range a {
			dst[k] = int32(i)
			k += int(bit(x != y))
		}
	case Less:
		for i, x := range a {
			dst[k] = int32(i)
			k += int(bit(x < y))
		}
	case LessEqual:
		for i, x := range a {
			dst[k] = int32(i)
			k += int(bit(x <= y))
		}
	case Greater:
		for i, x := range a {
			dst[k] = int32(i)
			k += int(bit(x > y))
		}
	case GreaterEqual:
		for i, x := range a {
			dst[k] = int32(i)
			k += int(bit(x >= y))
		}
	}
	return k
}

func selectSome[T cmp.Ordered](dst []int32, rel Relation, a []T, rows []int32, y T) (k int) {
	for _, r := range rows {
		x := a[r]
		var hit bool
		switch rel {
		case Equal:
			hit = x == y
		case NotEqual:
			hit = x != y
		case Less:
			hit = x < y
		case LessEqual:
			hit = x <= y
		case Greater:
			hit = x > y
		case GreaterEqual:
			hit = x >= y
		}
		dst[k] = r
		k += int(bit(hit))
	}
	return k
}
