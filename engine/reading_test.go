package engine

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// beside runs f again and again, with a session of its own, until the returned
// function is called, which waits for its end.
func (h *harness) beside(f func(s *harness, i int) error) (stop func()) {
	var ended atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		s := &harness{t: h.t, e: h.e}
		for i := 0; !ended.Load(); i++ {
			if err := f(s, i); err != nil {
				h.t.Error(err)
				return
			}
		}
	})
	return func() {
		ended.Store(true)
		wg.Wait()
	}
}

// Views of different depth and cost, and tables, are read at one batch, whatever is
// written and made beside: the money that moves between accounts is never missing in
// one view and there in another.
func TestOneSelectReadsOneBatch(t *testing.T) {
	h := open(t, Config{CheckpointEvery: 50 * time.Millisecond})
	h.exec(`
CREATE DATABASE d;
CREATE STREAM TABLE moves (k INT NOT NULL, v INT NOT NULL);
CREATE TABLE marks (id INT PRIMARY KEY, n INT);
INSERT INTO marks VALUES (1, 0);
CREATE MATERIALIZED VIEW per_k AS SELECT k, SUM(v) AS total, COUNT(*) AS n FROM moves GROUP BY k;
CREATE MATERIALIZED VIEW n_total AS SELECT SUM(total) AS total, SUM(n) AS n FROM per_k;
CREATE MATERIALIZED VIEW pairs AS SELECT a.k, COUNT(*) AS n FROM moves AS a JOIN per_k AS b ON a.k = b.k GROUP BY a.k;
CREATE MATERIALIZED VIEW n_pairs AS SELECT SUM(n) AS n FROM pairs;
CREATE MATERIALIZED VIEW mark AS SELECT n FROM marks`)
	var moved atomic.Int64
	stopWriter := h.beside(func(s *harness, i int) error {
		tx, err := s.e.Begin()
		if err != nil {
			return err
		}
		s.tx = tx
		for _, q := range []string{fmt.Sprintf("INSERT INTO moves VALUES (%d, %d), (%d, %d)", i%7, i, (i+3)%7, -i), "UPDATE marks SET n = n + 2"} {
			if err := s.try(q); err != nil {
				return err
			}
		}
		s.tx = nil
		moved.Add(1)
		_, err = tx.Commit(t.Context())
		return err
	})
	stopDDL := h.beside(func(s *harness, i int) error {
		if err := s.try(fmt.Sprintf("CREATE MATERIALIZED VIEW extra%d AS SELECT total, COUNT(*) AS n FROM per_k GROUP BY total", i)); err != nil {
			return err
		}
		return s.try(fmt.Sprintf("DROP MATERIALIZED VIEW extra%d", i))
	})
	reader := &harness{t: t, e: h.e}
	reads, seen := 0, map[string]bool{}
	for begin := time.Now(); reads < 200 && time.Since(begin) < 20*time.Second; reads++ {
		got := reader.query(`SELECT a.total, a.n, b.n, m.n, x.n, (SELECT COUNT(*) FROM moves) FROM n_total AS a
			JOIN n_pairs AS b ON TRUE JOIN marks AS m ON TRUE JOIN mark AS x ON TRUE`)
		f := strings.Fields(got)
		if len(f) != 6 {
			t.Fatalf("read %d: %s", reads, got)
		}
		if f[0] != "0" && f[0] != "NULL" {
			t.Errorf("the money in all accounts is %s", f[0])
		}
		for _, x := range f[2:] {
			if f[1] != "NULL" && x != f[1] {
				t.Fatalf("not of one batch: %s", got)
			}
		}
		seen[got] = true
	}
	stopWriter()
	stopDDL()
	if len(seen) < 3 {
		t.Errorf("%d reads saw %d states of %d", reads, len(seen), moved.Load())
	}
}

// A view that is made while others write has each row once, and can be dropped
// while it is being filled; one whose filling a crash ends is filled again.
func TestFillingUnderLoad(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(`
CREATE DATABASE d;
CREATE STREAM TABLE s (k INT NOT NULL, v INT NOT NULL);
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)`)
	values := strings.TrimSuffix(strings.Repeat("(1, 1), (2, 2), (3, 3), ", 700), ", ")
	for range 10 {
		h.exec("INSERT INTO s VALUES " + values)
	}
	stop := h.beside(func(s *harness, i int) error {
		return s.try(fmt.Sprintf("INSERT INTO s VALUES (%d, 1)", i%5))
	})
	for i := range 6 {
		h.exec(fmt.Sprintf("CREATE MATERIALIZED VIEW v%d AS SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s WHERE v > -%d GROUP BY k", i, i+1)) // each its own plan
		if i%3 == 1 {
			h.exec(fmt.Sprintf("DROP MATERIALIZED VIEW v%d", i)) // perhaps in the middle
		}
	}
	stop()
	h.pos = Everything
	want := h.query("SELECT k, COUNT(*), SUM(v) FROM s GROUP BY k")
	for _, i := range []int{0, 2, 3, 5} {
		h.want(fmt.Sprintf("SELECT k, n, total FROM v%d", i), want)
	}
	h.exec("CREATE MATERIALIZED VIEW last AS SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s WHERE v > -9 GROUP BY k")
	h.crash() // no checkpoint knows any of them
	h.pos = Everything
	for _, v := range []string{"v0", "v2", "v3", "v5", "last"} {
		h.want("SELECT k, n, total FROM "+v, want)
	}
	for _, st := range h.e.Status() {
		if st.State != "running" || st.FillDone != st.FillTotal || st.FillDone < 21000 {
			t.Errorf("after the filling: %+v", st)
		}
	}
}
