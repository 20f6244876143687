package crash

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"streamsql/tests/servers"
)

var intoKills = flag.Int("into-kills", 5, "TestInto: how often to kill the server")

// TestInto kills the server at random moments while continuous queries write INTO a
// stream, an upsert stream and a table, one behind the other, and views read those: each
// row must have gone into each once. Meanwhile definitions come, change and go.
func TestInto(t *testing.T) {
	s := servers.StreamSQL(t)
	db := servers.Open(t, s.DSN())
	rng := rand.New(rand.NewPCG(*seed, 3))
	exec(t, db, "CREATE DATABASE d",
		"CREATE STREAM TABLE d.s (id BIGINT NOT NULL, k INT NOT NULL, v INT)",
		"CREATE TABLE d.names (k INT PRIMARY KEY, name VARCHAR(10) NOT NULL)",
		"CREATE STREAM TABLE d.clean (id BIGINT NOT NULL, k INT NOT NULL, v INT NOT NULL)",
		"CREATE STREAM TABLE d.sums (k INT PRIMARY KEY, n BIGINT, total DECIMAL(32,0))",
		"CREATE TABLE d.named (name VARCHAR(10) PRIMARY KEY, n DECIMAL(32,0))",
		"INSERT INTO d.s VALUES (-1, 1, 5), (-2, 2, NULL)",
		"CREATE CONTINUOUS QUERY d.cleaning INTO d.clean AS SELECT id, k, COALESCE(v, 0) FROM d.s WHERE id % 3 <> 0",
		"CREATE CONTINUOUS QUERY d.summing INTO d.sums AS SELECT k, COUNT(*), SUM(v) FROM d.clean GROUP BY k",
		"CREATE CONTINUOUS QUERY d.naming INTO d.named AS SELECT COALESCE(name, '-'), SUM(n) FROM d.sums LEFT JOIN d.names USING (k) GROUP BY COALESCE(name, '-')",
		"CREATE MATERIALIZED VIEW d.by_n AS SELECT n, COUNT(*) AS c, SUM(total) AS total FROM d.sums GROUP BY n",
		"CREATE MATERIALIZED VIEW d.over_by_n AS SELECT SUM(c) AS keyed, SUM(total) AS total FROM d.by_n")
	defs := &definitions{db: db, rng: rand.New(rand.NewPCG(*seed, 4))}
	for range *intoKills {
		ctx, stop := context.WithCancel(t.Context())
		done, defined := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(defined)
			defs.changes(ctx)
		}()
		go func() {
			defer close(done)
			for ctx.Err() == nil { // a statement whose OK is lost may have been done or not
				db.ExecContext(ctx, fmt.Sprintf("INSERT INTO d.s (id, k, v) VALUES (%d, %d, %d), (%d, %d, NULL)", rng.Int64N(1e12), rng.IntN(30), rng.IntN(9), rng.Int64N(1e12), rng.IntN(30)))
				if rng.IntN(5) == 0 {
					db.ExecContext(ctx, fmt.Sprintf("REPLACE INTO d.names (k, name) VALUES (%d, 'n%d')", rng.IntN(30), rng.IntN(5)))
				}
				if rng.IntN(20) == 0 {
					db.ExecContext(ctx, fmt.Sprintf("DELETE FROM d.names WHERE k = %d", rng.IntN(30)))
				}
			}
		}()
		time.Sleep(time.Duration(100+rand.IntN(1200)) * time.Millisecond) // the moment is what the test is about
		s.Kill()
		stop()
		<-done
		<-defined
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, db, "FLUSH STREAMS WITH TIMEOUT 30")
	for _, c := range [][2]string{
		{"SELECT * FROM d.clean", "SELECT id, k, COALESCE(v, 0) FROM d.s WHERE id % 3 <> 0"},
		{"SELECT * FROM d.sums", "SELECT k, COUNT(*), SUM(v) FROM d.clean GROUP BY k"},
		{"SELECT * FROM d.named", "SELECT COALESCE(name, '-'), SUM(n) FROM d.sums LEFT JOIN d.names USING (k) GROUP BY COALESCE(name, '-')"},
		{"SELECT * FROM d.by_n", "SELECT n, COUNT(*), SUM(total) FROM d.sums GROUP BY n"},
		{"SELECT * FROM d.over_by_n", "SELECT SUM(c), SUM(total) FROM d.by_n"},
	} {
		same(t, db, c[0], c[1])
	}
	defs.check(t)
}

// same compares the rows of two queries, which are to have some.
func same(t *testing.T, db *sql.DB, this, that string) {
	t.Helper()
	got, err := rows(t.Context(), db, this)
	if err != nil {
		t.Fatal(err)
	}
	want, err := rows(t.Context(), db, that)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s is not %s (- that, + this):\n%s", this, that, difference(want, got))
	}
	if len(want) == 0 {
		t.Errorf("%s gives nothing: the load did not run", that)
	}
}
