package parser_test

import (
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

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
