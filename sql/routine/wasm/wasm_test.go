package wasm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"streamsql/sql/routine"
	"streamsql/sql/routine/wasm"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

func definition(t *testing.T, path string, x, returns types.Type) *routine.Definition {
	t.Helper()
	module, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return &routine.Definition{Name: "f", Language: "wasm", Params: []routine.Param{{Name: "x", Type: x}}, Returns: returns, Code: module}
}

// TestHostile: only the rows that a module fails for have no value, whatever it does.
func TestHostile(t *testing.T) {
	code, err := wasm.Language{}.Compile(definition(t, "testdata/hostile.wasm", types.MakeBigInt(), types.MakeBigInt()))
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	in := vector.New(types.MakeBigInt(), 0)
	for _, x := range []int64{10, 1, 11, 2, 12, 3, 13, 4, 14} {
		in.AppendInt(x)
	}
	out := vector.New(types.MakeBigInt(), in.N)
	failed := map[int]string{}
	code.Scalar().Call([]*vector.Vector{in}, in.N, out, func(i int, err error) { failed[i] = err.Error() })
	if out.N != in.N {
		t.Fatalf("%d results of %d rows", out.N, in.N)
	}
	for i := range in.N {
		why, bad := failed[i]
		switch want, odd := 2*in.I[i], i%2 == 1; {
		case odd && (!bad || !out.IsNull(i)):
			t.Errorf("x = %d: no error", in.I[i])
		case !odd && (bad || out.I[i] != want):
			t.Errorf("x = %d: %d %s, want %d", in.I[i], out.I[i], why, want)
		}
	}
	for i, part := range map[int]string{1: "longer than", 3: "unreachable", 7: "marked"} {
		if !strings.Contains(failed[i], part) {
			t.Errorf("x = %d: %q, want %q in it", in.I[i], failed[i], part)
		}
	}
}

// TestText: text goes in and out, NULL too, in chunks of any size.
func TestText(t *testing.T) {
	code, err := wasm.Language{}.Compile(definition(t, "../../../examples/functions/slug.wasm", types.MakeVarChar(100), types.MakeVarChar(100)))
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	text := types.Type{Kind: types.Text, Len: 1 << 20}
	for _, n := range []int{1, 2, 63, 64, 65, 5000} {
		in := vector.New(text, n)
		for i := range n {
			if i%7 == 3 {
				in.AppendNull()
			} else {
				in.AppendString(fmt.Sprintf("Title %d, and so on!", i))
			}
		}
		out := vector.New(text, n)
		code.Scalar().Call([]*vector.Vector{in}, n, out, func(i int, err error) { t.Errorf("row %d: %v", i, err) })
		for i := range n {
			if want := fmt.Sprintf("title-%d-and-so-on", i); i%7 == 3 && !out.IsNull(i) || i%7 != 3 && string(out.Bytes(i)) != want {
				t.Fatalf("%d rows: row %d is %q, want %q", n, i, out.Bytes(i), want)
			}
		}
	}
}

// TestRefused: what is no module for a function is told so.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		code, want string
	}{
		{code: "\x00asm\x01\x00\x00", want: "does not compile"},
		{code: "\x00asm\x01\x00\x00\x00", want: "exports no memory"},
		{code: "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x02\x07\x01\x01m\x01f\x00\x00", want: "imports m.f"},
		{code: "\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01\x07\x0a\x01\x06memory\x02\x00", want: "exports no function abi_version"},
		{code: strings.Repeat("x", routine.MaxModule+1), want: "larger than"},
	} {
		_, err := wasm.Language{}.Compile(&routine.Definition{Name: "f", Language: "wasm", Returns: types.MakeBigInt(), Code: []byte(c.code)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.code[:min(len(c.code), 20)], err, c.want)
		}
	}
}
