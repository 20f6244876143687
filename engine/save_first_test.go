package engine

import "testing"

// TestAnswersOnceSurvive: what a row met when it came, it has met for good, also
// where the server crashes before the first checkpoint that comes of itself.
func TestAnswersOnceSurvive(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(`
CREATE DATABASE d;
CREATE STREAM TABLE s (k INT NOT NULL, v INT);
CREATE TABLE prices (id INT PRIMARY KEY, price INT);
CREATE STREAM TABLE rates (id INT PRIMARY KEY, rate INT, ts DATETIME(3) NOT NULL, WATERMARK FOR ts AS ts) WITH (partitions = 1);
CREATE STREAM TABLE e (k INT NOT NULL, ts DATETIME(3) NOT NULL, WATERMARK FOR ts AS ts) WITH (partitions = 1);
INSERT INTO prices VALUES (1, 10);
INSERT INTO s VALUES (1, 0);
INSERT INTO rates VALUES (1, 5, '2024-01-01 00:00:00');
CREATE MATERIALIZED VIEW priced AS SELECT s.v, p.price FROM s LEFT JOIN prices FOR SYSTEM_TIME AS OF PROCTIME() AS p ON p.id = s.k;
CREATE MATERIALIZED VIEW rated AS SELECT e.ts, r.rate FROM e LEFT JOIN rates FOR SYSTEM_TIME AS OF e.ts AS r ON r.id = e.k;
CREATE MATERIALIZED VIEW stamped AS SELECT v, NOW(6) AS at FROM s;
CREATE MATERIALIZED VIEW sums AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s VALUES (1, 1);
UPDATE prices SET price = 20;
INSERT INTO s VALUES (1, 2);
INSERT INTO e VALUES (1, '2024-01-01 00:00:01');
INSERT INTO rates VALUES (1, 7, '2024-01-01 00:01:00');
INSERT INTO e VALUES (1, '2024-01-01 00:01:30')`)
	h.want(`SELECT * FROM priced ORDER BY v`, "0 10; 1 10; 2 20")
	h.want(`SELECT rate FROM rated ORDER BY ts`, "5")
	h.want(`SELECT n FROM sums`, "3")
	stamps := h.query(`SELECT * FROM stamped ORDER BY v`)
	for range 2 {
		h.crash()
		h.want(`SELECT * FROM priced ORDER BY v`, "0 10; 1 10; 2 20")
		h.want(`SELECT rate FROM rated ORDER BY ts`, "5")
		h.want(`SELECT * FROM stamped ORDER BY v`, stamps)
		h.want(`SELECT n FROM sums`, "3")
	}
	// Begun anew, a view meets what is there now, and then stays with that.
	h.exec(`RESTART CONTINUOUS QUERY priced`)
	h.exec(`UPDATE prices SET price = 30`)
	h.want(`SELECT * FROM priced ORDER BY v`, "0 20; 1 20; 2 20")
	h.crash()
	h.want(`SELECT * FROM priced ORDER BY v`, "0 20; 1 20; 2 20")
}
