package crash

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"streamsql/tests/servers"
)

// eventTime is a stream whose rows come in disorder, in partitions that fall idle,
// and windows over it: kept up to date, and given once when they are over.
var eventTime = []string{
	"CREATE DATABASE crash",
	`CREATE STREAM TABLE crash.moments (ts DATETIME(3), k INT NOT NULL, WATERMARK FOR ts AS ts - INTERVAL 2 SECOND)
	 WITH (partitions = 3, idle_timeout = '100 ms')`,
	`CREATE MATERIALIZED VIEW crash.windows WITH (late_rows = 'crash.late') AS
	 SELECT window_start, COUNT(*) AS n, SUM(k) AS s FROM TUMBLE(crash.moments, ts, INTERVAL 5 SECOND) GROUP BY window_start`,
	`CREATE MATERIALIZED VIEW crash.over AS
	 SELECT window_start, COUNT(*) AS n, SUM(k) AS s FROM TUMBLE(crash.moments, ts, INTERVAL 5 SECOND) GROUP BY window_start EMIT ON WINDOW CLOSE`,
}

// writeMoments is a client that writes rows at about a time that it moves on, a third of
// them up to 8 s late. acked counts the rows that were acknowledged.
func writeMoments(ctx context.Context, db *sql.DB, rng *rand.Rand, now, acked *atomic.Int64) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for {
		var rows []string
		for range 1 + rng.IntN(20) {
			at := now.Add(int64(rng.IntN(40)))
			if rng.IntN(3) == 0 {
				at -= int64(rng.IntN(8000))
			}
			ts := "'" + time.UnixMilli(1704067200000+at).UTC().Format("2006-01-02 15:04:05.000") + "'"
			if rng.IntN(50) == 0 {
				ts = "NULL"
			}
			rows = append(rows, fmt.Sprintf("(%s, %d)", ts, rng.IntN(10)))
		}
		if _, err := conn.ExecContext(ctx, "INSERT INTO crash.moments VALUES "+strings.Join(rows, ", ")); err != nil {
			return err
		}
		acked.Add(int64(len(rows)))
		if rng.IntN(100) == 0 {
			time.Sleep(150 * time.Millisecond) // a partition may fall idle
		}
	}
}

// TestKillEventTime kills the server while watermarks, idle marks and late rows are
// on their way. Each row is then in its window or among the late ones, once; the
// view agrees with a reading of the log, and so do windows that were given for good.
func TestKillEventTime(t *testing.T) {
	s := servers.StreamSQL(t)
	rng := rand.New(rand.NewPCG(*seed, 7))
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, eventTime...)
	var now, acked atomic.Int64
	now.Store(20_000)
	for k := range max(*kills/4, 3) {
		ended := make(chan error, 2)
		for range cap(ended) {
			mine := rand.New(rand.NewPCG(rng.Uint64(), uint64(k)))
			go func() { ended <- writeMoments(t.Context(), db, mine, &now, &acked) }()
		}
		time.Sleep(time.Duration(100+rng.IntN(900)) * time.Millisecond) // the moment is what the test is about
		s.Kill()
		for range cap(ended) {
			<-ended
		}
		startAgain(t, s, rng)
		checkMoments(t, db, acked.Load())
	}
}

// checkMoments compares what the views say with each other and with the log.
func checkMoments(t *testing.T, db *sql.DB, acked int64) {
	t.Helper()
	exec(t, db, "FLUSH STREAMS WITH TIMEOUT 60")
	number := func(query string) (n int64) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	all := number("SELECT COUNT(*) FROM crash.moments")
	if all < acked {
		t.Fatalf("%d rows of %d that were acknowledged", all, acked)
	}
	timed := number("SELECT COUNT(ts) FROM crash.moments")
	in, late := number("SELECT COALESCE(SUM(n), 0) FROM crash.windows"), number("SELECT COUNT(*) FROM crash.late")
	counted := number("SELECT COALESCE(SUM(row_count), 0) FROM streamsql.late_rows WHERE view_name = 'windows'")
	if in+late != timed || counted != late {
		t.Fatalf("%d rows with a time: %d in windows, %d late rows kept, %d counted", timed, in, late, counted)
	}
	view := rowsOf(t, db, "SELECT window_start, n, s FROM crash.windows ORDER BY window_start")
	again := rowsOf(t, db, "SELECT window_start, COUNT(*), SUM(k) FROM TUMBLE(crash.moments, ts, INTERVAL 5 SECOND) GROUP BY window_start ORDER BY window_start")
	if view != again {
		t.Fatalf("the view has\n%s\nand a reading of the log gives\n%s", view, again)
	}
	given := number("SELECT COUNT(*) FROM crash.over")
	if other := number(`SELECT COUNT(*) FROM crash.over o LEFT JOIN crash.windows w ON w.window_start = o.window_start
		WHERE w.n IS NULL OR w.n <> o.n OR w.s <> o.s`); other != 0 {
		t.Fatalf("%d of %d windows that were given for good are not what the view has", other, given)
	}
	if twice := number("SELECT COUNT(*) - COUNT(DISTINCT window_start) FROM crash.over"); twice != 0 {
		t.Fatalf("%d windows were given twice", twice)
	}
	t.Logf("%d rows, %d late, %d windows given for good", all, late, given)
}

// rowsOf is the result of a query with three columns, a line a row.
func rowsOf(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var a, b, c sql.NullString
		if err := rows.Scan(&a, &b, &c); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, a.String, b.String, c.String)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
