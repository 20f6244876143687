package expr

import (
	"testing"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
)

func call(fn string, args ...*Expr) *Expr { return NewCall(fn, types.MakeBigInt(), args...) }

func TestString(t *testing.T) {
	a, b := NewColumn(1, "a", types.MakeBigInt()), NewColumn(2, "b", types.MakeBigInt())
	one := NewInt(1)
	for _, c := range []struct {
		e    *Expr
		want string
	}{
		{call(">", a, NewInt(0)), "a > 0"},
		{call("*", call("+", a, b), one), "(a + b) * 1"},
		{call("+", call("*", a, b), one), "a * b + 1"},
		{call("-", a, call("-", b, one)), "a - (b - 1)"},
		{call("-", call("-", a, b), one), "a - b - 1"},
		{call("and", call("or", a, b), call("not", call("=", a, b))), "(a or b) and not a = b"},
		{call("=", call("=", a, b), one), "(a = b) = 1"},
		{call("is null", call("+", a, b)), "a + b is null"},
		{call("in", a, one, NewNull()), "a in (1, NULL)"},
		{call("not", call("between", a, one, call("|", b, one))), "not a between 1 and b | 1"},
		{call("case", call("<", a, b), a, b), "case when a < b then a else b end"},
		{NewCall("cast", types.MakeDecimal(10, 2), a), "cast(a as decimal(10,2))"},
		{call("floor", call("/", a, NewInt(10))), "floor(a / 10)"},
		{call("-", call("+", a, b)), "-(a + b)"},
		{call("-", a), "-a"},
		{call("like", a, b, NewConst(Value{S: []byte("|")}, types.MakeVarChar(1))), "a like b escape '|'"},
		{NewConst(Value{S: []byte(`it's a \`)}, types.MakeVarChar(9)), `'it''s a \\'`},
		{NewConst(Value{I: -5}, types.MakeDecimal(5, 2)), "-0.05"},
		{NewConst(Value{Wide: &decimal.Wide{0, 1}}, types.MakeDecimal(65, 1)), "1844674407370955161.6"},
		{NewConst(Value{I: 1_500_000}, types.MakeDateTime(3)), "'1970-01-01 00:00:01.500'"},
		{NewConst(Value{I: -3_661_000_000}, types.Type{Kind: types.Time}), "'-01:01:01'"},
		{NewConst(Value{I: -1}, types.Type{Kind: types.BigInt, Unsigned: true}), "18446744073709551615"},
		{NewConst(Value{I: 2}, types.Type{Kind: types.Enum, Enum: "x\x00y"}), "'y'"},
		{NewConst(Value{S: []byte{1, 255}}, types.Type{Kind: types.VarBinary, Len: 2}), "x'01ff'"},
	} {
		if got := c.e.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestEqual(t *testing.T) {
	col := func(id int, name string) *Expr { return NewColumn(id, name, types.MakeBigInt()) }
	same := [][2]*Expr{
		{call("+", col(1, "a"), NewInt(1)), call("+", col(1, "t.a"), NewInt(1))},
		{NewNull(), NewNull()},
	}
	for _, p := range same {
		if !Equal(p[0], p[1]) || Hash(p[0]) != Hash(p[1]) {
			t.Errorf("%s and %s differ", p[0], p[1])
		}
	}
	different := [][2]*Expr{
		{call("+", col(1, "a"), NewInt(1)), call("+", col(2, "a"), NewInt(1))},
		{call("+", col(1, "a"), NewInt(1)), call("+", col(1, "a"), NewInt(2))},
		{call("+", col(1, "a")), call("-", col(1, "a"))},
		{NewInt(1), NewConst(Value{I: 1}, types.MakeDecimal(1, 0))},
		{NewInt(0), NewNull()},
		{call("f", NewInt(1)), call("f", NewInt(1), NewInt(1))},
		{NewConst(Value{S: []byte("a")}, types.MakeVarChar(1)), NewConst(Value{S: []byte("b")}, types.MakeVarChar(1))},
	}
	for _, p := range different {
		if Equal(p[0], p[1]) {
			t.Errorf("%s and %s are equal", p[0], p[1])
		}
	}
}
