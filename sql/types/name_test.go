package types

import "testing"

func TestString(t *testing.T) {
	for _, c := range []struct {
		t    Type
		want string
	}{
		{MakeBigInt(), "bigint"},
		{Type{Kind: Int, Unsigned: true}, "int unsigned"},
		{MakeBool(), "tinyint(1)"},
		{Type{Kind: TinyInt}, "tinyint"},
		{MakeDecimal(12, 2), "decimal(12,2)"},
		{MakeVarChar(32), "varchar(32)"},
		{MakeDateTime(3), "datetime(3)"},
		{MakeDateTime(0), "datetime"},
		{Type{Kind: Text, Len: TextLen}, "text"},
		{Type{Kind: Text, Len: LongTextLen}, "longtext"},
		{Type{Kind: Blob, Len: TinyTextLen}, "tinyblob"},
		{Type{Kind: Enum, Enum: "a\x00it's"}, "enum('a','it''s')"},
		{Type{}, "null"},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.t, got, c.want)
		}
	}
}
