package engine

import "testing"

const sellers = `
CREATE DATABASE d;
CREATE STREAM TABLE trades (seller BIGINT NOT NULL, buyer BIGINT, amount DECIMAL(12,2));
CREATE MATERIALIZED VIEW sales AS SELECT seller, SUM(amount) AS total, COUNT(*) AS n FROM trades GROUP BY seller;
CREATE MATERIALIZED VIEW bucket AS SELECT FLOOR(total/10) AS b, COUNT(*) AS sellers FROM sales GROUP BY FLOOR(total/10);
`

// TestRetractionThroughViews is the example that all of this is for: seller 11
// moves from one bucket to another, and leaves the first.
func TestRetractionThroughViews(t *testing.T) {
	h := open(t, Config{})
	h.exec(sellers)
	h.exec(`INSERT INTO trades VALUES (11, 1, 5.00), (12, 2, 31.50)`)
	h.want(`SELECT * FROM bucket ORDER BY b`, "0 1; 3 1")
	h.exec(`INSERT INTO trades VALUES (11, 3, 16.00)`)
	h.want(`SELECT * FROM bucket ORDER BY b`, "2 1; 3 1")
	h.want(`SELECT seller, total, n FROM sales`, "11 21.00 2; 12 31.50 1")
	h.want(`SELECT COUNT(*), SUM(amount) FROM trades`, "3 52.50")
}

func TestRestartKeepsEverything(t *testing.T) {
	h := open(t, Config{})
	h.exec(sellers)
	h.exec(`CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10)); INSERT INTO t VALUES (1, 'a'), (2, 'b')`)
	h.exec(`INSERT INTO trades VALUES (11, 1, 5.00), (12, 2, 31.50)`)
	for range 3 {
		h.reopen()
		h.want(`SELECT * FROM bucket ORDER BY b`, "0 1; 3 1")
		h.want(`SELECT * FROM t ORDER BY id`, "1 a; 2 b")
	}
	h.exec(`INSERT INTO trades VALUES (11, 3, 16.00); UPDATE t SET name = 'c' WHERE id = 2; DELETE FROM t WHERE id = 1`)
	h.want(`SELECT * FROM bucket ORDER BY b`, "2 1; 3 1")
	h.reopen()
	h.want(`SELECT * FROM bucket ORDER BY b`, "2 1; 3 1")
	h.want(`SELECT * FROM t`, "2 c")
}

func TestViewOverHistory(t *testing.T) {
	h := open(t, Config{})
	h.exec(`CREATE DATABASE d; CREATE STREAM TABLE s (a INT); CREATE TABLE t (id INT PRIMARY KEY, a INT)`)
	h.exec(`INSERT INTO s VALUES (1), (1), (2); INSERT INTO t VALUES (1, 10), (2, 20)`)
	h.exec(`CREATE MATERIALIZED VIEW v AS SELECT s.a, COUNT(*) AS n, MIN(t.a) AS m FROM s LEFT JOIN t ON t.id = s.a GROUP BY s.a`)
	h.want(`SELECT * FROM v`, "1 2 10; 2 1 20")
	h.exec(`DELETE FROM t WHERE id = 1; INSERT INTO s VALUES (3)`)
	h.want(`SELECT * FROM v`, "1 2 NULL; 2 1 20; 3 1 NULL")
	h.exec(`CREATE MATERIALIZED VIEW w AS SELECT SUM(n) AS total FROM v`)
	h.want(`SELECT * FROM w`, "4")
	h.exec(`INSERT INTO s VALUES (3)`)
	h.want(`SELECT * FROM w`, "5")
}

func TestGlobalAggregateOverNothing(t *testing.T) {
	h := open(t, Config{})
	h.exec(`CREATE DATABASE d; CREATE TABLE t (id INT PRIMARY KEY); CREATE MATERIALIZED VIEW v AS SELECT COUNT(*), SUM(id) FROM t`)
	h.want(`SELECT * FROM v`, "0 NULL")
	h.exec(`INSERT INTO t VALUES (1), (2)`)
	h.want(`SELECT * FROM v`, "2 3")
	h.exec(`DELETE FROM t`)
	h.want(`SELECT * FROM v`, "0 NULL")
	h.want(`SELECT COUNT(*), SUM(id) FROM t`, "0 NULL")
}

func TestTransactions(t *testing.T) {
	h := open(t, Config{})
	h.exec(`CREATE DATABASE d; CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1), (2, 2)`)
	h.exec(`CREATE MATERIALIZED VIEW s AS SELECT SUM(v) AS s FROM t`)
	a, _ := h.e.Begin()
	h.tx = a
	h.exec(`UPDATE t SET v = v + 10 WHERE id = 1`)
	h.want(`SELECT * FROM t ORDER BY id`, "1 11; 2 2")
	h.tx = nil
	h.want(`SELECT * FROM t ORDER BY id`, "1 1; 2 2")
	h.exec(`UPDATE t SET v = 5 WHERE id = 1`)
	if _, err := a.Commit(t.Context()); err == nil || err.Error()[:8] != "Deadlock" {
		t.Errorf("the second committer of a row must lose, got %v", err)
	}
	h.want(`SELECT * FROM s`, "7")
	if err := h.try(`INSERT INTO t VALUES (3, 3), (1, 9)`); err == nil || err.Error() != "Duplicate entry '1' for key 't.PRIMARY'" {
		t.Errorf("got %v", err)
	}
	h.want(`SELECT COUNT(*) FROM t`, "2")
	h.exec(`REPLACE INTO t VALUES (1, 7), (4, 4); INSERT INTO t VALUES (4, 1), (5, 1) ON DUPLICATE KEY UPDATE v = v + VALUES(v)`)
	h.want(`SELECT * FROM t ORDER BY id`, "1 7; 2 2; 4 5; 5 1")
	h.want(`SELECT * FROM s`, "15")
}

// TestLookUpByKey reads single rows by key, from a served Merge, a view of its
// own, a table, and a table with a transaction's own writes over it.
func TestLookUpByKey(t *testing.T) {
	h := open(t, Config{})
	h.exec(`CREATE DATABASE d; CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, d DECIMAL(10,2), day DATE);
		INSERT INTO t VALUES (1, 1.50, '2026-01-01'), (2, 2.50, '2026-01-02'), (3, 2.50, '2026-01-02');
		CREATE MATERIALIZED VIEW served AS SELECT COUNT(*) AS n, day, d FROM t GROUP BY d, day;
		CREATE MATERIALIZED VIEW own AS SELECT d, SUM(id) + 1 AS s FROM t GROUP BY d`)
	h.want(`SELECT n FROM served WHERE d = 2.5 AND day = '2026-01-02'`, "2")
	h.want(`SELECT n FROM served WHERE day = DATE '2026-01-01' AND d = 1.5`, "1")
	h.want(`SELECT n FROM served WHERE day = '2026-01-01' AND d = 2.5`, "")
	h.want(`SELECT s FROM own WHERE 2.50 = d`, "6")
	h.want(`SELECT d FROM t WHERE id = 1`, "1.50")
	h.want(`SELECT d FROM t WHERE id = -1`, "")
	h.want(`SELECT d FROM t WHERE id = 1 AND id = 2`, "")
	h.want(`SELECT a.d, b.d FROM t a JOIN t b ON b.id = a.id + 1 WHERE a.id = 1`, "1.50 2.50")
	h.tx, _ = h.e.Begin()
	h.exec(`UPDATE t SET d = 9 WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (7, 7, NULL)`)
	h.want(`SELECT d FROM t WHERE id = 1`, "9.00")
	h.want(`SELECT d FROM t WHERE id = 2`, "")
	h.want(`SELECT d FROM t WHERE id = 7`, "7.00")
	h.tx.Rollback()
	h.tx = nil
	h.exec(`DELETE FROM t WHERE id = 1`)
	h.want(`SELECT n FROM served WHERE d = 1.5 AND day = '2026-01-01'`, "")
	h.want(`SELECT d FROM t WHERE id = 1`, "")
}
