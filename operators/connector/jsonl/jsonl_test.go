package jsonl

import (
	"encoding/json"
	"testing"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

func TestAppend(t *testing.T) {
	column := func(t types.Type, texts ...string) *vector.Vector {
		v := vector.New(t, len(texts))
		for _, s := range texts {
			v.AppendString(s)
		}
		return v
	}
	ints := vector.New(types.MakeBigInt(), 2)
	ints.AppendInt(-5)
	ints.AppendNull()
	floats := vector.New(types.MakeDouble(), 2)
	floats.AppendFloat(1e30)
	floats.AppendFloat(0.5)
	times := vector.New(types.MakeDateTime(3), 2)
	times.AppendInt(1_700_000_000_123_000)
	times.AppendNull()
	cols := []*vector.Vector{
		ints, floats, times, column(types.MakeVarChar(9), "a\"b\\\n", "é"), column(types.Type{Kind: types.JSON}, `{"x": [1]}`, "2"),
		column(types.Type{Kind: types.VarBinary, Len: 9}, "\xff\x00", ""),
	}
	w := New([]string{"n", "f", "t", `say "s"`, "j", "b"})
	want := []string{
		`{"n":-5,"f":1e30,"t":"2023-11-14 22:13:20.123","say \"s\"":"a\"b\\\n","j":{"x": [1]},"b":"/wA="}` + "\n",
		`{"n":null,"f":0.5,"t":null,"say \"s\"":"é","j":2,"b":""}` + "\n",
	}
	for i := range want {
		got := w.Append(nil, cols, i)
		if string(got) != want[i] || !json.Valid(got) {
			t.Errorf("got  %swant %s", got, want[i])
		}
	}
	if got := New(nil).Append(nil, nil, 0); string(got) != "{}\n" {
		t.Errorf("got %s", got)
	}
}
