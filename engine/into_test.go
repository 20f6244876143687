package engine

import "testing"

// TestIntoThatRests: what a query has written INTO a stream is not written again after a
// crash, though the query has rested since, and the log is read from behind that on.
func TestIntoThatRests(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(`
CREATE DATABASE d;
CREATE STREAM TABLE s (k INT);
CREATE STREAM TABLE copies (k INT);
CREATE TABLE other (id INT PRIMARY KEY);
CREATE CONTINUOUS QUERY copying INTO copies AS SELECT k FROM s`)
	h.round() // it is known: what it gives away is out from here on
	h.exec(`INSERT INTO s VALUES (1), (2)`)
	for range 3 { // it rests, and the tables go on
		h.exec(`INSERT INTO other VALUES (1); DELETE FROM other`)
		h.round()
	}
	for range 2 {
		h.crash()
		h.want(`SELECT * FROM copies ORDER BY k`, "1; 2")
	}
	h.exec(`INSERT INTO s VALUES (3)`)
	h.want(`SELECT * FROM copies ORDER BY k`, "1; 2; 3")
}
