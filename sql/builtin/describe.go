package builtin

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"streamsql/sql/collate"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Functions that tell about their argument, or make values of nothing.

func init() {
	// What resolves to a constant has nothing left to compute.
	constant := func(name string, value func(e *expr.Expr) *expr.Expr) {
		register(function{min: 1, max: 1, flags: nonNull, kernel: func(*expr.Expr) Kernel { return passThrough },
			resolve: func(c *call) (*expr.Expr, error) { return value(c.args[0]), nil }}, name)
	}
	word := func(s string) *expr.Expr {
		return expr.NewConst(expr.Value{S: []byte(s)}, types.Type{Kind: types.VarChar, Len: 64, NotNull: true})
	}
	constant("charset", func(e *expr.Expr) *expr.Expr { return word(charsetOf(e.Type)) })
	constant("collation", func(e *expr.Expr) *expr.Expr { return word(textualCollation(e.Type).String()) })
	constant("coercibility", func(e *expr.Expr) *expr.Expr { return expr.NewInt(int64(DerivationOf(e))) })
	register(function{min: 2, max: 2, flags: total, resolve: resolveNameConst, kernel: func(*expr.Expr) Kernel { return passThrough }}, "name_const")
	register(function{min: 1, max: 3, flags: total, resolve: resolveWeight, kernel: weightKernel}, "weight_string")
	define("format_bytes", "d", 0, returns(types.MakeVarChar(30)), strict(func(f *Frame, i int) {
		f.appendUnit(f.Args[0].Float(i), 1024, 4, "bytes KiB MiB GiB TiB PiB EiB")
	}))
	define("format_pico_time", "d", 0, returns(types.MakeVarChar(30)), strict(formatPicoRow))
	define("get_format", "ss", 0, returns(types.MakeVarChar(17)), strict(getFormatRow))
	define("random_bytes", "i", volatile, binaryResult(func(*call) int { return 1024 }), strict(randomBytesRow))
	define("uuid_short", "", nonNull|volatile, returns(types.Type{Kind: types.BigInt, Unsigned: true}), each(func(f *Frame, _ int) {
		f.Out.AppendInt(int64(shortUUID.Add(1)))
	}))
}

// textualCollation is the collation of t as text; numbers and times are binary.
func textualCollation(t types.Type) types.Collation {
	if t.IsText() || t.Kind == types.Enum || t.Kind == types.JSON {
		return t.Collation
	}
	return types.BinaryCollation
}

func charsetOf(t types.Type) string {
	if textualCollation(t) == types.BinaryCollation {
		return "binary"
	}
	return "utf8mb4"
}

// resolveNameConst is the value; the binder gives it its name.
func resolveNameConst(c *call) (*expr.Expr, error) {
	name, value := foldTree(c.args[0]), foldTree(c.args[1])
	if name.Op != expr.OpConst || name.Value.Null || value.Op != expr.OpConst {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to NAME_CONST")
	}
	return value, nil
}

// resolveWeight is WEIGHT_STRING(s), or WEIGHT_STRING(s, char | binary, n) for AS.
func resolveWeight(c *call) (*expr.Expr, error) {
	a := c.args[0]
	n := firstLen(c)
	if len(c.args) == 3 && c.args[2].Op == expr.OpConst {
		n = int(c.args[2].Value.I)
	}
	if a.Type.Class() != types.ClassBytes || a.Type.Kind == types.JSON { // no weights: NULL
		return expr.NewConst(expr.Value{Null: true}, types.Type{Kind: types.VarBinary, Len: 1, Collation: types.BinaryCollation}), nil
	}
	return c.result(types.Type{Kind: types.VarBinary, Len: min(16*n, maxVarChar), Collation: types.BinaryCollation}), nil
}

func weightKernel(e *expr.Expr) Kernel {
	c := collate.Of(e.Args[0].Type)
	cut, asBytes := -1, false
	if len(e.Args) == 3 {
		cut = int(e.Args[2].Value.I)
		asBytes = strings.EqualFold(string(e.Args[1].Value.S), "binary")
	}
	return strict(func(f *Frame, i int) {
		s := f.Args[0].Str(i)
		missing := 0
		switch {
		case cut < 0:
		case asBytes || f.binary():
			s = s[:min(len(s), cut)]
			missing = cut - len(s)
		default:
			s = s[:prefixLen(s, cut, false)]
			missing = cut - f.chars(s)
		}
		if asBytes || f.binary() {
			f.Out.Buf = append(f.Out.Buf, s...)
			for range missing {
				f.Out.Buf = append(f.Out.Buf, 0)
			}
			f.endText()
			return
		}
		f.Out.Buf = appendWeights(f.Out.Buf, c, s)
		for range missing {
			f.Out.Buf = appendWeights(f.Out.Buf, c, []byte{' '})
		}
		f.endText()
	})
}

// appendWeights appends the weights of text: three bytes a character in utf8mb4_bin,
// two in utf8mb4_general_ci; in utf8mb4_0900_ai_ci the key by which it sorts here.
func appendWeights(dst []byte, c types.Collation, s []byte) []byte {
	switch c {
	case types.UTF8MB4Bin:
		for _, r := range string(s) {
			dst = append(dst, byte(r>>16), byte(r>>8), byte(r))
		}
		return dst
	case types.UTF8MB4GeneralCI:
		for _, r := range string(collate.Fold(c, s)) {
			dst = append(dst, byte(r>>8), byte(r))
		}
		return dst
	}
	return collate.AppendKey(dst, c, s)
}

// appendUnit writes a number in the largest unit of which it is at least one, with
// width characters before the unit where it is the smallest.
func (f *Frame) appendUnit(x, step float64, width int, units string) {
	names := strings.Fields(units)
	k, scaled := 0, math.Abs(x)
	for scaled >= step && k < len(names)-1 {
		scaled /= step
		k++
	}
	f.appendScaled(x, math.Copysign(scaled, x), k == 0, width, names[k])
}

func (f *Frame) appendScaled(x, scaled float64, smallest bool, width int, unit string) {
	var text string
	switch {
	case smallest:
		text = strconv.FormatInt(int64(x), 10)
		text = strings.Repeat(" ", max(width-len(text), 0)) + text
	case math.Abs(scaled) >= 100000:
		text = strconv.FormatFloat(scaled, 'e', 2, 64)
	default:
		text = strconv.FormatFloat(scaled, 'f', 2, 64)
	}
	f.Out.AppendString(text + " " + unit)
}

// formatPicoRow is FORMAT_PICO_TIME: its units are no powers of one number.
func formatPicoRow(f *Frame, i int) {
	x := f.Args[0].Float(i)
	units := []struct {
		name string
		size float64
	}{{"d", 864e14}, {"h", 36e14}, {"min", 6e13}, {"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}}
	for _, u := range units {
		if math.Abs(x) >= u.size {
			f.appendScaled(x, x/u.size, false, 3, u.name)
			return
		}
	}
	f.appendScaled(x, x, true, 3, "ps")
}

// getFormatRow is GET_FORMAT(kind, place): kind is date, time, datetime or timestamp.
func getFormatRow(f *Frame, i int) {
	row, ok := timeFormats[strings.ToUpper(string(f.Args[1].Str(i)))]
	if !ok {
		f.Out.AppendNull()
		return
	}
	switch string(f.Args[0].Str(i)) {
	case "date":
		f.Out.AppendString(row[0])
	case "time":
		f.Out.AppendString(row[1])
	default:
		f.Out.AppendString(row[2])
	}
}

// timeFormats are the forms of DATE, TIME and DATETIME at a place.
var timeFormats = map[string][3]string{
	"USA":      {"%m.%d.%Y", "%h:%i:%s %p", "%Y-%m-%d %H.%i.%s"},
	"JIS":      {"%Y-%m-%d", "%H:%i:%s", "%Y-%m-%d %H:%i:%s"},
	"ISO":      {"%Y-%m-%d", "%H:%i:%s", "%Y-%m-%d %H:%i:%s"},
	"EUR":      {"%d.%m.%Y", "%H.%i.%s", "%Y-%m-%d %H.%i.%s"},
	"INTERNAL": {"%Y%m%d", "%H%i%s", "%Y%m%d%H%i%s"},
}

func randomBytesRow(f *Frame, i int) {
	n := f.Args[0].Int(i)
	if n < 1 || n > 1024 {
		f.Fail(i, sqlerr.New(sqlerr.DataOutOfRange, "length value is out of range in 'random_bytes'"))
		return
	}
	start := len(f.Out.Buf)
	f.Out.Buf = append(f.Out.Buf, make([]byte, n)...)
	_, _ = rand.Read(f.Out.Buf[start:]) // never fails
	f.endText()
}

// shortUUID counts up from a start that a later process does not reach: seconds since
// 1970 at bit 24, below a random byte of the process.
var shortUUID = func() *atomic.Uint64 {
	var server [8]byte
	_, _ = rand.Read(server[:1])
	n := new(atomic.Uint64)
	n.Store(binary.BigEndian.Uint64(server[:])&^(1<<63) + uint64(time.Now().Unix())<<24)
	return n
}()
