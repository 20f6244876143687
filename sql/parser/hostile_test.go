package parser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// hostile is a text that is too deep or too long to be parsed in good time, or
// only just not.
type hostile struct {
	name string
	text string
	code uint16 // 0: no error
}

func hostileTexts() []hostile {
	million := func(s string) string { return strings.Repeat(s, 1_000_000) }
	const mb16 = 16 << 20
	return []hostile{
		{"parentheses", "SELECT " + million("(") + "1" + million(")"), 1064},
		{"open parentheses", "SELECT " + million("("), 1064},
		{"closing parentheses", "SELECT 1" + million(")"), 1064},
		{"calls", "SELECT " + million("f("), 1064},
		{"subqueries", million("SELECT * FROM ("), 1064},
		{"minus", "SELECT " + million("- ") + "1", 1064},
		{"not", "SELECT " + million("NOT ") + "1", 1064},
		{"bang", "SELECT " + million("!") + "1", 1064},
		{"case", "SELECT " + million("CASE WHEN ") + "1", 1064},
		{"case else", "SELECT " + million("CASE a WHEN 1 THEN 2 ELSE "), 1064},
		{"and", "SELECT 1" + million(" AND 1"), 1064},
		{"plus", "SELECT 1" + million("+1"), 1064},
		{"comma join", "SELECT * FROM a" + million(",a"), 1064},
		{"join", "SELECT * FROM a" + million(" JOIN a"), 1064},
		{"union", "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 100_000), 0},
		{"interval", "SELECT a" + million(" + INTERVAL 1 DAY"), 1064},
		{"is", "SELECT a" + million(" IS NULL"), 1064},
		{"collate", "SELECT a" + million(" COLLATE x"), 1064},
		{"braces", "SELECT " + million("{d "), 1064},
		{"comments", "SELECT " + million("/**/") + "1", 0},
		{"version comments", "SELECT " + million("/*!40101 */") + "1", 0},
		{"open comment", "SELECT /*" + strings.Repeat("*", mb16), 1064},
		{"skipped comment", "/*!99999" + million("/* */ ") + " */ SELECT 1", 0},
		{"string", "SELECT '" + strings.Repeat("x", mb16) + "'", 0},
		{"open string", "SELECT '" + strings.Repeat("''", mb16/2), 1064},
		{"escapes", "SELECT '" + strings.Repeat(`\'`, mb16/2) + "'", 0},
		{"name", "SELECT " + strings.Repeat("x", mb16), 0},
		{"number", "SELECT " + strings.Repeat("9", mb16), 0},
		{"fraction", "SELECT 0." + strings.Repeat("9", mb16), 0},
		{"spaces", strings.Repeat(" ", mb16), 1065},
		{"semicolons", strings.Repeat(";", mb16), 1064},
		{"items", "SELECT 1" + strings.Repeat(",1", mb16/2), 1064},
		{"items that pass", "SELECT 1" + strings.Repeat(",1", 490_000), 0},
		{"rows that pass", "INSERT INTO t VALUES (1,NOW())" + strings.Repeat(",(1,NOW())", 110_000), 0},
		{"in", "SELECT a IN (1" + strings.Repeat(",1", mb16/2) + ")", 1064},
		{"parameters", "SELECT ?" + strings.Repeat(",?", mb16/2), 1064},
		{"rows", "INSERT INTO t VALUES (NOW())" + strings.Repeat(",(NOW())", mb16/8), 1064},
		{"casts", "SELECT CAST(a AS INT)" + strings.Repeat(",CAST(a AS INT)", 100_000), 0},
		{"NULs", "SELECT " + strings.Repeat("\x00", mb16), 1064},
		{"bad UTF-8", "SELECT '" + strings.Repeat("\xff", mb16) + "'", 1300},
		{"bad UTF-8, many", "SELECT " + strings.Repeat("_binary'\xff',", 200_000) + "1", 0},
	}
}

// TestHostile is about time and stack: whatever is sent, an answer comes soon,
// from the parser and from walks over what it lets through.
func TestHostile(t *testing.T) {
	const budget = 3 * time.Second // it takes under one on an idle machine
	p := parser.New()
	for _, h := range hostileTexts() {
		t.Run(h.name, func(t *testing.T) {
			start := time.Now()
			st, err := p.Parse(h.text, 0)
			if took := time.Since(start); took > budget {
				t.Errorf("took %v", took)
			} else {
				t.Logf("took %v", took)
			}
			if h.code == 0 {
				if err != nil {
					t.Fatalf("%.300s", err)
				}
				return
			}
			if err == nil {
				t.Fatalf("parsed as %T", st.Node)
			}
			if e := sqlerr.From(err); e.Code != h.code || len(e.Message) > 500 {
				t.Errorf("%d %.600s", e.Code, e.Message)
			}
			start = time.Now()
			parser.FastInsert(h.text, 0)
			s := parser.Split(h.text)
			for range 10 {
				s.Next()
			}
			if took := time.Since(start); took > budget {
				t.Errorf("FastInsert and Split took %v", took)
			}
		})
	}
}

// TestDepthThatIsAllowed parses what is just below the bound.
func TestDepthThatIsAllowed(t *testing.T) {
	p := parser.New()
	for name, sql := range map[string]string{
		"parentheses": "SELECT " + strings.Repeat("(", 3900) + "1" + strings.Repeat(")", 3900),
		"or":          "SELECT a = 1" + strings.Repeat(" OR a = 1", 1900),
		"items":       "SELECT 1+1" + strings.Repeat(", 1+1", 100_000),
		"case":        "SELECT " + strings.Repeat("CASE WHEN a THEN ", 1000) + "1" + strings.Repeat(" END", 1000),
		"calls":       "SELECT f(1+1)" + strings.Repeat(", f(1+1)", 50_000),
	} {
		if _, err := p.Parse(sql, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBytes is about bytes that are not text.
func TestBytes(t *testing.T) {
	p := parser.New()
	for _, c := range []struct {
		sql     string
		code    uint16
		message string
	}{
		{"SELECT 'a\xffb'", 1300, "Invalid utf8mb4 character string: 'FF62' at line 1 column 10"},
		{"SELECT a\xc3 FROM t", 1300, "Invalid utf8mb4 character string: 'C3' at line 1 column 9"},
		{"SELECT '\xed\xa0\x80'", 1300, "Invalid utf8mb4 character string: 'EDA080' at line 1 column 9"},
		{"SELECT _binary'a\xffb'", 0, ""},
		{"SELECT _binary '\xc3'", 0, ""},
		{"SELECT _utf8mb4'\xc3'", 1300, ""},
		{"SELECT 1 /* \xff */", 0, ""},
		{"SELECT 1 \xff", 1300, ""},
		{"SELECT 'a\x00b'", 0, ""},
		{"SELECT 1\x00", 1064, ""},
		{"SELECT\x001", 1064, ""},
		{"SELECT \xef\xbb\xbf1", 0, ""}, // a byte order mark is a name, as in MySQL
		{"SELECT 'é😀', `é😀`", 0, ""},
	} {
		_, err := p.Parse(c.sql, 0)
		switch {
		case err == nil && c.code == 0:
		case err == nil || sqlerr.From(err).Code != c.code:
			t.Errorf("%q: %v, want %d", c.sql, err, c.code)
		case c.message != "" && err.Error() != c.message:
			t.Errorf("%q: %v, want %s", c.sql, err, c.message)
		}
	}
}

// TestLiterals keeps numbers and bytes as they were typed.
func TestLiterals(t *testing.T) {
	p := parser.New()
	nines := strings.Repeat("9", 70)
	for sql, want := range map[string]any{
		"9223372036854775807":  int64(9223372036854775807),
		"18446744073709551615": uint64(18446744073709551615),
		"18446744073709551616": parser.Decimal("18446744073709551616"),
		nines + ".10":          parser.Decimal(nines + ".10"),
		"0.1000":               parser.Decimal("0.1000"),
		".5":                   parser.Decimal(".5"),
		"1e2":                  float64(100),
		"'a''b\\n\\%'":         "a'b\n\\%",
		"'a' 'b'":              "ab",
		"TRUE":                 int64(1),
		"NULL":                 nil,
	} {
		st, err := p.Parse("SELECT "+sql, 0)
		if err != nil {
			t.Fatal(err)
		}
		l := item(st).(*parser.Literal)
		if l.GetValue() != want {
			t.Errorf("%s: %T %v, want %T %v", sql, l.GetValue(), l.GetValue(), want, want)
		}
	}
	for sql, want := range map[string]string{"x'0f1'": "", "0xF": "\x0f", "X'0F10'": "\x0f\x10", "0b101": "\x05", "b'100000001'": "\x01\x01", "x''": ""} {
		st, err := p.Parse("SELECT "+sql, 0)
		if sql == "x'0f1'" {
			if err == nil {
				t.Error("an odd number of hexadecimal digits was taken")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if b := item(st).(*parser.Literal).GetValue().(parser.Binary); string(b) != want {
			t.Errorf("%s: %x, want %x", sql, b, want)
		}
	}
}

// item is the first item of a SELECT.
func item(st *parser.Statement) ast.ExprNode {
	return st.Node.(*ast.SelectStmt).Fields.Fields[0].Expr
}

// TestCastTypes gives column types in CAST the types of MySQL's CAST.
func TestCastTypes(t *testing.T) {
	p := parser.New()
	for typed, cast := range map[string]string{
		"INT": "SIGNED", "bigint": "SIGNED", "BIGINT UNSIGNED": "UNSIGNED", "INT UNSIGNED": "UNSIGNED", "TINYINT(4)": "SIGNED",
		"INT(11)": "SIGNED", "VARCHAR(7)": "CHAR(7)", "TEXT": "CHAR", "NUMERIC(10,3)": "DECIMAL(10,3)",
	} {
		for _, form := range []string{"CAST(a AS %)", "CONVERT(a, %)"} {
			var got [2]string
			for i, typ := range []string{typed, cast} {
				st, err := p.Parse("SELECT "+strings.ReplaceAll(form, "%", typ), 0)
				if err != nil {
					t.Fatal(err)
				}
				tp := item(st).(*ast.FuncCastExpr).Tp
				got[i] = tp.String() + " " + tp.GetCharset() + tp.GetCollate()
				if mysql.HasBinaryFlag(tp.GetFlag()) {
					got[i] += " binary"
				}
			}
			if got[0] != got[1] {
				t.Errorf("%s of %s: %s, want %s", form, typed, got[0], got[1])
			}
		}
	}
}

// TestPipes reads || as the mode says.
func TestPipes(t *testing.T) {
	p := parser.New()
	st, err := p.Parse("SELECT a || b", 0)
	if err != nil {
		t.Fatal(err)
	}
	if op, ok := item(st).(*ast.BinaryOperationExpr); !ok || op.Op.String() != "or" {
		t.Errorf("|| is %T, want OR", item(st))
	}
	if st, err = p.Parse("SELECT a || b", parser.PipesAsConcat); err != nil {
		t.Fatal(err)
	}
	if f, ok := item(st).(*ast.FuncCallExpr); !ok || f.FnName.L != "concat" {
		t.Errorf("|| is %T, want CONCAT", item(st))
	}
}
