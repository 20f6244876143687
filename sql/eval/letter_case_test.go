package eval

import (
	"strings"
	"testing"

	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// TestLetterCase turns every ASCII character at every place of a word, alone, beside
// text that is not ASCII, and in a part of a column.
func TestLetterCase(t *testing.T) {
	typ := types.MakeVarChar(400)
	var all []string
	for c := range 128 {
		all = append(all, strings.Repeat("x", c%9)+string(rune(c))+strings.Repeat("Q", c%7))
	}
	s := scope{"s": expr.NewColumn(0, "s", typ)}
	for _, more := range []string{"", "Äß", "plain"} {
		v := vector.New(typ, 200)
		for i, text := range append(all, more) {
			if v.AppendString(text); i%10 == 3 {
				v.AppendNull()
			}
		}
		v = v.Slice(3, v.N)
		for fn, want := range map[string]func(string) string{"LOWER(s)": strings.ToLower, "UPPER(s)": strings.ToUpper} {
			e, err := s.build(fn)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Compile(e)
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range texts(t, p, []*vector.Vector{v}, v.N) {
				if v.IsNull(i) {
					if got != "NULL" {
						t.Errorf("%s of NULL is %q", fn, got)
					}
				} else if in := string(v.Bytes(i)); got != want(in) {
					t.Errorf("%s of %q is %q, want %q", fn, in, got, want(in))
				}
			}
		}
	}
}
