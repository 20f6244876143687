package bind_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"streamsql/catalog"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// TestDeepStatements: what nests or grows without end is an error, never the
// end of the stack; what is only long is bound.
func TestDeepStatements(t *testing.T) {
	w := newWorld(t)
	for _, sql := range []string{"CREATE TABLE t (a INT)", "CREATE VIEW v0 AS SELECT a FROM t"} {
		if err := w.exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	many := func(n int, s string) string { return strings.Repeat(s, n) }
	ctes := "WITH c0 AS (SELECT a FROM t)"
	for i := range 30 { // each reads the one before twice
		ctes += fmt.Sprintf(", c%d AS (SELECT x.a FROM c%d x, c%d y)", i+1, i, i)
	}
	for _, c := range []struct {
		what, sql string
		want      uint16
	}{
		{"parentheses", "SELECT " + many(3000, "(") + "1" + many(3000, ")"), sqlerr.TooHighLevelOfNesting},
		{"functions", "SELECT " + many(3000, "IFNULL(1, ") + "1" + many(3000, ")"), sqlerr.TooHighLevelOfNesting},
		{"a sum", "SELECT 1" + many(3000, " + 1"), sqlerr.TooHighLevelOfNesting},
		{"a long OR", "SELECT 1 FROM t WHERE a = 0" + many(1900, " OR a = 1"), 0},
		{"a long AND", "SELECT 1 FROM t WHERE a = 0" + many(1900, " AND a = 1"), 0},
		{"a long IN", "SELECT 1 FROM t WHERE a IN (1" + many(20000, ", 2") + ")", 0},
		{"CTEs that double", ctes + " SELECT * FROM c30", sqlerr.TooManyTables},
	} {
		_, err := w.bind(c.sql)
		got := uint16(0)
		if err != nil {
			got = sqlerr.From(err).Code
		}
		if got != c.want {
			t.Errorf("%s: error %d (%v), want %d", c.what, got, err, c.want)
		}
	}
}

func TestParameters(t *testing.T) {
	w := newWorld(t)
	if err := w.exec("CREATE TABLE t (a INT, b VARCHAR(5), c DECIMAL(5,2))"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ sql, want string }{
		{"SELECT ? FROM t", "varchar(255)"},
		{"SELECT * FROM t WHERE a = ? AND b LIKE ? AND c BETWEEN ? AND ?", "int varchar(5) decimal(5,2) decimal(5,2)"},
		{"SELECT * FROM t LIMIT ?, ?", "bigint bigint"},
		{"SELECT CAST(? AS SIGNED), CASE WHEN ? THEN ? ELSE a END FROM t", "varchar(255) int int"},
		{"INSERT INTO t VALUES (?, ?, ?)", "int varchar(5) decimal(5,2)"},
		{"UPDATE t SET c = ? WHERE a IN (?, 1)", "decimal(5,2) int"},
	} {
		s, err := w.bind(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var params []types.Type
		switch s := s.(type) {
		case *bind.SelectStatement:
			params = s.Params
		case *bind.Insert:
			params = s.Params
		case *bind.Update:
			params = s.Params
		}
		var got []string
		for _, p := range params {
			got = append(got, p.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: parameters %v, want %s", c.sql, got, c.want)
		}
	}
}

// TestParameterValues: with values, `?` is the value.
func TestParameterValues(t *testing.T) {
	w := newWorld(t)
	stmt, err := w.parser.Parse("SELECT ? + 1 LIMIT ?", 0)
	if err != nil {
		t.Fatal(err)
	}
	env := w.env()
	asked := false
	env.AskedInfo = func() { asked = true }
	env.Params = []*expr.Expr{expr.NewInt(41), expr.NewConst(expr.Value{F: 3}, types.MakeDouble())}
	s, err := bind.Bind(stmt, env)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := bind.Format(s), "limit 3\n  select\n    ? + 1#1 bigint! = 41 + 1"; !strings.Contains(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if asked {
		t.Error("AskedInfo was called for a statement that asks nothing of the session")
	}
	if stmt, err = w.parser.Parse("SELECT CONNECTION_ID()", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := bind.Bind(stmt, env); err != nil || !asked {
		t.Errorf("AskedInfo was not called for CONNECTION_ID(): %v", err)
	}
}

func TestNeeds(t *testing.T) {
	w := newWorld(t)
	for _, sql := range []string{"CREATE TABLE t (a INT PRIMARY KEY)", "CREATE TABLE u (a INT)", "CREATE VIEW v AS SELECT a FROM t"} {
		if err := w.exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	need := func(p catalog.Privilege, table string) catalog.Need {
		return catalog.Need{Privilege: p, Database: "shop", Table: table}
	}
	for _, c := range []struct {
		sql  string
		want []catalog.Need
	}{
		{"SELECT 1", nil},
		{"SELECT * FROM v, (SELECT a FROM u) d", []catalog.Need{need(catalog.Select, "v"), need(catalog.Select, "u")}},
		{"INSERT INTO t SELECT a FROM u", []catalog.Need{need(catalog.Insert, "t"), need(catalog.Select, "u")}},
		{"REPLACE INTO t VALUES (1)", []catalog.Need{need(catalog.Insert|catalog.Delete, "t")}},
		{"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1", []catalog.Need{need(catalog.Insert|catalog.Update, "t")}},
		{"UPDATE t SET a = 1 WHERE a = 2", []catalog.Need{need(catalog.Update, "t"), need(catalog.Select, "t")}},
		{"DELETE FROM t", []catalog.Need{need(catalog.Delete, "t")}},
		{"CREATE MATERIALIZED VIEW m AS SELECT a FROM v", []catalog.Need{need(catalog.CreateView, "m"), need(catalog.Select, "v")}},
		{"TRUNCATE t", []catalog.Need{need(catalog.Drop, "t")}},
		{"RENAME TABLE t TO x, u TO y", []catalog.Need{need(catalog.Alter|catalog.Drop, "t"), need(catalog.Create|catalog.Insert, "x"),
			need(catalog.Alter|catalog.Drop, "u"), need(catalog.Create|catalog.Insert, "y")}},
		{"ALTER TABLE t RENAME TO x", []catalog.Need{need(catalog.Alter|catalog.Drop, "t"), need(catalog.Create|catalog.Insert, "x")}},
		{"ALTER TABLE t ADD COLUMN b INT", []catalog.Need{need(catalog.Alter, "t")}},
		{"CREATE INDEX i ON t (a)", []catalog.Need{need(catalog.Index, "t")}},
		{"DROP TABLE u", []catalog.Need{need(catalog.Drop, "u")}},
		{"CREATE DATABASE d", []catalog.Need{{Privilege: catalog.Create, Database: "d"}}},
		{"EXPLAIN SELECT a FROM u", []catalog.Need{need(catalog.Select, "u")}},
	} {
		s, err := w.bind(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got := bind.Needs(s); !slices.Equal(got, c.want) {
			t.Errorf("%s: needs %v, want %v", c.sql, got, c.want)
		}
	}
}
