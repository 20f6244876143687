package state

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"streamsql/sql/collate"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// What SQL holds equal must have one hash, one key and one place, whatever its
// bytes; what it does not, another key.
func TestFoldedKeys(t *testing.T) {
	words := map[types.Type][]string{
		{Kind: types.JSON}: {`1`, `1.0`, `10`, `"1"`, `"a"`, `[1]`, `[1.0]`, `{"a": 1}`, `{"a": 1.0}`, `null`},
		{Kind: types.VarChar, Len: 9, Collation: types.UTF8MB4GeneralCI}: {"a", "A", "a ", "ä", "b", "", " ", "aa"},
		{Kind: types.VarChar, Len: 9, Collation: types.UTF8MB40900AICI}:  {"a", "A", "a ", "ä", "ß", "ss", "b", "", " "},
	}
	rapid.Check(t, func(t *rapid.T) {
		for ty, list := range words {
			v := vector.New(ty, 2)
			for range 2 {
				v.AppendString(rapid.SampledFrom(list).Draw(t, "value"))
			}
			cols := []*vector.Vector{v}
			cmp := collate.CompareAs(ty, v.Bytes(0), v.Bytes(1))
			codec := NewKeyCodec([]types.Type{ty})
			a, b := codec.Append(nil, cols, 0), codec.Append(nil, cols, 1)
			if bytes.Equal(a, b) != (cmp == 0) || codec.Is(a, cols, 1) != (cmp == 0) || !codec.Is(b, cols, 1) {
				t.Fatalf("%s: %q and %q compare %d, their keys are %x and %x", ty, v.Bytes(0), v.Bytes(1), cmp, a, b)
			}
			if NewCodec([]types.Type{ty}).EqualAt(NewCodec([]types.Type{ty}).Append(nil, cols, 0), NewCodec([]types.Type{ty}).Append(nil, cols, 1), []int{0}) != (cmp == 0) {
				t.Fatalf("%s: EqualAt of %q and %q", ty, v.Bytes(0), v.Bytes(1))
			}
			h := HashColumns(cols, []int{0}, 2, nil)
			keys := []*vector.Vector{vector.New(codec.Types[0], 2)}
			codec.Decode([][]byte{a, b}, keys)
			back := HashColumns(keys, []int{0}, 2, nil)
			if cmp == 0 && h[0] != h[1] || h[0] != back[0] || h[1] != back[1] {
				t.Fatalf("%s: hashes of %q and %q: %x, of their keys %x", ty, v.Bytes(0), v.Bytes(1), h, back)
			}
			x, y := AppendOrderedKey(nil, v, 0, false), AppendOrderedKey(nil, v, 1, false)
			if c := bytes.Compare(x, y); c < 0 != (cmp < 0) || c == 0 != (cmp == 0) {
				t.Fatalf("%s: %q and %q compare %d, their ordered keys %d", ty, v.Bytes(0), v.Bytes(1), cmp, c)
			}
			if got := AppendKeyOfOrdered(nil, AppendOrdered(nil, v, 0, false), ty); !bytes.Equal(got, x) {
				t.Fatalf("%s: the key of ordered %q is %x, not %x", ty, v.Bytes(0), got, x)
			}
		}
	})
}
