package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// TestFullJoin: each FULL JOIN is one, wherever it stands among other joins,
// queries and tables of that name.
func TestFullJoin(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT * FROM a FULL JOIN b ON a.x = b.x", "(a full b)"},
		{"SELECT * FROM a FULL OUTER JOIN b ON a.x = b.x", "(a full b)"},
		{"SELECT * FROM a AS y FULL JOIN b USING (x)", "(a full b)"},
		{"SELECT * FROM (SELECT 1) y full join b ON 1 = 1", "(() full b)"},
		{"SELECT * FROM a NATURAL FULL JOIN b", "(a full b)"},
		{"SELECT * FROM a LEFT JOIN b ON 1 FULL JOIN c ON 1 LEFT OUTER JOIN d ON 1", "(((a left b) full c) left d)"},
		{"SELECT * FROM a FULL JOIN b LEFT JOIN c ON 1 ON 1", "(a full (b left c))"},
		{"SELECT * FROM a LEFT JOIN b FULL JOIN c ON 1 ON 1", "(a left (b full c))"},
		{"SELECT * FROM a JOIN (b FULL JOIN c ON 1) ON 1 RIGHT JOIN d ON 1", "((a inner (b full c)) right d)"},
		{"SELECT * FROM a JOIN b FULL JOIN c ON 1, d LEFT JOIN e ON 1", "(((a inner b) full c) inner (d left e))"},
		{"SELECT (SELECT 1 FROM a LEFT JOIN b ON 1), 2 FROM c FULL JOIN d ON 1 WHERE EXISTS (SELECT * FROM e LEFT JOIN f ON 1)", "(c full d) (a left b) (e left f)"},
		{"SELECT 1 FROM a LEFT JOIN b ON 1 UNION SELECT 2 FROM c FULL JOIN d ON 1", "(a left b) (c full d)"},
		{"SELECT * FROM (SELECT 1 FROM a FULL JOIN b ON 1) x LEFT JOIN c ON c.y IN (SELECT z FROM d LEFT JOIN e ON 1)", "(() left c) (a full b) (d left e)"},
		{"SELECT LEFT('a', 1), full FROM full FULL JOIN semi ON 1", "(full full semi)"},
		{"SELECT * FROM full JOIN a LEFT JOIN b ON 1", "((full inner a) left b)"},
		{"INSERT INTO t SELECT 1 FROM a FULL JOIN b ON 1", "(a full b)"},
		{"CREATE VIEW v AS SELECT 1 FROM a FULL JOIN b ON 1", "(a full b)"},
	} {
		st, err := New().Parse(c.text, 0)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var v joinLister
		st.Node.Accept(&v)
		if got := strings.Join(v, " "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.text, got, c.want)
		}
		if sel, ok := st.Node.(*ast.SelectStmt); ok && !strings.Contains(c.text, "LEFT") && strings.Contains(sel.Text(), "LEFT") {
			t.Errorf("%s became %s", c.text, sel.Text())
		}
	}
}

// TestFullJoinPlaces: an error's place is that of the text as typed.
func TestFullJoinPlaces(t *testing.T) {
	_, err := New().Parse("SELECT * FROM a FULL JOIN b ON a.x = ;", 0)
	if e := sqlerr.From(err); e == nil || !strings.Contains(e.Message, "column 38") {
		t.Errorf("got %v", err)
	}
}

// joinLister writes each FROM with joins as a formula.
type joinLister []string

func (l *joinLister) Enter(n ast.Node) (ast.Node, bool) {
	if s, ok := n.(*ast.SelectStmt); ok && s.From != nil && s.From.TableRefs.Right != nil {
		*l = append(*l, formula(s.From.TableRefs))
	}
	return n, false
}

func (l *joinLister) Leave(n ast.Node) (ast.Node, bool) { return n, true }

func formula(n ast.ResultSetNode) string {
	switch n := n.(type) {
	case *ast.Join:
		if n.Right == nil {
			return formula(n.Left)
		}
		kind := map[ast.JoinType]string{ast.LeftJoin: "left", ast.RightJoin: "right", FullJoin: "full"}[n.Tp]
		if kind == "" {
			kind = "inner"
		}
		return fmt.Sprintf("(%s %s %s)", formula(n.Left), kind, formula(n.Right))
	case *ast.TableSource:
		return formula(n.Source)
	case *ast.TableName:
		return n.Name.O
	}
	return "()"
}
