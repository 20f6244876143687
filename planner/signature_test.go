package planner_test

import (
	"testing"

	"streamsql/planner"
	"streamsql/sql/bind"
)

// signature is that of the root of a continuous plan; empty: it has none.
func signature(t *testing.T, w *world, sql string) string {
	t.Helper()
	stmt, err := w.bind("CREATE MATERIALIZED VIEW v AS " + sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	p, err := planner.Plan(stmt.(*bind.CreateTable).Query, planner.Options{Continuous: true})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return planner.Signatures(p.Root)[p.Root]
}

func TestSignatures(t *testing.T) {
	w := newWorld(t)
	if err := w.create(`CREATE TABLE t (id INT PRIMARY KEY, k INT NOT NULL, n BIGINT, s VARCHAR(10), d DOUBLE);
		CREATE TABLE u (id INT PRIMARY KEY, k INT NOT NULL, n BIGINT, s VARCHAR(10), d DOUBLE);
		CREATE STREAM TABLE e (k INT NOT NULL, n INT, ts DATETIME(3), WATERMARK FOR ts AS ts - INTERVAL 1 SECOND)`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ a, b string }{
		{"SELECT k, SUM(n) FROM t GROUP BY k", "SELECT x.k AS other, SUM(x.n) AS name FROM t AS x GROUP BY x.k"},
		{"SELECT DISTINCT k, s FROM t", "SELECT DISTINCT y.k, y.s FROM t y"},
		{"SELECT a.id, b.n FROM t a JOIN u b ON a.k = b.k", "SELECT x.id, y.n FROM t x JOIN u y ON y.k = x.k"},
		{"SELECT k, COUNT(*) FROM e GROUP BY k", "SELECT k, COUNT(*) FROM e GROUP BY k"},
	} {
		if a, b := signature(t, w, c.a), signature(t, w, c.b); a == "" || a != b {
			t.Errorf("not equal, %q and %q:\n%s\n%s", a, b, c.a, c.b)
		}
	}
	seen := map[string]string{}
	for _, q := range []string{
		"SELECT k, SUM(n) FROM t GROUP BY k", "SELECT k, SUM(n) FROM u GROUP BY k", "SELECT k, MIN(n) FROM t GROUP BY k", "SELECT s, SUM(n) FROM t GROUP BY s",
		"SELECT k, SUM(DISTINCT n) FROM t GROUP BY k", "SELECT k, SUM(n) FROM t WHERE k > 1 GROUP BY k", "SELECT k, SUM(n) FROM t WHERE k > 2 GROUP BY k",
		"SELECT k, SUM(n) FROM t WHERE n > 9007199254740992 GROUP BY k", "SELECT k, SUM(n) FROM t WHERE n > 9007199254740993 GROUP BY k", // one as floating point
		"SELECT k, SUM(n) FROM t WHERE s = 'a' GROUP BY k", "SELECT k, SUM(n) FROM t WHERE s = 'A' GROUP BY k", "SELECT k, SUM(n) FROM t WHERE s COLLATE utf8mb4_general_ci = 'a' GROUP BY k",
		"SELECT a.id, b.n FROM t a JOIN u b ON a.k = b.k", "SELECT a.id, b.n FROM t a LEFT JOIN u b ON a.k = b.k", "SELECT a.id, b.n FROM t a JOIN u b ON a.k = b.k AND a.n < b.n",
	} {
		s := signature(t, w, q)
		if other, ok := seen[s]; ok || s == "" {
			t.Errorf("%q, as of %q:\n%s", s, other, q)
		}
		seen[s] = q
	}
	for _, q := range []string{
		"SELECT k, n FROM t", // keeps nothing
		"SELECT k, SUM(n) FROM e WHERE ts > NOW() - INTERVAL 1 HOUR GROUP BY k",
		"SELECT window_start, COUNT(*) FROM TUMBLE(e, ts, INTERVAL 1 MINUTE) GROUP BY window_start",
		"SELECT k, window_start, COUNT(*) FROM SESSION(e, ts, INTERVAL 1 MINUTE, PARTITION BY k) GROUP BY k, window_start",
		"SELECT a.k, b.n FROM e AS a LEFT JOIN t FOR SYSTEM_TIME AS OF PROCTIME() AS b ON b.id = a.k",
	} {
		if s := signature(t, w, q); s != "" {
			t.Errorf("it can be shared: %s", q)
		}
	}
}
