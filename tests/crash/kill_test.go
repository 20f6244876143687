package crash

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/cmd/streamsql/child"
	"streamsql/tests/servers"
)

var (
	kills = flag.Int("kills", 20, "TestKill: how often to kill the server")
	seed  = flag.Uint64("crash-seed", 1, "TestKill: seed of the load and of the moments")
)

const writerCount = 4

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// options of the connections: a broken one must be an error at once, never a
// silent second try, which could double rows.
const options = "?collation=utf8mb4_bin&interpolateParams=true&timeout=10s"

func exec(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func create(v view) string {
	return "CREATE MATERIALIZED VIEW crash." + v.name + " AS " + qualified(v.query)
}

var tableName = regexp.MustCompile(`((?:FROM|JOIN) |(?:TUMBLE|HOP|SESSION)\()([a-z])`)

// qualified names the database in a query, for connections that have none.
func qualified(query string) string { return tableName.ReplaceAllString(query, "${1}crash.$2") }

// load starts the writers. The result waits until each has failed, and fails the
// test when one did so otherwise than by the end of the server or of ctx.
func load(ctx context.Context, t *testing.T, db *sql.DB, writers []*writer) (wait func()) {
	errs := make([]error, len(writers))
	var wg sync.WaitGroup
	for i, w := range writers {
		wg.Go(func() { errs[i] = w.run(ctx, db) })
	}
	return func() {
		t.Helper()
		wg.Wait()
		for i, err := range errs {
			var my *mysql.MySQLError
			if errors.As(err, &my) && my.Number != serverShutdown {
				t.Fatalf("writer %d: %v", i, err)
			}
		}
	}
}

// serverShutdown is MySQL's error for a statement that comes while the server stops.
const serverShutdown = 1053

// TestKill kills the server at random moments under load, and checks after each start
// that nothing acknowledged is lost, nothing is doubled, and every view is right.
func TestKill(t *testing.T) {
	s := servers.StreamSQL(t)
	rng := rand.New(rand.NewPCG(*seed, 1))
	var writers []*writer
	for i := range writerCount {
		writers = append(writers, newWriter(i, writerCount, *seed))
	}
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, schema...)
	// Half of the views are there from the start; the others come one by one, over
	// rows that are there already.
	live := views[:len(views)/2]
	for _, v := range live {
		exec(t, db, create(v))
	}
	var slowest time.Duration
	events := 0
	for k := range *kills {
		wait := load(t.Context(), t, db, writers)
		time.Sleep(time.Duration(20+rng.IntN(600)) * time.Millisecond) // the moment is what the test is about
		s.Kill()
		wait()
		took := startAgain(t, s, rng)
		slowest = max(slowest, took)
		n, err := checkAll(t.Context(), db, writers, live)
		if err != nil {
			t.Fatalf("after kill %d (-kills %d -crash-seed %d): %v", k+1, *kills, *seed, err)
		}
		if n == events {
			t.Logf("kill %d: no event was written before it", k+1)
		}
		events = n
		if len(live) < len(views) {
			v := views[len(live)]
			exec(t, db, create(v))
			live = views[:len(live)+1]
		}
	}
	if events == 0 {
		t.Fatal("no event was ever acknowledged: the load did not run")
	}
	t.Logf("%d kills, %d events, 0 lost, 0 doubled, %d views equal their recomputation; slowest start %v", *kills, events, len(live), slowest.Round(time.Millisecond))
}

// startAgain starts a killed server, in one of four cases killing it once more
// while it recovers. It returns how long the successful start took.
func startAgain(t *testing.T, s *child.Server, rng *rand.Rand) time.Duration {
	t.Helper()
	if rng.IntN(4) == 0 {
		failed := make(chan struct{})
		before := s.Exited()
		go func() {
			defer close(failed)
			s.Start(t.Context()) // its error is the kill below
		}()
		for s.Exited() == before {
			time.Sleep(time.Millisecond) // until there is a process to kill
		}
		time.Sleep(time.Duration(rng.IntN(80)) * time.Millisecond)
		s.Kill()
		<-failed
	}
	start := time.Now()
	if err := s.Start(t.Context()); err != nil {
		t.Fatalf("the server does not start after a kill: %v", err)
	}
	return time.Since(start)
}

// TestTerminate: SIGTERM under load ends the server within five seconds, and loses nothing either.
func TestTerminate(t *testing.T) {
	s := servers.StreamSQL(t)
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, schema...)
	for _, v := range views {
		exec(t, db, create(v))
	}
	writers := []*writer{newWriter(0, 2, *seed), newWriter(1, 2, *seed)}
	for range 3 {
		wait := load(t.Context(), t, db, writers)
		time.Sleep(300 * time.Millisecond) // so that there is a load
		if err := s.Terminate(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		wait()
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := checkAll(t.Context(), db, writers, views); err != nil {
			t.Fatal(err)
		}
	}
}

// TestChecksOnReference shows that load and checks are right in themselves.
func TestChecksOnReference(t *testing.T) {
	m := servers.MariaDB(t)
	db := servers.Open(t, m.DSN()+options)
	exec(t, db, "DROP DATABASE IF EXISTS crash")
	plain := strings.NewReplacer("CREATE STREAM TABLE", "CREATE TABLE", "CREATE MATERIALIZED VIEW", "CREATE VIEW")
	for _, s := range schema {
		exec(t, db, plain.Replace(s))
	}
	for _, v := range views {
		exec(t, db, plain.Replace(create(v)))
	}
	writers := []*writer{newWriter(0, 2, *seed), newWriter(1, 2, *seed)}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	load(ctx, t, db, writers)()
	awaitSessionsEnd(t, db)
	n, err := checkAll(t.Context(), db, writers, views)
	if err != nil || n == 0 {
		t.Fatalf("%d events: %v", n, err)
	}
	// And that they find what is wrong.
	for _, c := range []struct{ damage, want string }{
		{"DELETE FROM crash.events WHERE seq = 1 AND writer = 0", "is lost"},
		{"INSERT INTO crash.events SELECT * FROM crash.events WHERE seq = 2 AND writer = 1", "is there 2 times"},
		{"INSERT INTO crash.events VALUES (0, 999999999, 1, 1, 'x', 1)", "was rolled back"},
		{"UPDATE crash.items SET n = n + 1", "items of writer"},
	} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(c.damage); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if _, err := checkAll(t.Context(), db, writers, views); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("after %s: %v, want %q", c.damage, err, c.want)
		}
		undo(t, db, c.damage)
	}
}

// awaitSessionsEnd waits until the server has noticed that the writers' connections
// are closed: a COMMIT it is still at would otherwise come between two reads of a check.
func awaitSessionsEnd(t *testing.T, db *sql.DB) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.processlist WHERE db = 'crash'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("%d sessions of the writers are still there 10 s after their connections were closed", n)
		}
	}
}

// undo takes back what TestChecksOnReference broke.
func undo(t *testing.T, db *sql.DB, broken string) {
	switch {
	case strings.HasPrefix(broken, "DELETE"):
		exec(t, db, "INSERT INTO crash.events VALUES (0, 1, 1, 1, 'x', 1)")
	case strings.Contains(broken, "SELECT"):
		exec(t, db, "DELETE FROM crash.events WHERE seq = 2 AND writer = 1 LIMIT 1")
	case strings.HasPrefix(broken, "INSERT"):
		exec(t, db, "DELETE FROM crash.events WHERE seq = 999999999")
	}
}
