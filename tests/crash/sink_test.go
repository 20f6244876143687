package crash

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"streamsql/tests/servers"
)

// sinkKills is how often the server is killed under a sink.
const sinkKills = 6

// TestSinks kills the server at random moments while sinks write files, and checks
// that these tell every change exactly once: the rows of an append-only one are the
// stream's, and what is left of the others are the rows of the view.
func TestSinks(t *testing.T) {
	files := t.TempDir()
	s := servers.StreamSQL(t, "--files="+files)
	db := servers.Open(t, s.DSN())
	rng := rand.New(rand.NewPCG(*seed, 2))
	exec(t, db, "CREATE DATABASE d", "CREATE STREAM TABLE d.s (id BIGINT NOT NULL, k BIGINT NOT NULL)",
		"CREATE MATERIALIZED VIEW d.sums AS SELECT k, COUNT(*) AS n, SUM(id) AS total FROM d.s GROUP BY k",
		"INSERT INTO d.s VALUES (-1, 1), (-2, 2)",
		"CREATE SINK d.every WITH (connector = 'file', path = 'every') AS SELECT id, k FROM d.s",
		"CREATE SINK d.newest WITH (connector = 'file', path = 'newest', changelog = 'upsert') FROM d.sums",
		"CREATE SINK d.all_changes WITH (connector = 'file', path = 'all', changelog = 'retract') AS SELECT n, COUNT(*) AS times FROM d.sums GROUP BY n")
	for range sinkKills {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ctx.Err() == nil { // an INSERT whose OK is lost may be there or not
				db.ExecContext(ctx, fmt.Sprintf("INSERT INTO d.s VALUES (%d, %d), (%d, %d)", rng.Int64N(1e12), rng.IntN(20), rng.Int64N(1e12), rng.IntN(20)))
			}
		}()
		time.Sleep(time.Duration(100+rand.IntN(1500)) * time.Millisecond) // the moment is what the test is about
		s.Kill()
		stop()
		<-done
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	servers.Eventually(t, 30*time.Second, func() error {
		if _, err := db.ExecContext(t.Context(), "FLUSH STREAMS"); err != nil {
			return err
		}
		if err := sameAsSink(db, filepath.Join(files, "every"), "SELECT id, k FROM d.s", "id", "k"); err != nil {
			return err
		}
		if err := sameAsSink(db, filepath.Join(files, "newest"), "SELECT k, n, total FROM d.sums", "k", "n", "total"); err != nil {
			return err
		}
		return sameAsSink(db, filepath.Join(files, "all"), "SELECT n, COUNT(*) FROM d.sums GROUP BY n", "n", "times")
	})
}

// sameAsSink compares what the lines of a file leave with the rows of a query.
func sameAsSink(db *sql.DB, path, query string, columns ...string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	left := map[string]int{}
	newest := map[string]string{} // upsert: the row of a key
	for line := range strings.Lines(string(text)) {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			return fmt.Errorf("%s: %q: %w", path, line, err)
		}
		var values []string
		for _, c := range columns {
			values = append(values, fmt.Sprint(object[c]))
		}
		row := strings.Join(values, "\t")
		switch op := object["op"]; {
		case filepath.Base(path) == "newest":
			if old, ok := newest[values[0]]; ok {
				left[old]--
			}
			delete(newest, values[0])
			if op != "-D" {
				newest[values[0]] = row
				left[row]++
			}
		case op == "-D" || op == "-U":
			left[row]--
		default:
			left[row]++
		}
	}
	maps.DeleteFunc(left, func(_ string, n int) bool { return n == 0 })
	rows, err := servers.Rows(context.Background(), db, query)
	if err != nil {
		return err
	}
	want := map[string]int{}
	for _, r := range rows {
		want[r]++
	}
	if !maps.Equal(left, want) {
		return fmt.Errorf("%s leaves %d rows, %s gives %d, or others", path, len(left), query, len(want))
	}
	return nil
}
