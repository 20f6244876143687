package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// closing are views over the upsert streams a and b that forget by the window, and what
// they must show whatever a batch holds.
var closing = []struct{ name, query string }{
	{"counts", `SELECT window_start, COUNT(*) AS n, SUM(v) AS s FROM TUMBLE(a, ts, INTERVAL 10 SECOND) GROUP BY window_start`},
	{"hops", `SELECT window_start, COUNT(DISTINCT v) AS n FROM HOP(a, ts, INTERVAL 4 SECOND, INTERVAL 12 SECOND) GROUP BY window_start, window_end`},
	{"last", `SELECT window_start, MAX(v) AS m FROM CUMULATE(a, ts, INTERVAL 5 SECOND, INTERVAL 10 SECOND) GROUP BY window_start, window_end EMIT ON WINDOW CLOSE`},
	{"seen", `SELECT DISTINCT window_start, v FROM TUMBLE(a, ts, INTERVAL 10 SECOND)`},
	{"ranks", `SELECT window_start, id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start ORDER BY v, id) AS r FROM TUMBLE(a, ts, INTERVAL 10 SECOND)) x WHERE r <= 2`},
	{"sums", `SELECT window_end, id, SUM(v) OVER (PARTITION BY window_end ORDER BY id) AS s FROM TUMBLE(a, ts, INTERVAL 10 SECOND)`},
	{"sessions", `SELECT window_start, window_end, COUNT(*) AS n FROM SESSION(a, ts, INTERVAL 2 SECOND) GROUP BY window_start, window_end`},
	{"pairs", `SELECT x.window_start, x.id, y.id AS other FROM TUMBLE(a, ts, INTERVAL 10 SECOND) x JOIN TUMBLE(b, ts, INTERVAL 10 SECOND) y ON x.window_start = y.window_start AND x.v = y.v`},
	{"padded", `SELECT x.window_end, x.id, x.v, y.id AS other FROM TUMBLE(a, ts, INTERVAL 10 SECOND) x LEFT JOIN TUMBLE(b, ts, INTERVAL 10 SECOND) y ON x.window_end = y.window_end AND x.v > y.v`},
	{"either", `SELECT x.id, x.v, y.id AS other FROM TUMBLE(a, ts, INTERVAL 10 SECOND) x FULL JOIN TUMBLE(b, ts, INTERVAL 10 SECOND) y ON x.window_start = y.window_start AND x.window_end = y.window_end AND x.v = y.v`},
	{"met", `SELECT window_start, id FROM TUMBLE(a, ts, INTERVAL 10 SECOND) x WHERE (window_start, v) IN (SELECT window_start, v FROM TUMBLE(b, ts, INTERVAL 10 SECOND) y)`},
	{"unmet", `SELECT window_start, id, v FROM TUMBLE(a, ts, INTERVAL 10 SECOND) x WHERE NOT EXISTS (SELECT 1 FROM TUMBLE(b, ts, INTERVAL 10 SECOND) y WHERE y.window_start = x.window_start AND y.v >= x.v)`},
	{"joined", `SELECT x.window_start, COUNT(*) AS n, SUM(y.v) AS s FROM TUMBLE(a, ts, INTERVAL 10 SECOND) x JOIN TUMBLE(b, ts, INTERVAL 10 SECOND) y ON x.window_start = y.window_start AND x.window_end = y.window_end GROUP BY x.window_start EMIT ON WINDOW CLOSE`},
}

// TestClosedWindowsAnyCut: what windows over upsert streams show when they are over
// does not depend on where batches end. One engine makes a batch of each statement, the
// other of a transaction of several.
func TestClosedWindowsAnyCut(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		each, few := open(t, Config{CheckpointEvery: byHand}), open(t, Config{CheckpointEvery: byHand})
		for _, h := range []*harness{each, few} {
			h.exec(fmt.Sprintf(`CREATE DATABASE d;
CREATE STREAM TABLE a (id INT PRIMARY KEY, ts DATETIME, v INT, WATERMARK FOR ts AS ts - INTERVAL 3 SECOND) WITH (partitions = %d);
CREATE STREAM TABLE b (id INT PRIMARY KEY, ts DATETIME, v INT, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) WITH (partitions = 1)`, 1+seed%2))
			for _, v := range closing {
				h.exec(`CREATE MATERIALIZED VIEW ` + v.name + ` AS ` + v.query)
			}
		}
		now := int64(20)
		for range 15 {
			tx, err := few.e.Begin()
			if err != nil {
				t.Fatal(err)
			}
			few.tx = tx
			changed := map[string]bool{} // of a row only the last change is logged
			for range 1 + r.IntN(8) {
				now += r.Int64N(4)
				stream, id, at := [...]string{"a", "b"}[r.IntN(2)], r.IntN(8), now-r.Int64N(9)
				row := fmt.Sprint(stream, id)
				if changed[row] {
					continue
				}
				changed[row] = true
				change := fmt.Sprintf(`REPLACE INTO %s VALUES (%d, '%s', %d)`, stream, id, clockText(at), r.IntN(5))
				if r.IntN(6) == 0 {
					change = fmt.Sprintf(`DELETE FROM %s WHERE id = %d`, stream, id)
				}
				each.exec(change)
				for _, v := range closing {
					each.query(`SELECT * FROM ` + v.name)
				}
				few.exec(change)
			}
			pos, err := few.tx.Commit(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			few.pos, few.tx = max(few.pos, pos), nil
			for _, v := range closing {
				few.want(`SELECT * FROM `+v.name, each.query(`SELECT * FROM `+v.name))
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
