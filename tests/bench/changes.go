package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// changed is a view whose one-row changes are measured. Both streams have rows
// (k, g, v, ts) with k from 0 on, g = k / 10, v = k.
type changed struct {
	name string
	view string
	// change inserts, check counts on the view afterwards.
	change func(i, rows int) string
	check  string
	want   func(rows, changes int) string
}

// insertOne adds a row to a stream, in the middle of what is there.
func insertOne(stream string) func(i, rows int) string {
	return func(i, rows int) string {
		k := spot(i, rows)
		return fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, %d)", stream, k, k/10, k)
	}
}

// spot is the i-th of 32 places in the state: what counts is the work, not that a
// larger state lies in slower memory.
func spot(i, rows int) int { return i % 32 * (rows / 32) }

var changes = []changed{
	{"group by", `SELECT g, COUNT(*) AS n, SUM(v) AS s FROM a GROUP BY g`, insertOne("a"),
		`SELECT SUM(n) FROM w`, func(rows, n int) string { return fmt.Sprint(rows + n) }},
	{"join", `SELECT a.k, b.v FROM a JOIN b ON a.k = b.k`, insertOne("a"),
		`SELECT COUNT(*) FROM w`, func(rows, n int) string { return fmt.Sprint(rows + n) }},
	{"full join", `SELECT a.k, b.v FROM a FULL JOIN b ON a.k = b.k AND a.v <= b.v`, insertOne("a"),
		`SELECT COUNT(*) FROM w`, func(rows, n int) string { return fmt.Sprint(rows + n) }},
	{"not in", `SELECT k FROM a WHERE k NOT IN (SELECT k FROM b WHERE k IS NOT NULL)`,
		func(i, rows int) string { return fmt.Sprintf("INSERT INTO a VALUES (%d, 0, 0)", rows+i) },
		`SELECT COUNT(*) FROM w`, func(_, n int) string { return fmt.Sprint(n) }},
	{"top 10", `SELECT k, v FROM a ORDER BY v DESC LIMIT 10`,
		func(i, rows int) string { return fmt.Sprintf("INSERT INTO a VALUES (%d, 0, %d)", rows+i, rows+i) },
		`SELECT MAX(v) FROM w`, func(rows, n int) string { return fmt.Sprint(rows + n - 1) }},
	{"lag", `SELECT k, v, LAG(v) OVER (PARTITION BY g ORDER BY k) AS p FROM a`, insertOne("a"),
		`SELECT COUNT(*) FROM w`, func(rows, n int) string { return fmt.Sprint(rows + n) }},
	{"tumble", `SELECT window_start, COUNT(*) AS n FROM TUMBLE(t, ts, INTERVAL 10 SECOND) GROUP BY window_start`,
		func(i, rows int) string {
			k := spot(i, rows)
			return fmt.Sprintf("INSERT INTO t VALUES (%d, %s)", k, secondsOn(k))
		},
		`SELECT SUM(n) FROM w`, func(rows, n int) string { return fmt.Sprint(rows + n) }},
}

func secondsOn(k int) string { return time.Unix(int64(k), 0).UTC().Format("'2006-01-02 15:04:05'") }

// oneChange measures the CPU of one-row changes of several views, cut to
// frontier, at two sizes of the state.
func oneChange(small, large int) func(o options) ([]string, error) {
	return func(options) ([]string, error) {
		var lines []string
		for _, c := range changes {
			var cost [2]time.Duration
			for k, rows := range []int{small, large} {
				var err error
				if cost[k], err = c.cost(rows); err != nil {
					return lines, fmt.Errorf("%s, %d rows: %w", c.name, rows, err)
				}
			}
			lines = append(lines, fmt.Sprintf("%-9s %d rows: %v of CPU for a one-row change, %d rows: %v: %.2f ×", c.name, small, cost[0], large, cost[1], float64(cost[1])/float64(cost[0])))
		}
		return lines, nil
	}
}

// cost is the least, over some rounds, of the workers' CPU for a change.
func (c changed) cost(rows int) (time.Duration, error) {
	n, err := start(2)
	if err != nil {
		return 0, err
	}
	defer n.stop()
	conn, err := n.db.Conn(context.Background())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	exec := func(text string) error {
		_, err := conn.ExecContext(context.Background(), text)
		if err != nil {
			err = fmt.Errorf("%.80s: %w", text, err)
		}
		return err
	}
	for _, q := range []string{
		`CREATE STREAM TABLE a (k BIGINT, g BIGINT, v BIGINT)`,
		`CREATE STREAM TABLE b (k BIGINT, g BIGINT, v BIGINT)`,
		`CREATE STREAM TABLE t (k BIGINT, ts DATETIME, WATERMARK FOR ts AS ts - INTERVAL 100 DAY)`,
		`CREATE MATERIALIZED VIEW w AS ` + c.view,
	} {
		if err := exec(q); err != nil {
			return 0, err
		}
	}
	if err := c.fill(exec, rows); err != nil {
		return 0, err
	}
	if err := c.verify(conn, rows, 0); err != nil {
		return 0, err
	}
	time.Sleep(time.Duration(rows/500_000+1) * 500 * time.Millisecond) // checkpoints of the load
	const rounds, length = 4, 128
	least := time.Hour
	taken, err := n.rowsIn("w")
	if err != nil {
		return 0, err
	}
	for r := range rounds {
		before := n.eng.WorkerCPU()
		for i := range length {
			if err := exec(c.change(r*length+i, rows)); err != nil {
				return 0, err
			}
			taken++
			if err := n.await("w", taken); err != nil {
				return 0, err
			}
		}
		least = min(least, (n.eng.WorkerCPU()-before)/length)
	}
	return least, c.verify(conn, rows, rounds*length)
}

// await waits until a view has applied as many rows.
func (n *node) await(view string, rows uint64) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Microsecond) {
		switch got, err := n.rowsIn(view); {
		case err != nil:
			return err
		case got >= rows:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("view %s has taken %d rows in a minute, must be %d", view, got, rows)
		}
	}
}

// fill inserts rows into the streams that the view reads.
func (c changed) fill(exec func(string) error, rows int) error {
	timed := strings.Contains(c.view, "TUMBLE")
	for from := 0; from < rows; from += 5000 {
		var b strings.Builder
		for i := from; i < min(from+5000, rows); i++ {
			if timed {
				fmt.Fprintf(&b, ",(%d,%s)", i, secondsOn(i))
			} else {
				fmt.Fprintf(&b, ",(%d,%d,%d)", i, i/10, i)
			}
		}
		for _, stream := range []string{"a", "b", "t"} {
			if timed != (stream == "t") {
				continue
			}
			if err := exec("INSERT INTO " + stream + " VALUES " + b.String()[1:]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c changed) verify(conn *sql.Conn, rows, changes int) error {
	var got sql.NullString
	if err := conn.QueryRowContext(context.Background(), c.check).Scan(&got); err != nil {
		return err
	}
	if want := c.want(rows, changes); got.String != want {
		return fmt.Errorf("%s gives %s after %d changes, must be %s", c.check, got.String, changes, want)
	}
	return nil
}
