package builtin

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"streamsql/sql/collate"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 1, max: 2, kernel: assignKernel,
		resolve: func(c *call) (*expr.Expr, error) { return nil, NoFunction(c.fn) }}, "assign")
}

// Assign is e on its way into a column of type t: AssignColumn without a name.
func Assign(env *Env, e *expr.Expr, t types.Type) (*expr.Expr, error) {
	return AssignColumn(env, e, t, "")
}

// AssignColumn is e stored into the column of type t. Under Context.Strict a value
// that does not fit fails its row, with MySQL's errors for the column: 1264 out
// of range, 1265 data truncated, 1292 incorrect date, 1366 incorrect number, 1406
// too long, 1048 NULL into NOT NULL. Otherwise it is clamped or cut, with a warning.
func AssignColumn(_ *Env, e *expr.Expr, t types.Type, column string) (*expr.Expr, error) {
	if assignable(e.Type, t) {
		return e, nil
	}
	if e.IsNull() && !t.NotNull {
		return expr.NewConst(*e.Value, t), nil
	}
	if isHex(e) && t.IsNumeric() {
		e = hexNumber(e)
	}
	a := expr.NewCall("assign", t, Exact(e))
	a.Name = column
	return a, nil
}

// OrImplicit is e, on its way into a column, for a statement that takes NULL as the
// implicit default of a NOT NULL column unless sql_mode is strict: all but an
// INSERT of one row.
func OrImplicit(e, implicit *expr.Expr) *expr.Expr {
	if e.Op != expr.OpCall || e.Fn != "assign" || !e.Type.NotNull || e.Args[0].Type.NotNull {
		return e
	}
	out := *e
	out.Args = []*expr.Expr{e.Args[0], implicit}
	return &out
}

// assignable reports that every value of from is one of to, in the same form.
func assignable(from, to types.Type) bool {
	if to.NotNull && !from.NotNull || from.Kind == types.Null {
		return false
	}
	from.NotNull, to.NotNull = false, false
	from.Bool, to.Bool = false, false
	if from == to {
		return true
	}
	switch {
	case from.IsInteger() && to.IsInteger() && from.Kind != types.Year && to.Kind != types.Year:
		return from.Kind <= to.Kind && from.Unsigned == to.Unsigned || from.Unsigned && from.Kind < to.Kind
	case from.Kind == types.VarChar && to.Kind == types.VarChar:
		return from.Len > 0 && from.Len <= to.Len
	case from.Kind == types.Double && to.Kind == types.Double, from.Kind == types.Float && to.Kind == types.Float:
		return to.Scale == types.NotFixed && !to.Unsigned
	case from.Kind == to.Kind && from.IsTemporal():
		return from.Scale <= to.Scale
	case from.Kind == types.Decimal && to.Kind == types.Decimal:
		return from.Scale == to.Scale && from.Prec <= to.Prec && !to.Unsigned
	}
	return false
}

// Kept is the expression whose value e has wherever e has one: of a value on its way into
// a column that takes it as it is, unless it is NULL and must not be, that value; else e.
func Kept(e *expr.Expr) *expr.Expr {
	if e.Op == expr.OpCall && e.Fn == "assign" && assignable(e.Args[0].Type, e.Type.Nullable()) {
		return e.Args[0]
	}
	return e
}

// assignKernel stores row by row.
func assignKernel(e *expr.Expr) Kernel {
	to := e.Type
	store := storeFor(to)
	return each(func(f *Frame, i int) {
		if f.Args[0].NullAt(i) {
			storeNull(f, i, to)
			return
		}
		store(f, i, to)
	})
}

// storeNull stores NULL, or the implicit default where there is one.
func storeNull(f *Frame, i int, to types.Type) {
	if !to.NotNull {
		f.Out.AppendNull()
		return
	}
	err := sqlerr.New(sqlerr.BadNull, "Column '%s' cannot be null", f.Call.Name)
	if f.Strict || len(f.Args) == 1 {
		f.Fail(i, err)
		return
	}
	if f.Warn != nil {
		f.Warn(err.Code, err.Message)
	}
	f.Out.AppendFrom(f.Args[1].Vector, 0)
}

// storeFor chooses how a value is stored into a column of type t.
func storeFor(t types.Type) func(f *Frame, i int, t types.Type) {
	switch {
	case t.Kind == types.Year:
		return storeYear
	case t.IsInteger():
		return storeInteger
	case t.Class() == types.ClassFloat:
		return storeDouble
	case t.Kind == types.Decimal:
		return storeDecimal
	case t.Kind == types.Enum:
		return storeEnum
	case t.Kind == types.JSON:
		return storeJSON
	case t.IsTemporal():
		return storeTemporal
	}
	return storeText
}

// misfit reports a value that does not fit its column; the row may go on if it
// is only a warning.
func (f *Frame) misfit(i int, code uint16, what string) bool {
	return f.Problem(i, code, "%s for column '%s' at row %d", what, f.Call.Name, f.RowNumber(i))
}

// trimmed notes that digits or spaces were dropped.
func (f *Frame) trimmed(i int) {
	f.Remark(sqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", f.Call.Name, f.RowNumber(i))
}

func (f *Frame) argText(i int) string { return string(f.Args[0].AppendTextAt(nil, i, f.Location)) }

// numberStatus reports the status of a conversion to a number.
func (f *Frame) numberStatus(i int, st status, kind string) bool {
	switch st {
	case over:
		return f.misfit(i, sqlerr.WarnDataOutOfRange, "Out of range value")
	case wrong:
		return f.misfit(i, sqlerr.TruncatedWrongField, "Incorrect "+kind+" value: '"+f.argText(i)+"'")
	case cut:
		return f.misfit(i, sqlerr.WarnDataTruncated, "Data truncated")
	}
	return true
}

func storeInteger(f *Frame, i int, t types.Type) {
	a := f.Args[0]
	var w decimal.Wide
	var st status
	switch {
	case a.Type.IsInteger() || a.Type.Kind == types.Enum:
		w = wideInt(a, i)
	case a.Type.Class() == types.ClassFloat:
		var ok bool
		if w, ok = decimal.FromFloat(math.RoundToEven(a.Float(i)), 0); !ok {
			st = over
		}
	default:
		w, st = f.decimal(a, i, types.MakeDecimal(65, 0))
		if t.Unsigned && a.Type.Kind == types.Decimal && a.Dec(i).Neg() { // what rounds to 0 as well
			st = over
		}
	}
	lo, hi := t.IntRange()
	low, high := decimal.FromInt64(lo), decimal.FromInt64(hi)
	if t.Unsigned {
		high = decimal.FromUint64(uint64(hi))
	}
	if w.Cmp(low) < 0 {
		w, st = low, max(st, over)
	} else if w.Cmp(high) > 0 {
		w, st = high, max(st, over)
	}
	if f.numberStatus(i, st, "integer") {
		f.Out.AppendInt(int64(w[0]))
	}
}

func storeDouble(f *Frame, i int, t types.Type) {
	x, st := f.double(f.Args[0], i)
	if t.Scale < types.NotFixed {
		p := math.Pow10(t.Scale)
		if y := math.RoundToEven(x * p); !math.IsInf(y, 0) {
			x = y / p
		}
		if limit := math.Pow10(t.Prec-t.Scale) - math.Pow10(-t.Scale); t.Prec > 0 && math.Abs(x) > limit {
			x, st = math.Copysign(limit, x), over
		}
	}
	if t.Kind == types.Float {
		if math.Abs(x) > math.MaxFloat32 {
			x, st = math.Copysign(math.MaxFloat32, x), over
		}
		x = float64(float32(x))
	}
	if t.Unsigned && x < 0 {
		x, st = 0, over
	}
	if f.numberStatus(i, st, t.String()) {
		f.Out.AppendFloat(x)
	}
}

func storeDecimal(f *Frame, i int, t types.Type) {
	a := f.Args[0]
	w, st := f.decimal(a, i, t)
	if t.Unsigned && st == fine && w.Sign() == 0 && f.negative(a, i) { // what rounds to 0 as well
		st = over
	}
	if st == fine && f.Note != nil && f.losesDigits(a, i, w, t.Scale) {
		f.trimmed(i)
	}
	if f.numberStatus(i, st, "decimal") {
		f.Out.AppendWide(w)
	}
}

// losesDigits reports that w, at the scale given, is not all of the value of row i.
func (f *Frame) losesDigits(a Operand, i int, w decimal.Wide, scale int) bool {
	t := a.Type
	switch {
	case t.Kind == types.Decimal && t.Scale <= scale, t.IsInteger(), t.IsTemporal() && t.Scale <= scale:
		return false
	case t.Class() == types.ClassFloat:
		return decimal.Float(w, scale) != a.Float(i)
	}
	all, st := f.decimal(a, i, types.MakeDecimal(65, 30))
	if st != fine {
		return false
	}
	back, ok := decimal.Rescale(w, scale, 30)
	return ok && back.Cmp(all) != 0
}

func storeYear(f *Frame, i int, _ types.Type) {
	y, st := f.year(f.Args[0], i)
	if f.numberStatus(i, st, "integer") {
		f.Out.AppendInt(y)
	}
}

// storeEnum takes an element's name, or its number.
func storeEnum(f *Frame, i int, t types.Type) {
	a := f.Args[0]
	n := int64(0)
	elements := t.Elements()
	switch {
	case a.Type.IsInteger():
		n = a.Int(i)
	case a.Type.IsNumeric(): // cut, not rounded
		x, _ := f.double(a, i)
		n = int64(max(min(x, 1<<16), 0))
	default:
		n = enumElement(elements, bytes.TrimRight(a.AppendTextAt(nil, i, f.Location), " "), t.Collation)
	}
	if n < 1 || n > int64(len(elements)) {
		n = 0
	}
	if n > 0 || f.misfit(i, sqlerr.WarnDataTruncated, "Data truncated") {
		f.Out.AppendInt(n)
	}
}

// enumElement is the number of the element that text names, or else is: '2' is the
// second element unless there is one of that name. 0: there is none.
func enumElement(elements []string, text []byte, c types.Collation) int64 {
	for k, e := range elements {
		if collate.Compare(c, []byte(e), text) == 0 {
			return int64(k + 1)
		}
	}
	const longest = 5 // digits of the most elements that an ENUM has
	if len(text) > longest {
		return 0
	}
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil {
		return 0
	}
	return int64(n)
}

// storeTemporal stores a date or time. Where MySQL stores a zero date, which we do
// not have, it stores NULL, or the first day of 1970 into a NOT NULL column.
func storeTemporal(f *Frame, i int, t types.Type) {
	a := f.Args[0]
	us, st := f.temporal(a, i, t)
	switch {
	case st == fine && f.Note != nil && f.losesHalf(a, i, t):
		f.trimmed(i)
	case st != fine && f.Strict:
		name := types.Type{Kind: t.Kind}.String()
		if t.Kind == types.Timestamp {
			name = "datetime"
		}
		f.misfit(i, sqlerr.TruncatedWrongValue, "Incorrect "+name+" value: '"+f.argText(i)+"'")
		return
	case st == over || st == noDate:
		f.misfit(i, sqlerr.WarnDataOutOfRange, "Out of range value")
	case st != fine:
		f.misfit(i, sqlerr.WarnDataTruncated, "Data truncated")
	}
	switch none := st == wrong || st == noDate || st == over && t.Kind != types.Time; {
	case none && !t.NotNull && t.Kind != types.Time:
		f.Out.AppendNull()
	case none:
		f.Out.AppendInt(0)
	default:
		f.Out.AppendInt(us)
	}
}

// losesHalf reports that the value of row i has a time of day, which a DATE has not,
// or a date, which a TIME has not.
func (f *Frame) losesHalf(a Operand, i int, t types.Type) bool {
	switch {
	case t.Kind == types.Date && a.Type.Kind != types.Date:
		us, st := f.point(a, i)
		return st == fine && us%types.Day != 0
	case t.Kind == types.Time && a.Type.HasDate():
		return true
	case t.Kind == types.Time && a.Type.Class() == types.ClassBytes:
		p := types.ParseDateTime(a.Str(i))
		return len(a.Str(i)) >= len("YYYYMMDDhhmm") && p.OK && p.HasTime
	}
	return false
}

// storeText checks the length, in characters of CHAR and VARCHAR, else in bytes,
// and that text is valid UTF-8. CHAR drops spaces at its end, BINARY gets zeros.
func storeText(f *Frame, i int, t types.Type) {
	start := len(f.Out.Buf)
	f.Out.Buf = f.Args[0].AppendTextAt(f.Out.Buf, i, f.Location)
	s := f.Out.Buf[start:]
	keep := true
	if !t.IsBinary() && !utf8.Valid(s) {
		n := validPrefix(s)
		keep = f.misfit(i, sqlerr.TruncatedWrongField, "Incorrect string value: '"+escapeBytes(s[n:])+"'")
		s = s[:n]
	}
	inBytes := t.IsBinary() || t.Kind == types.Text
	if n := prefixLen(s, t.Len, inBytes); keep && t.Len > 0 && n < len(s) {
		for inBytes && !t.IsBinary() && n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		keep = f.overflows(i, s[n:], t)
		s = s[:n]
	}
	if t.Kind == types.Char {
		s = bytes.TrimRight(s, " ")
	}
	f.Out.Buf = f.Out.Buf[:start+len(s)]
	if !keep {
		f.Out.Buf = f.Out.Buf[:start]
		return
	}
	if t.Kind == types.Binary {
		for len(f.Out.Buf)-start < t.Len {
			f.Out.Buf = append(f.Out.Buf, 0)
		}
	}
	f.endText()
}

// overflows says that rest is more than a column of text takes; it reports whether
// the value may go in without.
func (f *Frame) overflows(i int, rest []byte, t types.Type) bool {
	switch {
	case t.IsText() && len(bytes.TrimLeft(rest, " ")) == 0:
		if t.Kind != types.Char { // which drops them anyway
			f.trimmed(i)
		}
		return true
	case f.Strict:
		return f.misfit(i, sqlerr.TooLongString, "Data too long")
	}
	return f.misfit(i, sqlerr.WarnDataTruncated, "Data truncated")
}

func validPrefix(s []byte) int {
	n := 0
	for n < len(s) {
		r, w := utf8.DecodeRune(s[n:])
		if r == utf8.RuneError && w <= 1 {
			break
		}
		n += w
	}
	return n
}

// escapeBytes is the start of s as MySQL shows bytes that are no text: \xFF.
func escapeBytes(s []byte) string {
	const hex = "0123456789ABCDEF"
	var out []byte
	for _, c := range s[:min(len(s), 6)] {
		if c < utf8.RuneSelf {
			out = append(out, c)
		} else {
			out = append(out, '\\', 'x', hex[c>>4], hex[c&15])
		}
	}
	if len(s) > 6 {
		out = append(out, "..."...)
	}
	return string(out)
}

// storeJSON checks the text and stores it in MySQL's normal form.
func storeJSON(f *Frame, i int, t types.Type) {
	a := f.Args[0]
	if a.Type.Kind == types.JSON {
		f.Out.AppendBytes(a.Str(i))
		return
	}
	s := a.AppendTextAt(nil, i, f.Location)
	out, err := normalJSON(nil, s)
	if err != nil {
		f.Fail(i, sqlerr.New(sqlerr.InvalidJSONText, "Invalid JSON text: \"%s\" at position 0 in value for column '%s'.", err, f.Call.Name))
		return
	}
	f.Out.AppendBytes(out)
}
