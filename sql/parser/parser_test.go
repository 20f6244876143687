package parser_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// TestData runs the files of testdata, one topic each. A case is a statement;
// its outcome is what the parser made of it, or the error as a client sees it.
//
//   - parse: the kind of statement and, for a statement of the dialect, what
//     was read; the arguments ansi, nobackslash and concat set the mode.
//   - split: the statements with their offsets.
//   - labels: the text of each select item.
//   - lines: parse, each line a statement of its own; prints OK or the error.
func TestData(t *testing.T) {
	p := parser.New()
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Base(path) == "fuzz" {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			m := mode(d)
			switch d.Cmd {
			case "parse":
				st, err := p.Parse(d.Input, m)
				if err != nil {
					return failure(err)
				}
				return describe(st)
			case "split":
				return split(d.Input, m)
			case "labels":
				st, err := p.Parse(d.Input, m)
				if err != nil {
					return failure(err)
				}
				var l labels
				st.Node.Accept(&l)
				return string(l)
			case "lines":
				var out strings.Builder
				for line := range strings.Lines(d.Input) {
					line = strings.TrimSpace(line)
					if _, err := p.Parse(line, m); err != nil {
						fmt.Fprintf(&out, "%s\n  %s", line, failure(err))
					} else {
						fmt.Fprintf(&out, "%s\n  OK\n", line)
					}
				}
				return out.String()
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func mode(d *datadriven.TestData) (m parser.Mode) {
	for name, flag := range map[string]parser.Mode{
		"ansi": parser.ANSIQuotes, "nobackslash": parser.NoBackslashEscapes, "concat": parser.PipesAsConcat,
	} {
		if d.HasArg(name) {
			m |= flag
		}
	}
	return m
}

func failure(err error) string {
	e := sqlerr.From(err)
	return fmt.Sprintf("ERROR %d (%s): %s\n", e.Code, e.State, e.Message)
}

func split(sql string, m parser.Mode) string {
	var out strings.Builder
	s := parser.Split(sql)
	s.Mode = m
	for {
		text, offset, ok := s.Next()
		if !ok {
			return out.String()
		}
		fmt.Fprintf(&out, "%d: %q\n", offset, text)
	}
}

// labels collects the text of each select item.
type labels string

func (l *labels) Enter(n ast.Node) (ast.Node, bool) {
	if f, ok := n.(*ast.SelectField); ok {
		*l += labels(fmt.Sprintf("%q\n", f.OriginalText()))
	}
	return n, false
}

func (l *labels) Leave(n ast.Node) (ast.Node, bool) { return n, true }

func describe(st *parser.Statement) string {
	var out strings.Builder
	if st.Node != nil {
		fmt.Fprintf(&out, "%s\n", strings.TrimPrefix(fmt.Sprintf("%T", st.Node), "*ast."))
	}
	if x, ok := st.Node.(*ast.ExplainStmt); ok {
		fmt.Fprintf(&out, "format %s\n", x.Format)
	}
	for _, p := range st.Params {
		fmt.Fprintf(&out, "param %d at %d\n", p.Order, p.Offset)
	}
	for _, w := range st.Warnings {
		fmt.Fprintf(&out, "warning: %s\n", w)
	}
	if s := st.Stream; s != nil {
		fmt.Fprintf(&out, "stream table, options %v\n", s.Options)
		if w := s.Watermark; w != nil {
			fmt.Fprintf(&out, "watermark %s - %s %s\n", w.Column, w.Amount, w.Unit)
		}
	}
	if v := st.MatView; v != nil {
		fmt.Fprintf(&out, "materialized view %s, columns %q, if not exists %t, options %v\nquery %q as %s\n",
			name(v.Name), v.Columns, v.IfNotExists, v.Options, v.QueryText, strings.TrimPrefix(fmt.Sprintf("%T", v.Query), "*ast."))
	}
	if s := st.Sink; s != nil {
		fmt.Fprintf(&out, "sink %s, if not exists %t, options %v, on close %t\nquery %q as %s\n",
			name(s.Name), s.IfNotExists, s.Options, s.EmitOnClose, s.QueryText, strings.TrimPrefix(fmt.Sprintf("%T", s.Query), "*ast."))
	}
	if d := st.Drop; d != nil {
		fmt.Fprintf(&out, "drop %s %s, if exists %t, cascade %t\n", d.Kind, names(d.Names), d.IfExists, d.Cascade)
	}
	if f := st.Flush; f != nil {
		fmt.Fprintf(&out, "flush streams %s, timeout %g\n", names(f.Names), f.Timeout)
	}
	if s := st.Show; s != nil {
		fmt.Fprintf(&out, "show %s, db %q, name %s, like %q\n", s.What, s.DB, name(s.Name), s.Like)
	}
	return out.String()
}

func name(t *ast.TableName) string {
	switch {
	case t == nil:
		return "-"
	case t.Schema.O != "":
		return t.Schema.O + "." + t.Name.O
	default:
		return t.Name.O
	}
}

func names(ts []*ast.TableName) string {
	var out []string
	for _, t := range ts {
		out = append(out, name(t))
	}
	return strings.Join(out, ", ")
}
