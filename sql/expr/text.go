package expr

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
	"time"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
)

// Binding powers as MySQL's grammar has them, weakest first.
const (
	bindOr = iota + 1
	bindXor
	bindAnd
	bindNot
	bindCompare
	bindBitOr
	bindBitAnd
	bindShift
	bindSum
	bindProduct
	bindBitXor
	bindSign
)

var infix = map[string]int{
	"or": bindOr, "xor": bindXor, "and": bindAnd,
	"=": bindCompare, "<=>": bindCompare, "<>": bindCompare, "<": bindCompare, "<=": bindCompare, ">": bindCompare,
	">=": bindCompare, "!=": bindCompare, "like": bindCompare, "not like": bindCompare, "regexp": bindCompare,
	"not regexp": bindCompare,
	"|":          bindBitOr, "&": bindBitAnd, "<<": bindShift, ">>": bindShift, "+": bindSum, "-": bindSum,
	"*": bindProduct, "/": bindProduct, "div": bindProduct, "%": bindProduct, "^": bindBitXor,
}

var postfix = map[string]bool{
	"is null": true, "is not null": true, "is true": true, "is false": true, "is not true": true, "is not false": true,
}

// String is e as SQL, for people: `amount > 0`, `floor(total / 10)`. Columns
// stand by name, casts by their target type.
func (e *Expr) String() string {
	var b strings.Builder
	e.write(&b, 0)
	return b.String()
}

// write appends e, in parentheses if it binds weaker than outer.
func (e *Expr) write(b *strings.Builder, outer int) {
	switch e.Op {
	case OpColumn:
		if e.Name == "" {
			b.WriteString("#" + strconv.Itoa(e.Col))
			return
		}
		b.WriteString(e.Name)
	case OpConst:
		b.WriteString(e.Value.Text(e.Type))
	case OpParam:
		b.WriteByte('?')
	case OpSubquery:
		b.WriteString("(subquery " + strconv.Itoa(e.Col))
		for i, a := range e.Args {
			b.WriteString([]string{" of ", ", "}[min(i, 1)])
			a.write(b, 0)
		}
		b.WriteByte(')')
	default:
		e.writeCall(b, outer)
	}
}

func (e *Expr) writeCall(b *strings.Builder, outer int) {
	power := infix[e.Fn]
	switch {
	case e.Fn == "coerce" || e.Fn == "to_scale" || e.Fn == "assign": // put in by package builtin, not written by anyone
		e.Args[0].write(b, outer)
	case e.Fn == "collate" && len(e.Args) == 1:
		e.Args[0].write(b, bindSign)
		b.WriteString(" collate " + e.Type.Collation.String())
	case power > 0 && len(e.Args) >= 2:
		open(b, power < outer)
		for i, a := range e.Args {
			if i == 2 && strings.HasSuffix(e.Fn, "like") {
				b.WriteString(" escape ")
			} else if i > 0 {
				b.WriteString(" " + e.Fn + " ")
			}
			if i > 0 || power == bindCompare {
				a.write(b, power+1)
			} else {
				a.write(b, power)
			}
		}
		shut(b, power < outer)
	case postfix[e.Fn] && len(e.Args) == 1:
		open(b, bindCompare < outer)
		e.Args[0].write(b, bindCompare+1)
		b.WriteString(" " + e.Fn)
		shut(b, bindCompare < outer)
	case (e.Fn == "-" || e.Fn == "~") && len(e.Args) == 1:
		b.WriteString(e.Fn)
		e.Args[0].write(b, bindSign)
	case e.Fn == "not" && len(e.Args) == 1:
		open(b, bindNot < outer)
		b.WriteString("not ")
		e.Args[0].write(b, bindNot)
		shut(b, bindNot < outer)
	case (e.Fn == "in" || e.Fn == "not in") && len(e.Args) >= 2:
		open(b, bindCompare < outer)
		e.Args[0].write(b, bindCompare+1)
		b.WriteString(" " + e.Fn + " ")
		writeList(b, e.Args[1:])
		shut(b, bindCompare < outer)
	case (e.Fn == "between" || e.Fn == "not between") && len(e.Args) == 3:
		open(b, bindCompare < outer)
		e.Args[0].write(b, bindCompare+1)
		b.WriteString(" " + e.Fn + " ")
		e.Args[1].write(b, bindBitOr)
		b.WriteString(" and ")
		e.Args[2].write(b, bindBitOr)
		shut(b, bindCompare < outer)
	case e.Fn == "case":
		e.writeCase(b)
	case e.Fn == "cast" && len(e.Args) == 1:
		b.WriteString("cast(")
		e.Args[0].write(b, 0)
		b.WriteString(" as " + e.Type.String() + ")")
	case e.Routine != nil:
		b.WriteString(e.Routine.Name)
		writeList(b, e.Args)
	default:
		b.WriteString(e.Fn)
		writeList(b, e.Args)
	}
}

// writeCase writes CASE, whose arguments are pairs of condition and result,
// then the ELSE if their number is odd.
func (e *Expr) writeCase(b *strings.Builder) {
	b.WriteString("case")
	i := 0
	for ; i+1 < len(e.Args); i += 2 {
		b.WriteString(" when ")
		e.Args[i].write(b, 0)
		b.WriteString(" then ")
		e.Args[i+1].write(b, 0)
	}
	if i < len(e.Args) {
		b.WriteString(" else ")
		e.Args[i].write(b, 0)
	}
	b.WriteString(" end")
}

func writeList(b *strings.Builder, args []*Expr) {
	b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		a.write(b, 0)
	}
	b.WriteByte(')')
}

func open(b *strings.Builder, yes bool) {
	if yes {
		b.WriteByte('(')
	}
}

func shut(b *strings.Builder, yes bool) {
	if yes {
		b.WriteByte(')')
	}
}

// Text is v, of type t, as an SQL literal. TIMESTAMP shows on the UTC clock.
func (v Value) Text(t types.Type) string {
	if v.Null {
		return "NULL"
	}
	switch t.Class() {
	case types.ClassFloat:
		return strconv.FormatFloat(v.F, 'g', -1, 64)
	case types.ClassBytes:
		if t.IsBinary() {
			return "x'" + hex.EncodeToString(v.S) + "'"
		}
		return quote(string(v.S))
	case types.ClassDecimal:
		return v.decimalText(t.Scale)
	}
	switch t.Kind {
	case types.Date:
		return "'" + time.UnixMicro(v.I).UTC().Format(time.DateOnly) + "'"
	case types.DateTime, types.Timestamp:
		return "'" + time.UnixMicro(v.I).UTC().Format(time.DateTime) + fraction(v.I, t.Scale) + "'"
	case types.Time:
		return "'" + clock(v.I, t.Scale) + "'"
	case types.Enum:
		if elements := strings.Split(t.Enum, "\x00"); v.I >= 1 && v.I <= int64(len(elements)) {
			return quote(elements[v.I-1])
		}
		return "''"
	}
	if t.Unsigned {
		return strconv.FormatUint(uint64(v.I), 10)
	}
	return strconv.FormatInt(v.I, 10)
}

func quote(s string) string {
	return "'" + strings.NewReplacer("'", "''", "\\", "\\\\").Replace(s) + "'"
}

func (v Value) decimalText(scale int) string {
	w := decimal.FromInt64(v.I)
	if v.Wide != nil {
		w = *v.Wide
	}
	digits := bigInt(w).String()
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	if scale == 0 {
		return sign + digits
	}
	if pad := scale + 1 - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

func bigInt(w decimal.Wide) *big.Int {
	x := new(big.Int)
	for i := 3; i >= 0; i-- {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(w[i]))
	}
	if w.Neg() {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return x
}

// fraction is ".123" of a number of microseconds, to fsp digits.
func fraction(us int64, fsp int) string {
	if fsp == 0 {
		return ""
	}
	digits := strconv.FormatInt(1_000_000+(us%1_000_000+1_000_000)%1_000_000, 10)
	return "." + digits[1:1+fsp]
}

// clock is a TIME value: [-]HHH:MM:SS[.ffffff].
func clock(us int64, fsp int) string {
	sign := ""
	if us < 0 {
		sign, us = "-", -us
	}
	s := us / 1_000_000
	two := func(n int64) string { return strconv.FormatInt(100+n, 10)[1:] }
	hours := strconv.FormatInt(s/3600, 10)
	if len(hours) < 2 {
		hours = "0" + hours
	}
	return sign + hours + ":" + two(s/60%60) + ":" + two(s%60) + fraction(us, fsp)
}
