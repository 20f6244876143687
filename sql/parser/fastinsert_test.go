package parser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"pgregory.net/rapid"

	"streamsql/sql/parser"
)

// fastText prints what FastInsert read, slowText the same of a tree: the two
// must be equal.
func fastText(v *parser.InsertValues) string {
	var b strings.Builder
	fmt.Fprintf(&b, "replace=%t %s.%s %q\n", v.Replace, v.DB, v.Table, v.Columns)
	width := len(v.Lits) / v.Rows
	for i, l := range v.Lits {
		switch l.Kind {
		case parser.LitNull:
			b.WriteString("NULL")
		case parser.LitDefault:
			b.WriteString("DEFAULT")
		case parser.LitTrue:
			b.WriteString("TRUE")
		case parser.LitFalse:
			b.WriteString("FALSE")
		case parser.LitString:
			fmt.Fprintf(&b, "%q", v.AppendText(nil, l))
		case parser.LitFloat:
			sign := ""
			if l.Neg {
				sign = "-"
			}
			fmt.Fprintf(&b, "%s%g", sign, mustFloat(v.Raw(l)))
		default:
			text := string(v.AppendText(nil, l))
			if l.Kind == parser.LitInt { // TiDB drops leading zeros
				digits := strings.TrimLeft(v.Raw(l), "0")
				if digits == "" {
					digits = "0"
				}
				if len(digits) > 20 || len(digits) == 20 && digits > "18446744073709551615" {
					digits = v.Raw(l)
				}
				text = digits
				if l.Neg {
					text = "-" + digits
				}
			}
			b.WriteString(text)
		}
		if (i+1)%width == 0 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func mustFloat(s string) float64 {
	var f float64
	if _, err := fmt.Sscan(s, &f); err != nil {
		panic(err)
	}
	return f
}

func slowText(n *ast.InsertStmt) string {
	var b strings.Builder
	t := n.Table.TableRefs.Left.(*ast.TableSource).Source.(*ast.TableName)
	var columns []string
	for _, c := range n.Columns {
		columns = append(columns, c.Name.O)
	}
	fmt.Fprintf(&b, "replace=%t %s.%s %q\n", n.IsReplace, t.Schema.O, t.Name.O, columns)
	for _, row := range n.Lists {
		for i, e := range row {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(slowLit(e))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func slowLit(e ast.ExprNode) string {
	switch e := e.(type) {
	case *ast.DefaultExpr:
		return "DEFAULT"
	case *ast.UnaryOperationExpr:
		switch e.Op {
		case opcode.Minus:
			return "-" + slowLit(e.V)
		case opcode.Plus:
			return slowLit(e.V)
		}
	case *parser.Literal:
		switch v := e.GetValue().(type) {
		case nil:
			return "NULL"
		case string:
			return fmt.Sprintf("%q", v)
		case float64:
			return fmt.Sprintf("%g", v)
		default:
			if e.IsBool() {
				return strings.ToUpper(fmt.Sprint(v == int64(1)))
			}
			return fmt.Sprint(v)
		}
	}
	return fmt.Sprintf("%T", e)
}

// agree checks that what FastInsert takes, Parse takes in the same sense.
func agree(p *parser.Parser, sql string, m parser.Mode) (taken bool, err error) {
	fast, ok := parser.FastInsert(sql, m)
	if !ok {
		return false, nil
	}
	st, err := p.Parse(sql, m)
	if err != nil {
		return true, fmt.Errorf("taken by FastInsert, refused by Parse: %q: %w", sql, err)
	}
	insert, ok := st.Node.(*ast.InsertStmt)
	if !ok {
		return true, fmt.Errorf("taken by FastInsert, but a %T: %q", st.Node, sql)
	}
	if a, b := fastText(fast), slowText(insert); a != b {
		return true, fmt.Errorf("%q:\nfast %s\nslow %s", sql, a, b)
	}
	return true, nil
}

// TestFastInsertAgrees holds FastInsert against Parse on random statements made
// of pieces that are near what it takes.
func TestFastInsertAgrees(t *testing.T) {
	p := parser.New()
	piece := func(pieces ...string) *rapid.Generator[string] { return rapid.SampledFrom(pieces) }
	mostly := func(plain, odd *rapid.Generator[string]) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			if rapid.IntRange(0, 11).Draw(t, "odd") == 7 {
				return odd.Draw(t, "odd piece")
			}
			return plain.Draw(t, "plain piece")
		})
	}
	head := mostly(piece("INSERT INTO", "insert", "REPLACE", "RePlace into"), piece("INSERT IGNORE", "INSERT LOW_PRIORITY INTO", "INSERT INTO TABLE"))
	table := mostly(piece("t", "`t`", "db.t", "`d b`.`t`", "stream", "t1$"), piece("d.`select`", "d . t", "select", "1t", "d.1", `"t"`, "é", "`a``b`", "values"))
	columns := mostly(piece("", "(a,b)", "(`a`, b)", "(a , `b c`)"), piece("()", "(a)", "(order)", "(t.a, b)"))
	plain := piece("1", "-1", "+7", "1.5", "-.5", "007", "null", "TRUE", "false", "default", "1e5", "''", "'a'", `'a''b\'c\n'`, "'\\'", `'\%\_é'`)
	literal := mostly(plain, rapid.OneOf(
		piece("1", "-1", "+7", "- 1", "1.5", "-.5", "1.", ".", "007", "0", "-0", "18446744073709551615", "18446744073709551616",
			"-9223372036854775808", "00000000000000000000000001", "1e5", "-1.5E-3", "1e", "1e400", "1e99", ".5e3", "0x1F", "x'1f'", "b'1'",
			"1a", "0b1", "null", "NULL", "nulls", "true", "FALSE", "default", "DEFAULT(a)", "NOW()", "NOW(3)", "CURRENT_TIMESTAMP",
			"a", "?", "@x", "1+1", "--1", "-- 1", "/* */1", "_utf8mb4'x'", "N'x'", `\N`, "1 2", "", "''", `""`, "'a' 'b'", `'a'"b"`),
		rapid.Map(rapid.StringMatching(`[a\\'"n%_é ,)(;\n-]{0,8}`), func(s string) string { return "'" + s + "'" }),
		rapid.Map(rapid.StringMatching(`[a\\0Zbt'é]{0,6}`), func(s string) string { return `"` + s + `"` }),
	))
	space := mostly(piece("", " ", "\n", "\t "), piece(" /* c */ ", "-- c\n", "#\n"))
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString(head.Draw(t, "head") + " " + table.Draw(t, "table") + space.Draw(t, "s") + columns.Draw(t, "columns"))
		b.WriteString(" " + space.Draw(t, "s") + mostly(piece("VALUES", "values", "VALUE"), piece("SELECT", "VALUES ROW")).Draw(t, "values"))
		width := rapid.SampledFrom([]int{1, 2, 2, 2}).Draw(t, "width")
		for r := range rapid.IntRange(1, 3).Draw(t, "rows") {
			if r > 0 {
				b.WriteString(space.Draw(t, "s") + ",")
			}
			b.WriteString("(")
			for c := range width {
				if c > 0 {
					b.WriteString(",")
				}
				b.WriteString(space.Draw(t, "s") + literal.Draw(t, "literal"))
			}
			b.WriteString(")")
		}
		b.WriteString(mostly(piece("", ";", " ; "), piece(",", ")", " ON DUPLICATE KEY UPDATE a = 1", "; SELECT 1")).Draw(t, "tail"))
		ok, err := agree(p, b.String(), parser.Mode(rapid.IntRange(0, 3).Draw(t, "mode")))
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			taken++
		}
	})
	t.Logf("%d statements taken", taken)
	if taken == 0 {
		t.Fatal("FastInsert took none of the statements: the test proves nothing")
	}
}

// TestFastInsertForms says which statements the quick way takes.
func TestFastInsertForms(t *testing.T) {
	p := parser.New()
	for sql, want := range map[string]bool{
		"INSERT INTO t VALUES (1, -2.5, 'a''b\\n', NULL, TRUE, DEFAULT)":   true,
		"insert t (`a`, b) value (1,2),(3,4);":                             true,
		"REPLACE INTO d.t VALUES (1e5)":                                    true,
		"INSERT INTO t VALUES (NOW())":                                     false,
		"INSERT INTO t VALUES (NOW(3))":                                    false,
		"INSERT INTO t VALUES (CURRENT_TIMESTAMP)":                         false,
		"INSERT INTO t VALUES (1), (1, 2)":                                 false,
		"INSERT INTO t (a) VALUES (1, 2)":                                  false,
		"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1":           false,
		"INSERT INTO t VALUES (?)":                                         false,
		"INSERT INTO t VALUES ('a' 'b')":                                   false,
		"INSERT INTO t SELECT 1":                                           false,
		"INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)":               false,
		"/* c */ INSERT INTO t VALUES (1)":                                 false,
		"INSERT INTO t VALUES ('\xff')":                                    false,
		"INSERT INTO t VALUES (123456789012345678901234567890.0000000001)": true,
	} {
		ok, err := agree(p, sql, 0)
		if err != nil {
			t.Error(err)
		}
		if ok != want {
			t.Errorf("%q: taken %t, want %t", sql, ok, want)
		}
	}
}

// insert1000 is 1000 rows in 43 KB.
func insert1000() string {
	var b strings.Builder
	b.WriteString("INSERT INTO trades (seller, buyer, amount, ts) VALUES ")
	for i := range 1000 {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(%d, %d, %d.50, '2024-01-01 00:%02d:%02d.000')", i%97, i, i, i/60%60, i%60)
	}
	return b.String()
}

func BenchmarkFastInsert(b *testing.B) {
	sql := insert1000()
	b.SetBytes(int64(len(sql)))
	b.ReportAllocs()
	var v parser.InsertValues
	for b.Loop() {
		if !v.Read(sql, 0) {
			b.Fatal("not taken")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for name, sql := range map[string]string{
		"select1":    "select 1",
		"point":      "SELECT a, b FROM t WHERE id = 17",
		"join":       "SELECT c.name, SUM(o.amount) AS total FROM orders o JOIN customers c ON o.customer = c.id LEFT JOIN regions r ON r.id = c.region WHERE o.amount > 10 AND r.name LIKE 'E%' GROUP BY c.name HAVING SUM(o.amount) > 100 ORDER BY total DESC LIMIT 10",
		"cast":       "SELECT CAST(a AS BIGINT) /* x */ FROM t",
		"insert1000": insert1000(),
	} {
		b.Run(name, func(b *testing.B) {
			p := parser.New()
			b.SetBytes(int64(len(sql)))
			for b.Loop() {
				if _, err := p.Parse(sql, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	sql := insert1000()
	b.SetBytes(int64(len(sql)))
	for b.Loop() {
		if text, _, ok := parser.Split(sql).Next(); !ok || len(text) != len(sql) {
			b.Fatal("cut")
		}
	}
}
