package js

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/grafana/sobek"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// How SQL's values look in JavaScript:
//
//	integers         Number; BigInt beyond ±(2^53 − 1)
//	FLOAT, DOUBLE    Number
//	text             String; so are DECIMAL and points of time, as MySQL shows them
//	binary strings   String of one character a byte
//	JSON             the value
//	NULL             null
//
// On the way back undefined is NULL too, and any number or boolean goes for any
// numeric type.

// maxSafe is the largest integer up to which a Number is exact.
const maxSafe = 1<<53 - 1

// argument is value i of a column.
func (in *instance) argument(v *vector.Vector, i int, isJSON bool) (sobek.Value, error) {
	if v.IsNull(i) {
		return sobek.Null(), nil
	}
	switch v.Type.Class() {
	case types.ClassFloat:
		return in.vm.ToValue(v.F[i]), nil
	case types.ClassBytes:
		switch {
		case isJSON:
			return in.parse(sobek.Undefined(), in.vm.ToValue(string(v.Bytes(i))))
		case v.Type.IsBinary():
			return in.vm.ToValue(latin1(v.Bytes(i))), nil
		}
		return in.vm.ToValue(string(v.Bytes(i))), nil
	}
	x := v.I[i]
	switch {
	case v.Type.Unsigned && uint64(x) > maxSafe:
		return in.vm.ToValue(new(big.Int).SetUint64(uint64(x))), nil
	case x > maxSafe || x < -maxSafe:
		return in.vm.ToValue(big.NewInt(x)), nil
	}
	return in.vm.ToValue(x), nil
}

// arguments are those of row i, good until the next call.
func (in *instance) arguments(cols []*vector.Vector, i int) ([]sobek.Value, error) {
	for k, v := range cols {
		var err error
		if in.args[k], err = in.argument(v, i, in.code.isJSON[k]); err != nil {
			return nil, err
		}
	}
	return in.args, nil
}

// latin1 is a text of one character for each byte.
func latin1(b []byte) string {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out)
}

// appendResult appends what a function returned to out; an error says why it cannot.
func (in *instance) appendResult(out *vector.Vector, v sobek.Value) error {
	if isJSON := in.code.def.Returns.Kind == types.JSON; isJSON && v != nil && !sobek.IsUndefined(v) {
		text, err := in.stringify(sobek.Undefined(), v)
		if err != nil {
			return err
		}
		v = text
	}
	if v == nil || sobek.IsUndefined(v) || sobek.IsNull(v) {
		out.AppendNull()
		return nil
	}
	if _, ok := v.(*sobek.Object); ok {
		return fmt.Errorf("it returned an object, not %s", in.code.def.Returns)
	}
	switch x := v.Export(); out.Type.Class() {
	case types.ClassFloat:
		return appendFloat(out, x)
	case types.ClassInt:
		return appendInt(out, x)
	default:
		return appendText(out, x)
	}
}

func appendFloat(out *vector.Vector, x any) error {
	var f float64
	switch x := x.(type) {
	case int64:
		f = float64(x)
	case float64:
		f = x
	case bool:
		f = float64(boolInt(x))
	case *big.Int:
		f, _ = new(big.Float).SetInt(x).Float64()
	default:
		return fmt.Errorf("it returned a %s, not a number", kindOf(x))
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("it returned %v, which no SQL value is", f)
	}
	out.AppendFloat(f)
	return nil
}

func appendInt(out *vector.Vector, x any) error {
	var n *big.Int
	switch x := x.(type) {
	case int64:
		n = big.NewInt(x)
		if !out.Type.Unsigned {
			out.AppendInt(x)
			return nil
		}
	case bool:
		out.AppendInt(boolInt(x))
		return nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("it returned %v, which no SQL value is", x)
		}
		n, _ = big.NewFloat(math.Round(x)).Int(nil)
	case *big.Int:
		n = x
	default:
		return fmt.Errorf("it returned a %s, not a number", kindOf(x))
	}
	switch {
	case out.Type.Unsigned && n.IsUint64():
		out.AppendInt(int64(n.Uint64()))
	case !out.Type.Unsigned && n.IsInt64():
		out.AppendInt(n.Int64())
	default:
		return fmt.Errorf("it returned %v, which is out of the range of %s", n, out.Type)
	}
	return nil
}

func appendText(out *vector.Vector, x any) error {
	var text string
	switch x := x.(type) {
	case string:
		text = x
	case int64:
		text = strconv.FormatInt(x, 10)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("it returned %v, which no SQL value is", x)
		}
		text = string(types.AppendDouble(nil, x, types.NotFixed))
	case bool:
		text = strconv.FormatInt(boolInt(x), 10)
	case *big.Int:
		text = x.String()
	default:
		return fmt.Errorf("it returned a %s, not a text", kindOf(x))
	}
	if !out.Type.IsBinary() {
		out.AppendString(text)
		return nil
	}
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xFF {
			return fmt.Errorf("it returned a text with %q, which is not a byte", r)
		}
		b = append(b, byte(r))
	}
	out.AppendBytes(b)
	return nil
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// kindOf names what Export made of a value, as JavaScript does.
func kindOf(x any) string {
	switch x.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case int64, float64:
		return "number"
	case *big.Int:
		return "bigint"
	}
	return "symbol"
}
