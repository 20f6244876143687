package bind_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"streamsql/sql/bind"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// columnTypes are what a literal can go into, each with a literal that must
// take the fast path.
var columnTypes = [][2]string{
	{"TINYINT", "-128"}, {"SMALLINT UNSIGNED", "65535"}, {"MEDIUMINT", "TRUE"}, {"INT", "'12'"}, {"INT NOT NULL", "7"},
	{"BIGINT", "-999999999999999999"}, {"BIGINT UNSIGNED", "12"}, {"BOOL", "FALSE"},
	{"DECIMAL(12,2)", "31.50"}, {"DECIMAL(40,3)", "-1"}, {"DECIMAL(4,4)", ".5"}, {"DECIMAL(5,2) UNSIGNED", "'1.5'"},
	{"FLOAT", "1.1"}, {"DOUBLE", "-2.5"}, {"VARCHAR(4)", "'it''s'"}, {"VARCHAR(4) NOT NULL", "'é海aé'"},
	{"CHAR(3)", "'ab'"}, {"TEXT", "'x'"}, {"TINYTEXT", "''"}, {"VARBINARY(3)", "'a\\\\b'"}, {"BLOB", "'x'"},
	{"DATE", "'2024-02-29'"}, {"DATETIME", "'2024-01-02 03:04:05'"}, {"DATETIME(3)", "'2024-01-02T03:04:05.678'"},
	{"TIMESTAMP", "'2024-01-02 03:04:05'"}, {"TIMESTAMP(3)", "'2024-01-02T03:04:05.678'"},
	{"TIME(2)", "'-12:00:01.5'"}, {"ENUM('a','b c')", "'b c'"},
}

// literals are values that fit some types and not others, or only nearly.
var literals = []string{
	"NULL", "TRUE", "FALSE", "0", "-0", "1", "-1", "127", "128", "-129", "255", "65536", "8388608", "2147483648", "-2147483649",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616",
	"00012", "0.5", ".5", "5.", "1.005", "1.0050", "-31.499", "99999999999.99", "123456789012345678.9", "1e3", "-1.5e-2", "1e400", "3.5e38",
	"''", "' '", "'a'", "'b c'", "'A'", "'it''s'", "'a\\nb'", "'\\\\'", "'abcde'", "'éé'", "'海豚海豚'", "'12'", "'-12'", "'+12'", "' 12'", "'12 '",
	"'1.5'", "'.5'", "'5.'", "'.'", "'-'", "'1e3'", "'12x'", "'1.005'",
	"'2024-02-29'", "'2023-02-29'", "'2024-2-9'", "'20240229'", "'240229'", "'2024-02-29 '", "'2024-02-29 12:00:00'", "'2024-02-29 24:00:00'",
	"'2024-02-29 12:00:00.123456'", "'2024-02-29 12:00:00.1234567'", "'2024-02-29T12:00:00.5'", "'2024-02-29 12:00:00+02:00'", "'0000-00-00'", "'2024-02-29 12'", "'1970-01-01 00:00:00'", "'2038-01-19 03:14:08'",
	"'12:00:01'", "'-838:59:59'", "'839:00:00'", "'1 02:03:04'", "'12:00:01.555'", "'101112'", "'12:60:00'", "'12:00'", "101112", "20240229",
}

func (w *world) env() *bind.Env {
	return &bind.Env{Catalog: w.cat, Session: w.session, Mode: bind.ParseMode(w.session.SQLMode)}
}

// value computes an assigned constant in strict mode; false if it fails or warns.
func value(t *rapid.T, e *expr.Expr) (expr.Value, bool) {
	if e.Op == expr.OpConst {
		return *e.Value, true
	}
	clean := true
	ctx := &builtin.Context{Rules: builtin.Rules{Strict: true}, Location: time.UTC,
		Fail: func(int, error) { clean = false }, Warn: func(uint16, string) { clean = false }}
	args := make([]builtin.Operand, len(e.Args))
	for i, a := range e.Args {
		v, ok := value(t, a)
		if !ok {
			return expr.Value{}, false
		}
		args[i] = builtin.Constant(v.Vector(a.Type))
	}
	k := builtin.KernelOf(e)
	if k == nil {
		t.Fatalf("no kernel for %s", e)
	}
	out, ok := builtin.Run(ctx, k, e, args)
	if !ok || !clean {
		return expr.Value{}, false
	}
	return expr.ValueOf(out, 0), true
}

func TestFastInsertAgreesWithBind(t *testing.T) {
	w := newWorld(t)
	for i, c := range columnTypes {
		if err := w.exec(fmt.Sprintf("CREATE TABLE t%d (k INT AUTO_INCREMENT PRIMARY KEY, x %s, d INT DEFAULT 5)", i, c[0])); err != nil {
			t.Fatal(c[0], err)
		}
		sql := fmt.Sprintf("INSERT INTO t%d (x) VALUES (%s)", i, c[1])
		iv, ok := parser.FastInsert(sql, 0)
		if !ok {
			t.Fatalf("parser.FastInsert refuses %s", sql)
		}
		if _, ok := bind.FastInsert(iv, w.env(), time.UTC); !ok {
			t.Errorf("%s into %s is not fast", c[1], c[0])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(columnTypes)-1).Draw(t, "type")
		var rows []string
		for range rapid.IntRange(1, 3).Draw(t, "rows") {
			rows = append(rows, "("+rapid.SampledFrom([]string{"NULL", "0", "17"}).Draw(t, "key")+", "+
				rapid.SampledFrom(append(literals, columnTypes[i][1])).Draw(t, "literal")+")")
		}
		sql := fmt.Sprintf("INSERT INTO t%d (k, x) VALUES %s", i, strings.Join(rows, ", "))
		iv, ok := parser.FastInsert(sql, 0)
		if !ok {
			return
		}
		fast, ok := bind.FastInsert(iv, w.env(), time.UTC)
		if !ok {
			return
		}
		s, err := w.bind(sql)
		if err != nil {
			t.Fatalf("%s: fast, but Bind says %v", sql, err)
		}
		for r, row := range s.(*bind.Insert).Rows {
			for c, e := range row {
				compare(t, fmt.Sprintf("%s into %s: row %d, column %d", sql, columnTypes[i][0], r, c), fast.Columns[c], r, e)
			}
		}
	})
}

// drawParam draws what a client may send for `?`.
func drawParam(t *rapid.T) *expr.Expr {
	switch rapid.IntRange(0, 5).Draw(t, "kind of param") {
	case 0:
		return expr.NewNull()
	case 1:
		return expr.NewInt(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-200, 70_000)).Draw(t, "int"))
	case 2:
		return expr.NewConst(expr.Value{I: rapid.Int64().Draw(t, "bits")}, types.Type{Kind: types.BigInt, Unsigned: true})
	case 3:
		f := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0.5, -1.25, 3.5e38, 1e300, 1e-7})).Draw(t, "double")
		return expr.NewConst(expr.Value{F: f}, types.MakeDouble())
	case 4:
		day := rapid.Int64Range(-25_000, 40_000).Draw(t, "day")
		us := rapid.SampledFrom([]int64{0, 1_000_000, 40_000_000_000, 1_678_000, 1_678_900, 1}).Draw(t, "time")
		return expr.NewConst(expr.Value{I: day*types.Day + us}, types.MakeDateTime(6))
	}
	s := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b c", "12", "-1.5", "2024-02-29", "2024-01-02 03:04:05.678", "éé", "12:00:01.5", "abcde"}), rapid.StringN(0, 5, -1)).Draw(t, "text")
	return expr.NewConst(expr.Value{S: []byte(s)}, types.MakeVarChar(len(s)))
}

func TestFastParametersAgreeWithBind(t *testing.T) {
	w := newWorld(t)
	for i, c := range columnTypes {
		if err := w.exec(fmt.Sprintf("CREATE TABLE t%d (k INT AUTO_INCREMENT PRIMARY KEY, x %s, d INT DEFAULT 5)", i, c[0])); err != nil {
			t.Fatal(c[0], err)
		}
	}
	fits := 0
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(columnTypes)-1).Draw(t, "type")
		rows := rapid.IntRange(1, 3).Draw(t, "rows")
		sql := fmt.Sprintf("INSERT INTO t%d (x, k) VALUES %s", i, strings.TrimSuffix(strings.Repeat("(?, ?), ", rows), ", "))
		var params []*expr.Expr
		for range rows {
			params = append(params, drawParam(t), expr.NewInt(rapid.Int64Range(0, 3).Draw(t, "key")))
		}
		stmt, err := w.parser.Parse(sql, 0)
		if err != nil {
			t.Fatal(err)
		}
		p := bind.ReadInsertParameters(stmt)
		if p == nil {
			t.Fatalf("%s is not seen to be of parameters alone", sql)
		}
		fast, ok := p.Fast(params, w.env(), time.UTC)
		if !ok {
			return
		}
		fits++
		env := w.env()
		env.Params = params
		s, err := bind.Bind(stmt, env)
		if err != nil {
			t.Fatalf("%s: fast, but Bind says %v", sql, err)
		}
		for r, row := range s.(*bind.Insert).Rows {
			for c, e := range row {
				compare(t, fmt.Sprintf("%s of %v into %s: row %d, column %d", sql, params, columnTypes[i][0], r, c), fast.Columns[c], r, e)
			}
		}
	})
	if fits == 0 {
		t.Error("no parameters were taken fast")
	}
}

func TestReadInsertParametersRefuses(t *testing.T) {
	w := newWorld(t)
	for _, sql := range []string{
		"INSERT INTO t VALUES (?, 1)", "INSERT INTO t VALUES (?, ?), (?)", "INSERT IGNORE INTO t VALUES (?)", "INSERT INTO t SELECT ?",
		"INSERT INTO t VALUES (?) ON DUPLICATE KEY UPDATE a = 1", "INSERT INTO t (t.a) VALUES (?)", "INSERT INTO t VALUES (-?)", "DELETE FROM t WHERE a = ?",
		"INSERT INTO t VALUES (DEFAULT)", "EXPLAIN INSERT INTO t VALUES (?)",
	} {
		stmt, err := w.parser.Parse(sql, 0)
		if err != nil {
			t.Fatal(sql, err)
		}
		if bind.ReadInsertParameters(stmt) != nil {
			t.Errorf("%s is taken for an INSERT of parameters alone", sql)
		}
	}
}

func compare(t *rapid.T, what string, fast *vector.Vector, r int, e *expr.Expr) {
	got := expr.ValueOf(fast, r)
	want, ok := value(t, e)
	if !ok {
		t.Fatalf("%s: fast, but %s fails or warns", what, e)
	}
	if want.Wide == nil && fast.Type.Class() == types.ClassBytes && !want.Null && want.S == nil {
		want.S = []byte{}
	}
	if !expr.EqualValue(got, want, fast.Type) {
		t.Fatalf("%s: fast gives %s, Bind %s", what, got.Text(fast.Type), want.Text(fast.Type))
	}
}

func BenchmarkFastInsert(b *testing.B) {
	w := newWorld(nil)
	if err := w.exec("CREATE STREAM TABLE bids (auction BIGINT NOT NULL, bidder BIGINT NOT NULL, price DECIMAL(18,2), channel VARCHAR(32), ts DATETIME(3) NOT NULL)"); err != nil {
		b.Fatal(err)
	}
	const rows = 1000
	var sql strings.Builder
	sql.WriteString("INSERT INTO bids VALUES ")
	for i := range rows {
		if i > 0 {
			sql.WriteByte(',')
		}
		fmt.Fprintf(&sql, "(%d,%d,%d.%02d,'channel-%d','2024-01-02 03:04:05.%03d')", i*7919, i*31, i, i%100, i%10, i%1000)
	}
	iv, ok := parser.FastInsert(sql.String(), 0)
	if !ok {
		b.Fatal("not fast")
	}
	env := w.env()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := bind.FastInsert(iv, env, time.UTC); !ok {
			b.Fatal("not fast")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*5), "ns/value")
}
