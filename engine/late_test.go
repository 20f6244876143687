package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

const late = `
CREATE DATABASE d;
CREATE STREAM TABLE b (ts DATETIME(3), k INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECOND) WITH (partitions = 2);
CREATE MATERIALIZED VIEW w WITH (late_rows = 'kept', allowed_lateness = '1 s') AS
  SELECT window_start, COUNT(*) AS n, SUM(k) AS s FROM TUMBLE(b, ts, INTERVAL 5 SECOND) GROUP BY window_start;
`

// lateModel is what a stream's partitions take for late: rows in log order.
type lateModel struct {
	marks   []int64
	known   []bool
	windows map[int64][2]int // start → rows, sum
	late    []string
}

// row takes in a row with time at (seconds) in a partition.
func (m *lateModel) row(part int, at int64, k int) {
	start := at / 5 * 5
	if m.known[part] && start+5+1 <= m.marks[part] {
		m.late = append(m.late, fmt.Sprintf("%s %d", clockText(at), k))
	} else {
		w := m.windows[start]
		m.windows[start] = [2]int{w[0] + 1, w[1] + k}
	}
	if mark := at - 2; !m.known[part] || mark > m.marks[part] {
		m.marks[part], m.known[part] = mark, true
	}
}

func clockText(at int64) string {
	return time.Unix(1704067200+at, 0).UTC().Format("2006-01-02 15:04:05.000")
}

// TestLateRowsAreExact: a third of the rows in disorder, over two partitions, with
// batches, checkpoints and crashes anywhere: the windows hold just the rows that
// were in time, late rows are counted and each is kept once.
func TestLateRowsAreExact(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 9))
		h := open(t, Config{CheckpointEvery: byHand})
		h.exec(late)
		m := &lateModel{marks: make([]int64, 2), known: make([]bool, 2), windows: map[int64][2]int{}}
		turn, now := 0, int64(10)
		for range 50 {
			switch r.IntN(8) {
			case 0:
				h.round()
			case 1:
				h.crash()
				turn = 0
			case 2:
				h.query(`SELECT * FROM w`)
			}
			var rows []string
			for range 1 + r.IntN(5) {
				now += int64(r.IntN(3))
				at := now
				if r.IntN(3) == 0 {
					at = max(now-int64(r.IntN(20)), 0)
				}
				k := r.IntN(9)
				m.row(turn, at, k)
				rows = append(rows, fmt.Sprintf("('%s', %d)", clockText(at), k))
			}
			turn = (turn + 1) % 2
			h.exec(`INSERT INTO b VALUES ` + strings.Join(rows, ", "))
		}
		h.crash()
		check := func(when string) {
			t.Helper()
			var want []string
			for start, w := range m.windows {
				want = append(want, fmt.Sprintf("%s %d %d", clockText(start), w[0], w[1]))
			}
			sort.Strings(want)
			h.want(`SELECT * FROM w`, strings.Join(want, "; "))
			if _, err := h.e.Flush(t.Context(), nil, 20*time.Second); err != nil {
				t.Fatal(err)
			}
			kept := slices.Clone(m.late)
			sort.Strings(kept)
			h.want(`SELECT * FROM kept`, strings.Join(kept, "; "))
			if l := h.e.Late(); len(l) != 1 || l[0].Rows != int64(len(kept)) {
				t.Errorf("%s: counted %v, %d rows were late", when, l, len(kept))
			}
			if t.Failed() {
				t.Fatalf("seed %d, %s", seed, when)
			}
		}
		check("at the end")
		h.round()
		h.crash()
		check("after a restart")
	}
}

// TestLateRowsOfAViewFilledAnew: without a checkpoint a view finds the late rows
// of its history again, and does not write them twice.
func TestLateRowsOfAViewFilledAnew(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(late + `INSERT INTO b VALUES ('2024-01-01 00:00:30', 1), ('2024-01-01 00:00:01', 2), ('2024-01-01 00:00:01', 2)`)
	flush := func() {
		t.Helper()
		if _, err := h.e.Flush(t.Context(), nil, 20*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	flush()
	const two = "2024-01-01 00:00:01.000 2; 2024-01-01 00:00:01.000 2"
	h.want(`SELECT * FROM kept`, two)
	h.crash()
	flush()
	h.want(`SELECT * FROM kept`, two)
	h.exec(`INSERT INTO b VALUES ('2024-01-01 00:00:02', 3)`) // partition 0 again
	flush()
	h.want(`SELECT * FROM kept`, two+"; 2024-01-01 00:00:02.000 3")
	h.crash()
	flush()
	h.want(`SELECT * FROM kept`, two+"; 2024-01-01 00:00:02.000 3")
	if l := h.e.Late(); len(l) != 1 || l[0].Rows != 3 {
		t.Errorf("counted %v", l)
	}
}

// TestRetractedLateRow: of an upsert stream a late row that is replaced counts no more.
func TestRetractedLateRow(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(`CREATE DATABASE d;
CREATE STREAM TABLE u (id INT PRIMARY KEY, ts DATETIME, WATERMARK FOR ts AS ts) WITH (partitions = 1);
CREATE MATERIALIZED VIEW w AS SELECT window_start, COUNT(*) AS n FROM TUMBLE(u, ts, INTERVAL 10 SECOND) GROUP BY window_start;
INSERT INTO u VALUES (1, '2024-01-01 00:00:30'), (2, '2024-01-01 00:00:01'), (3, '2024-01-01 00:00:02')`)
	counts := func(want int64) {
		t.Helper()
		h.query(`SELECT * FROM w`)
		n := int64(0)
		for _, l := range h.e.Late() {
			n += l.Rows
		}
		if n != want {
			t.Errorf("%d late rows, want %d", n, want)
		}
	}
	counts(2)
	h.exec(`INSERT INTO u VALUES (2, '2024-01-01 00:00:35')`)
	counts(1)
	h.round()
	h.exec(`INSERT INTO u VALUES (1, '2024-01-01 00:01:00')`) // its window has passed meanwhile: it was in time when it came
	h.want(`SELECT * FROM w`, "2024-01-01 00:00:30 1; 2024-01-01 00:01:00 1")
	h.crash()
	counts(1)
	h.exec(`DELETE FROM u WHERE id = 3`)
	counts(0)
	h.want(`SELECT * FROM w`, "2024-01-01 00:00:30 1; 2024-01-01 00:01:00 1")
}

// TestDisorderWithinTheDelay: what comes in disorder, but within the delay, is as
// good as sorted, over partitions some of which are idle now and then.
func TestDisorderWithinTheDelay(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(`CREATE DATABASE d;
CREATE STREAM TABLE b (ts DATETIME(3), k INT, WATERMARK FOR ts AS ts - INTERVAL 8 SECOND) WITH (partitions = 3, idle_timeout = '20 ms');
CREATE MATERIALIZED VIEW w AS SELECT window_start, COUNT(*) AS n, SUM(k) AS s FROM TUMBLE(b, ts, INTERVAL 5 SECOND) GROUP BY window_start;
CREATE MATERIALIZED VIEW o AS SELECT window_start, COUNT(*) AS n, SUM(k) AS s FROM TUMBLE(b, ts, INTERVAL 5 SECOND) GROUP BY window_start EMIT ON WINDOW CLOSE`)
	windows := map[int64][2]int{}
	now := int64(10)
	for range 60 {
		var rows []string
		for range 1 + r.IntN(4) {
			now += int64(r.IntN(3))
			at := now
			if r.IntN(3) == 0 {
				at -= int64(r.IntN(8))
			}
			k := r.IntN(9)
			w := windows[at/5*5]
			windows[at/5*5] = [2]int{w[0] + 1, w[1] + k}
			rows = append(rows, fmt.Sprintf("('%s', %d)", clockText(at), k))
		}
		h.exec(`INSERT INTO b VALUES ` + strings.Join(rows, ", "))
		if r.IntN(6) == 0 {
			time.Sleep(30 * time.Millisecond) // what a partition has to sleep through
		}
		if r.IntN(15) == 0 {
			h.crash()
		}
	}
	var want []string
	for start, w := range windows {
		want = append(want, fmt.Sprintf("%s %d %d", clockText(start), w[0], w[1]))
	}
	sort.Strings(want)
	h.want(`SELECT * FROM w`, strings.Join(want, "; "))
	if l := h.e.Late(); len(l) != 0 {
		t.Errorf("late: %v", l)
	}
	over := strings.Split(h.query(`SELECT * FROM o`), "; ")
	if len(over) < 5 || !slices.Equal(over, want[:len(over)]) {
		t.Errorf("given for good:\n%v\nwant the first of\n%v", over, want)
	}
}
