package engine

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestBacklogIsReadFromTheLog: a view for which more rows wait than memory may
// hold gets them from the log, each once.
func TestBacklogIsReadFromTheLog(t *testing.T) {
	h := open(t, Config{BacklogRows: 5})
	h.exec(`CREATE DATABASE d; CREATE STREAM TABLE s (k INT, v INT); CREATE TABLE t (k INT PRIMARY KEY, name VARCHAR(9));
		INSERT INTO t VALUES (0, 'a'), (1, 'b'), (2, 'c');
		CREATE MATERIALIZED VIEW a AS SELECT s.k, t.name, SUM(v) AS total, COUNT(*) AS n FROM s LEFT JOIN t ON t.k = s.k GROUP BY s.k, t.name;
		CREATE MATERIALIZED VIEW b AS SELECT SUM(n) AS n FROM a`)
	var wg sync.WaitGroup
	var last sync.Mutex
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			own := &harness{t: t, e: h.e}
			for i := range 25 {
				rows := make([]string, 10)
				for k := range rows {
					rows[k] = fmt.Sprintf("(%d, %d)", k%3, w+i)
				}
				if err := own.try("INSERT INTO s VALUES " + strings.Join(rows, ", ")); err != nil {
					t.Error(err)
					return
				}
			}
			last.Lock()
			h.pos = max(h.pos, own.pos)
			last.Unlock()
		}()
	}
	wg.Wait()
	// 8 writers × 25 statements × 10 rows of w+i: the sum over w and i is 8·300 + 25·28 = 3100 a row.
	h.want(`SELECT * FROM a ORDER BY k`, "0 a 12400 800; 1 b 9300 600; 2 c 9300 600")
	h.want(`SELECT n FROM b`, "2000")
	if h.e.logReads.Load() == 0 {
		t.Error("no batch was read from the log: the test shows nothing")
	}
}
