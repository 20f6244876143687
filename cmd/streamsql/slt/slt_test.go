package slt

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"streamsql/tests/servers"
)

func TestRewrite(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"CREATE STREAM TABLE s (a INT, ts DATETIME(3), WATERMARK FOR ts AS ts - INTERVAL 5 SECOND) WITH (partitions = 1, x = 'a)b')",
			"CREATE TABLE s (a INT, ts DATETIME(3)) "},
		{"CREATE STREAM TABLE IF NOT EXISTS s (WATERMARK FOR ts AS ts, ts DATETIME(3))", "CREATE TABLE IF NOT EXISTS s ( ts DATETIME(3))"},
		{"create stream table s (a DECIMAL(10,2), WATERMARK FOR ts AS ts - INTERVAL 1 SECOND, b INT)", "create table s (a DECIMAL(10,2), b INT)"},
		{"CREATE MATERIALIZED VIEW v AS WITH q AS (SELECT 1) SELECT * FROM q EMIT CHANGES", "CREATE VIEW v AS WITH q AS (SELECT 1) SELECT * FROM q "},
		{"CREATE MATERIALIZED VIEW v (a, b) WITH (history = '1 hour') AS SELECT 1, 2 EMIT ON WINDOW CLOSE", "CREATE VIEW v (a, b)  AS SELECT 1, 2 "},
		{"CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT a FROM t GROUP BY a WITH ROLLUP", "CREATE OR REPLACE VIEW v AS SELECT a FROM t GROUP BY a WITH ROLLUP"},
		{"DROP MATERIALIZED VIEW IF EXISTS v", "DROP VIEW IF EXISTS v"},
		{"DROP STREAM TABLE s CASCADE", "DROP TABLE s CASCADE"},
		{"SELECT 'EMIT CHANGES', emit FROM t", "SELECT 'EMIT CHANGES', emit FROM t"},
		{"INSERT INTO s VALUES (1)", "INSERT INTO s VALUES (1)"},
		{"CREATE STREAM TABLE s (a CHAR(1) COLLATE utf8mb4_0900_ai_ci)", "CREATE TABLE s (a CHAR(1) COLLATE utf8mb4_uca1400_nopad_ai_ci)"},
		{"SELECT 'utf8mb4_0900_ai_ci'", "SELECT 'utf8mb4_0900_ai_ci'"},
	} {
		if got := newRewriter().rewrite(c.in); got != c.want {
			t.Errorf("rewrite(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestRewriteUpsert(t *testing.T) {
	for _, create := range []string{
		"CREATE STREAM TABLE u (id INT PRIMARY KEY, v INT)",
		"CREATE STREAM TABLE `U` (id INT, v INT, PRIMARY KEY (id), WATERMARK FOR v AS v)",
	} {
		w := newRewriter()
		w.rewrite(create)
		if got := w.rewrite("INSERT INTO u VALUES (1, 2)"); got != "REPLACE INTO u VALUES (1, 2)" {
			t.Errorf("after %q: %q", create, got)
		}
		if got := w.rewrite("INSERT INTO other VALUES (1, 2)"); got != "INSERT INTO other VALUES (1, 2)" {
			t.Errorf("after %q: %q", create, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"nonsense", "statement ok\n", "statement maybe\nSELECT 1", "query\nSELECT 1\n----", "query X\nSELECT 1\n----\n1",
		"query I\nSELECT 1\n", "loop 3\nstatement ok\nSELECT 1\n", "endloop", "eventually 5s\nstatement ok\nSELECT 1",
		"sleep soon", "onlyif", "statement error [\nSELECT 1", "statement ok\nSELECT 1\n----\n1", "query I rowsort a b\nSELECT 1\n----",
	} {
		if _, err := parseScript("x.slt", text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestSameRows(t *testing.T) {
	for _, c := range []struct {
		want, got   []string
		types, sort string
		same        bool
	}{
		{[]string{"1\t2"}, []string{"1\t2"}, "II", "nosort", true},
		{[]string{"1.0"}, []string{"1"}, "D", "nosort", false},
		{[]string{"1.0"}, []string{"1"}, "R", "nosort", true},
		{[]string{"0.3333333333333"}, []string{"0.33333333333333333"}, "R", "nosort", true},
		{[]string{"0.333"}, []string{"0.3333"}, "R", "nosort", false},
		{[]string{"NULL"}, []string{"0"}, "R", "nosort", false},
		{[]string{"1e1\ta", "9\tb"}, []string{"10\ta", "9.0\tb"}, "RT", "rowsort", true},
		{[]string{"1\ta", "2\tb"}, []string{"2\tb", "1\ta"}, "RT", "nosort", false},
		{[]string{"1", "1", "2"}, []string{"1", "2", "2"}, "R", "rowsort", false},
		{nil, []string{"1"}, "I", "rowsort", false},
	} {
		if got := sameRows(c.want, c.got, c.types, c.sort); got != c.same {
			t.Errorf("sameRows(%q, %q, %s, %s) = %v", c.want, c.got, c.types, c.sort, got)
		}
	}
}

// TestServer runs records against a MariaDB, half of which are wrong on purpose.
func TestServer(t *testing.T) {
	dsn := servers.MariaDB(t).DSN()
	text := strings.Join([]string{
		"# comment", "statement ok", "CREATE STREAM TABLE s (id INT PRIMARY KEY, x VARCHAR(9), f DOUBLE)", "",
		"loop 3", "statement ok", "INSERT INTO s VALUES (${i}, NULL, ${i} / 3)", "", "endloop", "",
		"statement ok", "INSERT INTO s VALUES (2, '', 7)", "", // an upsert
		"query ITR rowsort first", "SELECT * FROM s", "----", "0\tNULL\t0", "1\tNULL\t0.333333333333", "2\t(empty)\t7.0", "",
		"query ITR rowsort first", "SELECT * FROM s ORDER BY id DESC", "----", "0\tNULL\t0", "1\tNULL\t0.333333333333", "2\t(empty)\t7", "",
		"query IT valuesort", "SELECT id, x FROM s WHERE id > 0", "----", "1", "2", "NULL", "(empty)", "",
		"statement error 1146", "SELECT * FROM nope", "",
		"statement error 1064|1054 no such|unknown column 'zz'", "SELECT zz FROM s", "",
		"query error doesn't exist", "SELECT * FROM nope", "",
		"onlyif streamsql", "statement ok", "NOT SQL AT ALL", "",
		"skipif mariadb", "query I", "NOT SQL", "----", "",
		"connection two", "query I", "SELECT COUNT(*) FROM s", "----", "3", "",
		"query T", "SELECT 'a\\tb\\nc'", "----", `a\tb\nc`, "",
		"eventually 2s", "query I", "SELECT SLEEP(0.1) * 0 + 5", "----", "5", "",
		"sleep 10ms", "",
		// From here on, each record fails.
		"query I", "SELECT 1", "----", "2", "",
		"query II", "SELECT 1", "----", "1", "",
		"query I", "SELECT nope", "----", "1", "",
		"statement ok", "SELECT nope", "",
		"statement error", "SELECT 1", "",
		"statement error 1064", "SELECT nope", "",
		"statement error gibberish", "SELECT nope", "",
		"query ITR rowsort first", "SELECT 5, 'x', 1", "----", "5\tx\t1", "",
		"eventually 300ms", "query I", "SELECT 1", "----", "2", "",
	}, "\n")
	s, err := parseScript(filepath.Join(t.TempDir(), "selftest.slt"), text)
	if err != nil {
		t.Fatal(err)
	}
	r, out := runFile(t.Context(), s, 1, Options{DSN: dsn, Engine: MariaDB, Timeout: 20 * time.Second}, nil)
	if r.Passed != 14 || r.Failed != 9 || r.Skipped != 2 {
		t.Errorf("%d passed, %d failed, %d skipped; want 14, 9, 2\n%s", r.Passed, r.Failed, r.Skipped, out)
	}
	for _, want := range []string{"- 2\n", "+ 1\n", "other error number", "other error message", "1 columns, want 2", "label first"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}

	// A restart loses the session; without a command the file is skipped.
	s, err = parseScript("again.slt", "statement ok\nSET @a = 1\n\nrestart\n\nquery T\nSELECT @a\n----\nNULL\n\nloop 3\nrestart\n\nendloop\n")
	if err != nil {
		t.Fatal(err)
	}
	if r, out = runFile(t.Context(), s, 3, Options{DSN: dsn, Engine: MariaDB, Timeout: 20 * time.Second, Restart: func(context.Context) error { return nil }}, nil); r.Passed != 6 || r.Failed != 0 {
		t.Errorf("restart: %d passed, %d failed\n%s", r.Passed, r.Failed, out)
	}
	if r, _ = runFile(t.Context(), s, 3, Options{DSN: dsn, Engine: MariaDB, Timeout: 20 * time.Second}, nil); r.Skipped != 4 || r.Passed+r.Failed != 0 {
		t.Errorf("restart without a command: %d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped)
	}

	// A file that takes too long fails its remaining records.
	s, err = parseScript("slow.slt", "query I\nSELECT SLEEP(5)\n----\n0\n\nquery I\nSELECT 1\n----\n1\n")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r, out = runFile(t.Context(), s, 2, Options{DSN: dsn, Engine: MariaDB, Timeout: 500 * time.Millisecond}, nil)
	if r.Passed != 0 || r.Failed != 2 || time.Since(start) > 4*time.Second {
		t.Errorf("timeout: %d passed, %d failed in %v\n%s", r.Passed, r.Failed, time.Since(start), out)
	}
}
