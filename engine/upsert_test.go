package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"streamsql/catalog"
	"streamsql/sql/sqlerr"
)

const levels = `
CREATE DATABASE d;
CREATE STREAM TABLE u (id INT PRIMARY KEY, v INT, ts DATETIME(3), WATERMARK FOR ts AS ts) WITH (partitions = 2);
`

// TestUpsertSystemColumns: a row is taken back with the watermark and arrival that
// it came with, whatever passed meanwhile; the view would notice another row.
func TestUpsertSystemColumns(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(levels)
	plan := h.systemPlan("u", 0, 1, catalog.WatermarkColumn, catalog.ArrivalColumn)
	h.view("live", plan)
	same := func(when string) {
		t.Helper()
		if view, once := h.viewText("live"), h.once(plan); view != once {
			t.Errorf("%s, view:\n%s\none-off:\n%s", when, view, once)
		}
	}
	h.exec(`
INSERT INTO u VALUES (1, 1, '2024-01-01 00:00:10'), (2, 1, '2024-01-01 00:00:20'), (3, 1, NULL), (4, 1, '2024-01-01 00:00:05');
INSERT INTO u VALUES (1, 2, '2024-01-01 00:00:30');
DELETE FROM u WHERE id = 2;
INSERT INTO u VALUES (4, 2, '2024-01-01 00:00:01'), (4, 3, '2024-01-01 00:00:40'), (5, 1, NULL);
UPDATE u SET v = v + 10 WHERE id = 3`)
	same("live")
	h.want(`SELECT * FROM u`, "1 2 2024-01-01 00:00:30.000; 3 11 NULL; 4 3 2024-01-01 00:00:40.000; 5 1 NULL")
	h.want(`SELECT COUNT(DISTINCT `+"`c-2`"+`), MAX(`+"`c-2`"+`) FROM live`, "4 8")
	h.crash()
	same("after a crash")
	h.round()
	h.view("late", plan)
	if got := h.viewText("late"); got != h.viewText("live") {
		t.Errorf("filled from history:\n%s", got)
	}
	h.exec(`INSERT INTO u VALUES (1, 3, '2024-01-01 00:01:00'), (6, 1, '2024-01-01 00:01:00'); DELETE FROM u WHERE id = 4`)
	first := h.once(plan)
	h.crash()
	same("after a crash behind a checkpoint")
	if got := h.once(plan); got != first {
		t.Errorf("after the crash:\n%s\nbefore:\n%s", got, first)
	}
	h.exec(`INSERT INTO u VALUES (1, 4, NULL)`)
	h.want(`SELECT c1, `+"`c-1`, `c-2`"+` FROM live WHERE c0 = 1`, "4 2024-01-01 00:01:00.000 11")
}

// TestUpsertStatements: what statements count, and what a transaction sees.
func TestUpsertStatements(t *testing.T) {
	h := open(t, Config{})
	h.exec(`CREATE DATABASE d; CREATE STREAM TABLE u (id INT PRIMARY KEY, v INT);
CREATE MATERIALIZED VIEW m AS SELECT COUNT(*) AS n, SUM(v) AS s FROM u;
INSERT INTO u VALUES (1, 10), (2, 20), (3, 30)`)
	begin := func() {
		t.Helper()
		var err error
		if h.tx, err = h.e.Begin(); err != nil {
			t.Fatal(err)
		}
	}
	commit := func() error {
		pos, err := h.tx.Commit(t.Context())
		h.tx, h.pos = nil, max(h.pos, pos)
		return err
	}
	begin()
	h.exec(`INSERT INTO u VALUES (1, 11), (4, 40); DELETE FROM u WHERE id = 1 OR id = 4; INSERT INTO u VALUES (5, 50)`)
	h.want(`SELECT * FROM u`, "2 20; 3 30; 5 50")
	if err := commit(); err != nil {
		t.Fatal(err)
	}
	h.want(`SELECT * FROM u`, "2 20; 3 30; 5 50") // deleting what the same transaction had put blindly deletes what was there
	h.want(`SELECT * FROM m`, "3 100")
	begin()
	h.exec(`INSERT INTO u VALUES (2, 21)`)
	first := h.tx
	h.tx = nil
	h.exec(`INSERT INTO u VALUES (2, 22)`)
	h.tx = first
	if err := commit(); err != nil { // an upsert replaces whatever is there
		t.Fatal(err)
	}
	h.want(`SELECT * FROM u WHERE id = 2`, "2 21")
	begin()
	h.exec(`DELETE FROM u WHERE v = 21`)
	first = h.tx
	h.tx = nil
	h.exec(`INSERT INTO u VALUES (2, 23)`)
	h.tx = first
	if err := commit(); code(err) != 1213 { // but what was read must not have changed
		t.Errorf("deleted a row that another transaction had changed: %v", err)
	}
	h.want(`SELECT * FROM m`, "3 103")
	for sql, want := range map[string]uint16{
		`UPDATE u SET id = 5 WHERE id = 2`:                                  1062,
		`INSERT INTO u VALUES (1, 1) ON DUPLICATE KEY UPDATE v = VALUES(v)`: 1235,
	} {
		if err := h.try(sql); code(err) != want {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestUpsertEqualsAMap: any statements, in any batches, with crashes.
func TestUpsertEqualsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(`CREATE DATABASE d; CREATE STREAM TABLE u (id INT PRIMARY KEY, g INT, v INT) WITH (partitions = 3);
CREATE MATERIALIZED VIEW m AS SELECT g, COUNT(*) AS n, SUM(v) AS s, MAX(v) AS hi FROM u GROUP BY g`)
	rows := map[int][2]int{}
	for range 60 {
		switch r.IntN(8) {
		case 0:
			id := r.IntN(20)
			h.exec(fmt.Sprintf(`DELETE FROM u WHERE id = %d`, id))
			delete(rows, id)
		case 1:
			h.round()
		case 2:
			h.crash()
		default:
			var values []string
			for range 1 + r.IntN(6) {
				id, g, v := r.IntN(20), r.IntN(3), r.IntN(100)
				rows[id] = [2]int{g, v}
				values = append(values, fmt.Sprintf("(%d, %d, %d)", id, g, v))
			}
			h.exec(`INSERT INTO u VALUES ` + strings.Join(values, ", "))
		}
	}
	var want []string
	for g := range 3 {
		n, sum, hi := 0, 0, 0
		for _, x := range rows {
			if x[0] == g {
				n, sum, hi = n+1, sum+x[1], max(hi, x[1])
			}
		}
		if n > 0 {
			want = append(want, fmt.Sprintf("%d %d %d %d", g, n, sum, hi))
		}
	}
	h.want(`SELECT * FROM m`, strings.Join(want, "; "))
	h.want(`SELECT COUNT(*) FROM u`, fmt.Sprint(len(rows)))
}

func code(err error) uint16 {
	if err == nil {
		return 0
	}
	return sqlerr.From(err).Code
}
