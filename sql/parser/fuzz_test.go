package parser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// seed adds the statements of testdata, and some that are close to trouble.
func seed(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a directory
		}
		input, lines := "", false
		for line := range strings.Lines(string(text)) {
			switch {
			case strings.HasPrefix(line, "parse"), strings.HasPrefix(line, "split"), strings.HasPrefix(line, "labels"):
				input, lines = "", false
			case strings.HasPrefix(line, "lines"):
				lines = true
			case strings.HasPrefix(line, "----"):
				f.Add(input, byte(0))
				lines = false
			case lines:
				f.Add(line, byte(1))
			default:
				input += line
			}
		}
	}
	for _, s := range []string{
		"", ";", "'", "`", "/*", "/*!", "*/", "/*!40101", "--", "#", "@", "@@", "@`", "x'", "0x", "0b2", "1e", ".", "1.e5", "\\N", "\\",
		"INSERT t VALUES(1),(2)", "INSERT INTO t VALUES ('\\", "INSERT INTO t VALUES ('a'", "CAST(a AS INT", "SELECT CAST(a AS INT(",
		"CREATE STREAM TABLE", "CREATE MATERIALIZED VIEW v AS EMIT CHANGES", "EXPLAIN FORMAT =", "FLUSH STREAMS WITH", "CONVERT(,INT)",
		"SELECT {d '2024-01-01'}", "SELECT ((((CASE))))", "END", "SELECT a FROM (b EMIT CHANGES", "SELECT \xff", "DROP STREAM TABLE a.",
	} {
		f.Add(s, byte(0))
	}
}

// FuzzParse holds that any text ends in a statement or an error of MySQL's kind,
// and that reading it again gives the same.
func FuzzParse(f *testing.F) {
	seed(f)
	p := parser.New()
	f.Fuzz(func(t *testing.T, text string, m byte) {
		mode := parser.Mode(m % 16)
		st, err := p.Parse(text, mode)
		if err != nil {
			e, ok := err.(*sqlerr.Error)
			if !ok || e.Code == sqlerr.UnknownError || !utf8.ValidString(e.Message) || len(e.State) != 5 {
				t.Fatalf("%q: %#v", text, err)
			}
		} else if st.CreateFunction == nil && st.CreateSecret == nil && st.DropSecret == nil && st.DropFunction == nil && st.Node == nil && st.MatView == nil && st.Sink == nil && st.Drop == nil && st.Flush == nil && st.Alter == nil && st.Show == nil {
			t.Fatalf("%q: nothing was read", text)
		}
		if _, again := p.Parse(text, mode); (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("%q: %v, then %v", text, err, again)
		}
	})
}

// FuzzSplit holds that the pieces come in order, where they say they are, and
// that a piece is never cut again.
func FuzzSplit(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string, m byte) {
		s := parser.Split(text)
		s.Mode = parser.Mode(m % 16)
		end, n := 0, 0
		for {
			piece, offset, ok := s.Next()
			if !ok {
				break
			}
			n++
			if offset < end || text[offset:offset+len(piece)] != piece {
				t.Fatalf("%q: piece %q at %d, the one before ended at %d", text, piece, offset, end)
			}
			end = offset + len(piece)
			again := parser.Split(piece)
			again.Mode = s.Mode
			if first, _, _ := again.Next(); first != piece {
				t.Fatalf("%q: piece %q is cut again to %q", text, piece, first)
			}
		}
		if n == 0 {
			t.Fatalf("%q: no piece", text)
		}
	})
}

// FuzzFastInsert holds FastInsert against Parse.
func FuzzFastInsert(f *testing.F) {
	seed(f)
	p := parser.New()
	f.Fuzz(func(t *testing.T, text string, m byte) {
		if _, err := agree(p, text, parser.Mode(m%16)); err != nil {
			t.Fatal(err)
		}
	})
}
