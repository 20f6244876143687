package crash

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"streamsql/tests/servers"
)

var recoveryKeys = flag.Int("keys", 1_000_000, "TestRecovery: how many keys the view has")

const (
	interval  = time.Second // between checkpoints
	batchRows = 5000
)

// TestRecovery bounds a restart: with many keys of state, a killed server
// answers its first query soon, and replays what came after the last checkpoints,
// not the log.
func TestRecovery(t *testing.T) {
	s := servers.StreamSQL(t, "--checkpoint-interval", interval.String())
	db := servers.Open(t, s.DSN()+options+"&maxAllowedPacket=67108864")
	exec(t, db, "CREATE DATABASE r7", "CREATE STREAM TABLE r7.s (k BIGINT NOT NULL, v INT)",
		"CREATE MATERIALIZED VIEW r7.v AS SELECT k, COUNT(*) AS n, SUM(v) AS s FROM r7.s GROUP BY k",
		"CREATE MATERIALIZED VIEW r7.top AS SELECT COUNT(*) AS ks, SUM(n) AS n, SUM(s) AS s FROM r7.v")
	limit := 5 * time.Second
	if *recoveryKeys > 1_000_000 {
		limit = 30 * time.Second
	}
	rows := 0
	start := time.Now()
	// Two passes over all keys: the log is twice as long as the state.
	for pass := range 2 {
		for k := 0; k < *recoveryKeys; k += batchRows {
			n := insertKeys(t, db, k, min(batchRows, *recoveryKeys-k), pass+1)
			rows += n
		}
	}
	rate := float64(rows) / time.Since(start).Seconds()
	want := expected(*recoveryKeys)
	expect(t, db, want)

	// Killed at rest, after two intervals, there is next to nothing to replay.
	time.Sleep(3 * interval)
	ready, first := restartAndAsk(t, s, db, want)
	t.Logf("%d keys, killed at rest: ready after %v, first query after %v, %d cuts and %d rows replayed",
		*recoveryKeys, ready, first, s.Ready().Recovery.Cuts, s.Ready().Recovery.Rows)
	if first > limit {
		t.Errorf("the first query was answered after %v, want %v", first, limit)
	}
	if n := s.Ready().Recovery.Rows; n > int64(rows/20) {
		t.Errorf("%d of %d rows were replayed after three idle checkpoint intervals", n, rows)
	}

	// Killed under load, at most what came in two intervals, with one more to spare
	// for the round that was under way.
	type ack struct {
		at   time.Time
		rows int
	}
	var acks []ack
	for begin := time.Now(); time.Since(begin) < 6*interval; {
		n := insertKeys(t, db, len(acks)*batchRows%*recoveryKeys, min(batchRows, *recoveryKeys), 0)
		acks = append(acks, ack{time.Now(), n})
		rows += n
	}
	s.Kill()
	killed := time.Now()
	recent := 2 * batchRows
	for _, a := range acks {
		if killed.Sub(a.at) < 3*interval {
			recent += a.rows
		}
	}
	begin := time.Now()
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ready = time.Since(begin)
	var n int
	if err := db.QueryRowContext(t.Context(), "SELECT n FROM r7.top").Scan(&n); err != nil {
		t.Fatal(err)
	}
	first = time.Since(begin)
	if n != rows {
		t.Errorf("%d rows after the kill, want %d", n, rows)
	}
	rec := s.Ready().Recovery
	t.Logf("killed under load (%.0f rows/s before): ready after %v, first query after %v, %d cuts and %d rows replayed of %d",
		rate, ready, first, rec.Cuts, rec.Rows, rows)
	if first > limit {
		t.Errorf("the first query was answered after %v, want %v", first, limit)
	}
	if rec.Rows > int64(recent) {
		t.Errorf("%d rows were replayed; three checkpoint intervals held %d", rec.Rows, recent)
	}
}

// insertKeys inserts n rows with keys from k on, and v = value.
func insertKeys(t *testing.T, db *sql.DB, k, n, value int) int {
	t.Helper()
	var b strings.Builder
	b.WriteString("INSERT INTO r7.s VALUES ")
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "(%d,%d)", k+i, value)
	}
	exec(t, db, b.String())
	return n
}

// expected is the row of r7.top after two passes.
func expected(keys int) string { return fmt.Sprintf("%d\t%d\t%d", keys, 2*keys, 3*keys) }

func expect(t *testing.T, db *sql.DB, want string) {
	t.Helper()
	got, err := rows(t.Context(), db, "SELECT ks, n, s FROM r7.top")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0] != want {
		t.Fatalf("r7.top is %q, want %q", got, want)
	}
}

// restartAndAsk kills and starts the server; it returns when it was ready and
// when the first query was answered.
func restartAndAsk(t *testing.T, s interface {
	Restart(context.Context) error
}, db *sql.DB, want string) (ready, first time.Duration) {
	t.Helper()
	begin := time.Now()
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	ready = time.Since(begin)
	expect(t, db, want)
	return ready, time.Since(begin)
}
