package parser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"pgregory.net/rapid"

	"streamsql/sql/parser"
)

func TestRequote(t *testing.T) {
	const ansi, plain = parser.ANSIQuotes, parser.NoBackslashEscapes
	for _, c := range []struct {
		text     string
		from, to parser.Mode
		want     string
	}{
		{`SELECT 'a\'b', "c\n", x'41', N'\\' /* 'x\' */`, 0, plain, "SELECT 'a''b', 'c\n', x'41', N'\\' /* 'x\\' */"},
		{`SELECT 'a\', 'b'''`, plain, 0, `SELECT 'a\\', 'b'''`},
		{`SELECT "a""` + "`" + `b", 'x"\\' FROM "t" -- "y"`, ansi, 0, "SELECT `a\"``b`, 'x\"\\\\' FROM `t` -- \"y\""},
		{`SELECT 'a\_\%', '\\%'`, 0, plain, `SELECT 'a\_\%', '\%'`},
		{`SELECT 'open`, 0, plain, `SELECT 'open`},
		{`SELECT 'a\\'`, 0, 0, `SELECT 'a\\'`},
	} {
		if got := parser.Requote(c.text, c.from, c.to); got != c.want {
			t.Errorf("%s from %d to %d:\n got %s\nwant %s", c.text, c.from, c.to, got, c.want)
		}
	}
}

// TestRequoteKeeps: strings and names stand for the same in another mode.
func TestRequoteKeeps(t *testing.T) {
	const quotes = `'"` + "`"
	rapid.Check(t, func(t *rapid.T) {
		modes := rapid.SampledFrom([]parser.Mode{0, parser.ANSIQuotes, parser.NoBackslashEscapes, parser.ANSIQuotes | parser.NoBackslashEscapes})
		from, to := modes.Draw(t, "from"), modes.Draw(t, "to")
		items := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			quote := string(quotes[rapid.IntRange(0, 2).Draw(t, "quote")])
			s := rapid.StringOf(rapid.SampledFrom([]rune("'\"`\\%_an;-/*"))).Draw(t, "text") + "x"
			switch name := quote == `"` && from&parser.ANSIQuotes != 0; {
			case name: // the grammar takes its backslashes for escapes, which MySQL does not
				s = strings.ReplaceAll(s, `\`, "")
			case quote != "`" && from&parser.NoBackslashEscapes == 0:
				s = strings.ReplaceAll(s, `\`, `\\`)
			}
			return quote + strings.ReplaceAll(s, quote, quote+quote) + quote
		}), 1, 4).Draw(t, "items")
		text := "SELECT " + strings.Join(items, ", ")
		want, got := values(t, text, from), values(t, parser.Requote(text, from, to), to)
		if !slices.Equal(got, want) {
			t.Fatalf("%s from %d to %d is %s: %q, not %q", text, from, to, parser.Requote(text, from, to), got, want)
		}
	})
}

// values are what the items of a SELECT say.
func values(t *rapid.T, text string, mode parser.Mode) (out []string) {
	st, err := parser.New().Parse(text, mode)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, f := range st.Node.(*ast.SelectStmt).Fields.Fields {
		switch e := f.Expr.(type) {
		case *parser.Literal:
			out = append(out, "string "+e.GetString())
		case *ast.ColumnNameExpr:
			out = append(out, "name "+e.Name.Name.O)
		default:
			t.Fatalf("%s: %T", text, e)
		}
	}
	return out
}
