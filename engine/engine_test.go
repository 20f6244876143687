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
