package main

import (
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"
)

// hugeChange measures what a change of three million rows at once, into views that
// keep them in order, does to the others: how long the longest quantum of a worker
// was, and how long a row took at most from INSERT to being seen in another view.
func hugeChange(rows int) func(o options) ([]string, error) {
	return func(options) ([]string, error) {
		var lines []string
		for _, v := range []struct{ name, query string }{
			{"MAX", `SELECT x.g % 1000 AS k, MAX(x.v) AS m, MIN(x.v) AS l FROM big x JOIN lever y ON x.one = y.one GROUP BY x.g % 1000`},
			{"top-N", `SELECT g, v FROM (SELECT x.g, x.v, ROW_NUMBER() OVER (ORDER BY x.v DESC, x.g) AS r FROM big x JOIN lever y ON x.one = y.one) t WHERE r <= 100`},
			{"OVER", `SELECT x.g, x.v, SUM(x.v) OVER (ORDER BY x.g ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS s FROM big x JOIN lever y ON x.one = y.one`},
			{"rows", `SELECT x.g, x.v FROM big x JOIN lever y ON x.one = y.one`},
		} {
			line, err := hugeChangeInto(rows, v.query)
			if err != nil {
				return lines, fmt.Errorf("%s: %w", v.name, err)
			}
			lines = append(lines, fmt.Sprintf("%-6s %s", v.name, line))
		}
		return lines, nil
	}
}

func hugeChangeInto(rows int, query string) (string, error) {
	n, err := start(2)
	if err != nil {
		return "", err
	}
	defer n.stop()
	for _, s := range []string{
		`CREATE STREAM TABLE big (one BIGINT NOT NULL, g BIGINT NOT NULL, v BIGINT NOT NULL)`,
		`CREATE TABLE lever (one BIGINT NOT NULL PRIMARY KEY)`,
		`CREATE STREAM TABLE small (k BIGINT NOT NULL)`,
		`CREATE MATERIALIZED VIEW other AS SELECT k, COUNT(*) AS n FROM small GROUP BY k`,
		`CREATE MATERIALIZED VIEW w AS ` + query,
		fmt.Sprintf(`INSERT INTO big WITH RECURSIVE d (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM d WHERE i < 999)
			SELECT 1, a.i * 1000 + b.i + c.i * 1000000, (a.i * 1000 + b.i) * 7919 %% 1000003 FROM d a, d b, d c WHERE c.i < %d`, rows/1_000_000),
	} {
		if err := n.exec(s); err != nil {
			return "", err
		}
	}
	if err := n.settle(); err != nil {
		return "", err
	}
	probe := &stall{}
	db, err := n.connect("b")
	if err != nil {
		return "", err
	}
	defer db.Close()
	go probe.run(db)
	time.Sleep(500 * time.Millisecond)
	calm := probe.worst.Swap(0)
	n.eng.LongestQuantum()
	line := ""
	for _, change := range []string{`INSERT INTO lever VALUES (1)`, `DELETE FROM lever`} {
		begin := time.Now()
		if err := n.exec(change); err != nil {
			return "", err
		}
		if err := n.settle(); err != nil {
			return "", err
		}
		line += fmt.Sprintf("%s: %.1f s, others wait %d ms at most, longest quantum %.1f ms; ", change[:6], time.Since(begin).Seconds(),
			time.Duration(probe.worst.Swap(0)).Milliseconds(), n.eng.LongestQuantum().Seconds()*1e3)
	}
	probe.stop.Store(true)
	return fmt.Sprintf("%s(calm: %d ms)", line, time.Duration(calm).Milliseconds()), probe.err
}

// settle waits until view w has taken in what there is, a second at least.
func (n *node) settle() error {
	var got int
	for begin := time.Now(); got == 0 || time.Since(begin) < time.Second; time.Sleep(20 * time.Millisecond) {
		if err := n.db.QueryRow(`SELECT COUNT(*) FROM streamsql.jobs WHERE name = 'w' AND behind_batches = 0`).Scan(&got); err != nil {
			return err
		}
	}
	return nil
}

// stall measures how long single rows take until they are seen.
type stall struct {
	worst atomic.Int64 // ns
	stop  atomic.Bool
	err   error
}

func (p *stall) run(db *sql.DB) {
	for k := 0; !p.stop.Load(); k++ {
		begin := time.Now()
		if _, p.err = db.Exec(fmt.Sprintf(`INSERT INTO small VALUES (%d)`, k)); p.err != nil {
			return
		}
		var n int
		if p.err = db.QueryRow(fmt.Sprintf(`SELECT n FROM other WHERE k = %d`, k)).Scan(&n); p.err != nil {
			return
		}
		took := int64(time.Since(begin))
		for old := p.worst.Load(); took > old && !p.worst.CompareAndSwap(old, took); old = p.worst.Load() {
		}
		time.Sleep(2 * time.Millisecond)
	}
}
