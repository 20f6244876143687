package jsonkey_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"streamsql/sql/jsonkey"
)

// Documents in their order; those on one line are equal.
var order = [][]string{
	{`null`},
	{`-18446744073709551616`}, {`-1e3`, `-1000`, `-1000.0`}, {`-999.5`}, {`-10`}, {`-2`}, {`-1.5`, `-15e-1`}, {`-0.001`, `-1e-3`},
	{`0`, `-0`, `0.0`, `0e5`, `-0.00`},
	{`1e-300`}, {`0.001`}, {`0.01`}, {`0.1`}, {`1`, `1.0`, `1e0`, `10e-1`, `0.1e1`}, {`1.0000001`}, {`2`}, {`9`}, {`10`, `1e1`, `1E+1`}, {`10.5`},
	{`9007199254740992`}, {`9007199254740993`}, {`18446744073709551615`}, {`1e20`}, {`1e300`},
	{`""`}, {`"\u0000"`}, {`"\u0000a"`}, {`"1"`}, {`"A"`}, {`"a"`, `"\u0061"`}, {`"a\n"`, `"a\u000a"`}, {`"a\""`}, {`"aa"`}, {`"b"`}, {`"ä"`}, {`"日本"`},
	{`{}`}, {`{"a": 1}`, `{"a": 1.0}`}, {`{"a": 2}`}, {`{"b": 1}`}, {`{"a": 1, "b": [1, 2]}`}, {`{"a": 1, "b": [1, 2, 3]}`},
	{`[]`}, {`[null]`}, {`[1]`, `[1.0]`}, {`[1, 2]`, `[1,2]`}, {`[1, 2, 0]`}, {`[2]`}, {`["a"]`}, {`[[]]`}, {`[true]`},
	{`false`}, {`true`},
}

func TestOrder(t *testing.T) {
	for i, these := range order {
		for j, those := range order {
			for _, a := range these {
				for _, b := range those {
					got := jsonkey.Compare([]byte(a), []byte(b))
					if got < 0 != (i < j) || got == 0 != (i == j) {
						t.Errorf("%s with %s: %d", a, b, got)
					}
				}
			}
		}
	}
}

// Numbers must compare by their exact value, whatever stands around them.
func TestNumbers(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		s := strings.Repeat("-", rapid.IntRange(0, 1).Draw(t, "sign")) + rapid.StringMatching(`(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?`).Draw(t, "digits")
		if rapid.Bool().Draw(t, "power") {
			s += fmt.Sprintf("e%d", rapid.IntRange(-6, 6).Draw(t, "e"))
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := jsonkey.Compare([]byte(a), []byte(b)), x.Cmp(y); got != want {
			t.Fatalf("%s with %s: %d, want %d", a, b, got, want)
		}
		wrap := func(s string) []byte { return []byte("[1, {\"k\": [" + s + "]}, 2]") }
		if got, want := jsonkey.Compare(wrap(a), wrap(b)), x.Cmp(y); got != want {
			t.Fatalf("%s with %s in an array: %d, want %d", a, b, got, want)
		}
	})
}

// Any text at all gives some key.
func FuzzAppend(f *testing.F) {
	for _, these := range order {
		for _, a := range these {
			f.Add([]byte(a), []byte(`[1]`))
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		key := jsonkey.Append(nil, a)
		if json.Valid(a) && json.Valid(b) && !bytes.Equal(key, jsonkey.Append(nil, b)) && bytes.HasPrefix(jsonkey.Append(nil, b), key) {
			t.Fatalf("the key of %q is the beginning of that of %q", a, b)
		}
	})
}
