package rule

import (
	"strings"
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/types"
)

func TestExtractJoinKeys(t0 *testing.T) {
	runCases(t0, extractJoinKeys, []ruleCase{
		{"columns, whatever their order", join(logical.InnerJoin, t(), u(), is("=", x, a), is("<=>", b, y), is(">", c, z)), nil, `
Join inner on a#1 = x#4 AND b#2 <=> y#5 if c#3 > z#6
  Scan d.t (a#1, b#2, c#3)
  Scan d.u (x#4, y#5, z#6)
`},
		{"the same twice", join(logical.InnerJoin, t(), u(), is("=", a, x), is("=", x, a)), nil, `
Join inner on a#1 = x#4
  Scan d.t (a#1, b#2, c#3)
  Scan d.u (x#4, y#5, z#6)
`},
		{"a computed side becomes a column below", join(logical.LeftJoin, scan("t", a), scan("u", x), is("=", do("+", a, one), x)), nil, `
Project a#1, x#4
  Join left on a + 1#100 = x#4
    Project a#1, a + 1#100 = a#1 + 1
      Scan d.t (a#1)
    Scan d.u (x#4)
`},
		{"less than", join(logical.InnerJoin, t(), u(), is("<", a, x)), nil, ""},
		{"a side that reads both inputs", join(logical.InnerJoin, t(), u(), is("=", do("+", a, x), y)), nil, ""},
		{"a constant side", join(logical.InnerJoin, t(), u(), is("=", a, one)), nil, ""},
		{"both of one input", join(logical.InnerJoin, t(), u(), is("=", a, b)), nil, ""},
		{"volatile", join(logical.InnerJoin, t(), u(), is("=", do("+", a, do("rand")), x)), nil, ""},
	})
}

// Equal keys must lie in memory alike, so that they hash alike.
func TestJoinKeyTypes(t0 *testing.T) {
	integer := types.Type{Kind: types.Int}
	unsigned := types.Type{Kind: types.BigInt, Unsigned: true}
	text := types.MakeVarChar(10)
	folded := text
	folded.Collation = types.UTF8MB4GeneralCI
	for _, c := range []struct {
		left, right types.Type
		want        string // of the pair; "": no key
	}{
		{integer, types.MakeBigInt(), "l#1 = r#2"},
		{integer, types.MakeDecimal(10, 2), "cast(l as decimal(22,2))#100 = r#2"},
		{types.MakeDecimal(10, 2), types.MakeDecimal(8, 4), "cast(l as decimal(12,4))#100 = r#2"},
		{types.MakeDecimal(12, 2), types.MakeDecimal(8, 2), "l#1 = r#2"},
		{types.MakeDecimal(65, 0), types.MakeDecimal(30, 30), ""}, // no DECIMAL holds both
		{types.MakeBigInt(), unsigned, "cast(l as decimal(20,0))#100 = cast(r as decimal(20,0))#101"},
		{types.Type{Kind: types.Int, Unsigned: true}, types.MakeBigInt(), "l#1 = r#2"},
		{types.Type{Kind: types.Int, Unsigned: true}, unsigned, "l#1 = r#2"},
		{types.MakeDouble(), types.MakeBigInt(), "l#1 = cast(r as double)#100"},
		{text, types.MakeVarChar(99), "l#1 = r#2"},
		{text, types.MakeBigInt(), ""},
		{folded, folded, "l#1 = r#2"}, // by what 'a' and 'A' have in common
		{folded, text, ""},            // which collation holds, the comparison must say
		{types.Type{Kind: types.JSON}, types.Type{Kind: types.JSON}, "l#1 = r#2"},
		{types.Type{Kind: types.JSON}, types.MakeVarChar(9), ""},
		{types.Type{Kind: types.Date}, types.MakeDateTime(3), "l#1 = r#2"},
		{types.Type{Kind: types.Timestamp}, types.MakeDateTime(0), ""}, // on another clock
		{types.Type{Kind: types.Enum, Enum: "a\x00b"}, types.Type{Kind: types.Enum, Enum: "b\x00a"}, ""},
		{types.Type{Kind: types.Enum, Enum: "a\x00b"}, types.Type{Kind: types.Enum, Enum: "a\x00b"}, "l#1 = r#2"},
	} {
		l, r := typed(1, "l", c.left), typed(2, "r", c.right)
		got := apply(t0, extractJoinKeys, join(logical.InnerJoin, scan("t", l), scan("u", r), is("=", l, r)))
		if at := strings.Index(got, " on "); at >= 0 {
			got = strings.SplitN(got[at+4:], "\n", 2)[0]
		}
		if got != c.want {
			t0.Errorf("%s = %s: got %q, want %q", c.left, c.right, got, c.want)
		}
	}
}
