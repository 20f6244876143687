package builtin

import (
	"bytes"
	"strconv"

	"streamsql/sql/collate"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 2, max: -1, flags: nonNull, resolve: resolveField, kernel: fieldKernel}, "field")
	define("elt", "is+", 0, textResult(longest), each(func(f *Frame, i int) {
		n := int64(0)
		if !f.Args[0].NullAt(i) {
			n = f.Args[0].Int(i)
		}
		if n < 1 || n >= int64(len(f.Args)) || f.Args[n].NullAt(i) {
			f.Out.AppendNull()
			return
		}
		f.Out.AppendBytes(f.Args[n].Str(i))
	}))
	defineBy("find_in_set", "ss", total|compares, returns(types.Type{Kind: types.Int}), func(e *expr.Expr) Kernel {
		c := textCollation(e.Args...)
		return strict(func(f *Frame, i int) { findInSetRow(f, i, c) })
	})
	define("make_set", "is+", 0, textResult(sumLen), each(makeSetRow))
	define("export_set", "iss?si", total, textResult(func(*call) int { return maxVarChar }), strict(exportSetRow))
	register(function{min: 2, max: 3, flags: 0, resolve: resolveFormat, kernel: func(*expr.Expr) Kernel { return each(formatRow) }}, "format")
}

func longest(c *call) int {
	n := 0
	for _, a := range c.args[1:] {
		n = max(n, textLen(a.Type))
	}
	return n
}

// resolveField compares as text if all are text, as numbers if all are, else as DOUBLE.
func resolveField(c *call) (*expr.Expr, error) {
	args, err := c.env.comparable(c.fn, c.args...)
	if err != nil {
		return nil, err
	}
	c.args = args
	return c.result(types.Type{Kind: types.Int}), nil
}

func fieldKernel(e *expr.Expr) Kernel {
	compares := make([]comparison, len(e.Args))
	for k, a := range e.Args {
		if notNullTypes(e.Args[0], a) {
			compares[k] = comparisonOf(e.Args[0], a)
		}
	}
	return each(func(f *Frame, i int) {
		at := int64(0)
		for k := 1; k < len(f.Args) && at == 0 && !f.Args[0].NullAt(i); k++ {
			if !f.Args[k].NullAt(i) && compares[k](f.Args[0], f.Args[k], i) == 0 {
				at = int64(k)
			}
		}
		f.Out.AppendInt(at)
	})
}

func findInSetRow(f *Frame, i int, c types.Collation) {
	want, set := collate.Fold(c, f.Args[0].Str(i)), collate.Fold(c, f.Args[1].Str(i))
	for n := int64(1); len(set) > 0; n++ {
		element, rest, more := bytes.Cut(set, []byte{','})
		if bytes.Equal(element, want) && !bytes.ContainsRune(want, ',') {
			f.Out.AppendInt(n)
			return
		}
		if set = rest; more && len(set) == 0 && len(want) == 0 {
			f.Out.AppendInt(n + 1)
			return
		}
	}
	f.Out.AppendInt(0)
}

func makeSetRow(f *Frame, i int) {
	if f.Args[0].NullAt(i) {
		f.Out.AppendNull()
		return
	}
	bits, first := uint64(f.Args[0].Int(i)), true
	for k, a := range f.Args[1:] {
		if k > 63 || bits>>k&1 == 0 || a.NullAt(i) {
			continue
		}
		if !first {
			f.Out.Buf = append(f.Out.Buf, ',')
		}
		first = false
		f.Out.Buf = append(f.Out.Buf, a.Str(i)...)
	}
	f.endText()
}

func exportSetRow(f *Frame, i int) {
	separator, n := []byte{','}, int64(64)
	if len(f.Args) > 3 {
		separator = f.Args[3].Str(i)
	}
	if len(f.Args) > 4 {
		if n = f.Args[4].Int(i); n < 0 || n > 64 {
			n = 64
		}
	}
	for k := range n {
		if k > 0 {
			f.Out.Buf = append(f.Out.Buf, separator...)
		}
		if uint64(f.Args[0].Int(i))>>k&1 == 1 {
			f.Out.Buf = append(f.Out.Buf, f.Args[1].Str(i)...)
		} else {
			f.Out.Buf = append(f.Out.Buf, f.Args[2].Str(i)...)
		}
	}
	f.endText()
}

// resolveFormat is FORMAT(x, digits [, locale]): exact numbers stay exact.
func resolveFormat(c *call) (*expr.Expr, error) {
	args := []*expr.Expr{Exact(toDecimal(toNumber(c.args[0]))), c.env.fit(c.args[1], 'i')}
	if len(c.args) == 3 {
		args = append(args, c.env.toText(c.args[2]))
	}
	c.args = args
	return c.result(types.MakeVarChar(textLen(args[0].Type)*4/3 + 32)), nil
}

func formatRow(f *Frame, i int) {
	a := f.Args[0]
	if a.NullAt(i) || f.Args[1].NullAt(i) {
		f.Out.AppendNull()
		return
	}
	place := english
	if len(f.Args) == 3 {
		name, ok := "NULL", false
		if !f.Args[2].NullAt(i) {
			name = string(f.Args[2].Str(i))
		}
		if place, ok = findLocale(name); !ok && !f.Problem(i, sqlerr.UnknownLocale, "Unknown locale: '%s'", name) {
			return
		}
	}
	d := int(min(max(f.Args[1].Int(i), 0), 30))
	var buf [96]byte
	text := buf[:0]
	if a.F != nil {
		x := roundDouble(a.Float(i), d, false)
		if x == 0 {
			x = 0 // without a sign
		}
		text = strconv.AppendFloat(text, x, 'f', d, 64)
	} else {
		scale := scaleOf(f.Call.Args[0])
		w, ok := decimal.Rescale(a.Dec(i), scale, d)
		if !ok {
			w, d = a.Dec(i), scale
		}
		text = decimal.AppendText(text, w, d)
	}
	f.Out.Buf = place.appendGrouped(f.Out.Buf, text)
	f.endText()
}
