package builtin

import (
	"testing"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func TestCommon(t *testing.T) {
	var (
		null  = types.Type{}
		i     = types.Type{Kind: types.Int}
		u     = types.Type{Kind: types.Int, Unsigned: true}
		b     = types.MakeBigInt()
		ub    = types.Type{Kind: types.BigInt, Unsigned: true}
		d     = types.MakeDecimal(10, 2)
		f     = types.MakeDouble()
		v     = types.MakeVarChar(5)
		date  = types.Type{Kind: types.Date}
		stamp = types.Type{Kind: types.Timestamp, Scale: 3}
		clock = types.Type{Kind: types.Time}
		blob  = types.Type{Kind: types.Blob, Len: types.TextLen, Collation: types.BinaryCollation}
	)
	for _, c := range []struct {
		ts   []types.Type
		want string
	}{
		{[]types.Type{null, null}, "null"}, {[]types.Type{null, i}, "int"}, {[]types.Type{i, b}, "bigint"},
		{[]types.Type{i, u}, "bigint"}, {[]types.Type{b, ub}, "decimal(20,0)"}, {[]types.Type{u, ub}, "bigint unsigned"},
		{[]types.Type{i, d}, "decimal(12,2)"}, {[]types.Type{d, types.MakeDecimal(6, 4)}, "decimal(12,4)"},
		{[]types.Type{d, f}, "double"}, {[]types.Type{i, v}, "varchar(11)"}, {[]types.Type{v, types.MakeVarChar(9)}, "varchar(9)"},
		{[]types.Type{date, stamp}, "datetime(3)"}, {[]types.Type{stamp, stamp}, "timestamp(3)"}, {[]types.Type{date, clock}, "datetime"},
		{[]types.Type{date, v}, "varchar(10)"}, {[]types.Type{v, blob}, "blob"}, {[]types.Type{types.MakeBool(), types.MakeBool()}, "tinyint(1)"},
	} {
		got := Common(c.ts...)
		if got.String() != c.want {
			t.Errorf("%v: %s, want %s", c.ts, got, c.want)
		}
		for k := range c.ts { // the order does not matter
			c.ts[0], c.ts[k] = c.ts[k], c.ts[0]
			if again := Common(c.ts...); again != got {
				t.Errorf("%v: %s in another order", c.ts, again)
			}
		}
	}
}

func TestNotNull(t *testing.T) {
	sure := expr.NewColumn(0, "a", types.Type{Kind: types.Int, NotNull: true})
	maybe := expr.NewColumn(1, "b", types.Type{Kind: types.Int})
	for _, c := range []struct {
		fn   string
		args []*expr.Expr
		want bool
	}{
		{"+", []*expr.Expr{sure, sure}, true}, {"+", []*expr.Expr{sure, maybe}, false}, {"/", []*expr.Expr{sure, sure}, false},
		{"=", []*expr.Expr{sure, maybe}, false}, {"<=>", []*expr.Expr{sure, maybe}, true}, {"is null", []*expr.Expr{maybe}, true},
		{"coalesce", []*expr.Expr{maybe, sure}, true}, {"if", []*expr.Expr{maybe, sure, sure}, true}, {"case", []*expr.Expr{maybe, sure}, false},
		{"sqrt", []*expr.Expr{sure}, false}, {"concat", []*expr.Expr{sure, sure}, true}, {"now", nil, true},
	} {
		e, err := Call(nil, c.fn, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		if e.Type.NotNull != c.want {
			t.Errorf("%s: NOT NULL %v", e, e.Type.NotNull)
		}
	}
}

func TestEveryFunctionHasAKernel(t *testing.T) {
	for name, f := range registry {
		if f.kernel == nil && f.flags&lazy == 0 {
			switch name {
			case "nullif", "adddate", "subdate", "timestampadd": // written as other calls
			default:
				t.Errorf("%s can be called and not computed", name)
			}
		}
	}
	if _, err := Call(nil, "concatt"); sqlerr.From(err).Code != sqlerr.SPDoesNotExist {
		t.Error(err)
	}
	if Deterministic("rand") || Deterministic("uuid") || !Deterministic("now") || !Deterministic("+") || Deterministic("nosuch") {
		t.Error("Deterministic")
	}
}
