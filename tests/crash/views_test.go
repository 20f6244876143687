package crash

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"streamsql/tests/servers"
)

var viewKills = flag.Int("view-kills", 6, "TestViewsComeAndGo: how often to kill the server")

// meddled are the views that come and go: those of all tests, and such as have a part
// in common with one of them, or with each other, so that they share the work.
var meddled = append(slices.Clone(views),
	view{"key_totals", "SELECT COUNT(*) AS c, SUM(n) AS n, SUM(nv) AS nv, MAX(s) AS s, SUM(sd) AS sd FROM (SELECT k, COUNT(*) AS n, COUNT(v) AS nv, SUM(v) AS s, SUM(d) AS sd FROM events GROUP BY k) AS x"},
	view{"key_steps", "SELECT n DIV 4 AS b, COUNT(*) AS c, SUM(nv) AS nv, MIN(s) AS s, SUM(sd) AS sd FROM (SELECT k, COUNT(*) AS n, COUNT(v) AS nv, SUM(v) AS s, SUM(d) AS sd FROM events GROUP BY k) AS x GROUP BY n DIV 4"},
	view{"owner_marks", "SELECT m, COUNT(owner) AS c FROM (SELECT DISTINCT owner, n % 5 AS m FROM items) AS x GROUP BY m"},
	view{"once_more", "SELECT k AS kk, COUNT(*) AS rows_of, COUNT(v) AS nv, SUM(v) AS s, SUM(d) AS sd FROM events GROUP BY k"},
	view{"by_uniques", "SELECT ks, COUNT(s) AS c, MAX(vs) AS vs FROM (SELECT s, COUNT(DISTINCT k) AS ks, COUNT(DISTINCT v) AS vs FROM events GROUP BY s) AS x GROUP BY ks"},
	view{"owner_count", "SELECT owner, COUNT(*) AS c, SUM(m) AS m FROM (SELECT DISTINCT owner, n % 5 AS m FROM items) AS x GROUP BY owner"},
	view{"owner_total", "SELECT SUM(c) AS c, MAX(m) AS m FROM (SELECT owner, COUNT(*) AS c, SUM(m) AS m FROM (SELECT DISTINCT owner, n % 5 AS m FROM items) AS x GROUP BY owner) AS y"},
)

// readsOf are the views that a view reads.
func readsOf(v view) (names []string) {
	for _, x := range meddled {
		if x.name != v.name && strings.Contains(v.query, " "+x.name) {
			names = append(names, x.name)
		}
	}
	return names
}

// meddler creates, drops, restarts, pauses and resumes views at random, until
// something fails.
type meddler struct {
	rng    *rand.Rand
	did    map[string]int
	paused string // the view that is paused; empty: none
}

func (m *meddler) run(ctx context.Context, db *sql.DB) error {
	for {
		there, err := liveViews(ctx, db)
		if err != nil {
			return err
		}
		v := meddled[m.rng.IntN(len(meddled))]
		verb, statement := m.choose(v, there)
		if statement == "" {
			continue
		}
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		m.did[verb]++
	}
}

// choose draws what is done to a view, given those that are there.
func (m *meddler) choose(v view, there []string) (verb, statement string) {
	if !slices.Contains(there, m.paused) {
		m.paused = ""
	}
	switch n := m.rng.IntN(10); {
	case m.paused != "" && (n < 4 || len(readsOf(v)) > 0): // a view over one that is paused is refused
		name := m.paused
		m.paused = ""
		return "resume", "RESUME CONTINUOUS QUERY crash." + name
	case !slices.Contains(there, v.name):
		for _, r := range readsOf(v) {
			if !slices.Contains(there, r) {
				return "", ""
			}
		}
		return "create", create(v)
	case n < 3:
		return "drop", "DROP MATERIALIZED VIEW crash." + v.name + " CASCADE"
	case n < 5 && m.paused == "":
		m.paused = v.name
		return "pause", "PAUSE CONTINUOUS QUERY crash." + v.name
	case n < 7 && m.paused == "":
		return "restart", "RESTART CONTINUOUS QUERY crash." + v.name
	}
	return "", ""
}

func liveViews(ctx context.Context, db *sql.DB) ([]string, error) {
	return servers.Rows(ctx, db, "SHOW MATERIALIZED VIEWS FROM crash")
}

// resumeAll lets the views that are paused go on: one that stands still is at an
// older batch than its recomputation. A note says so of those that are not.
func resumeAll(ctx context.Context, db *sql.DB) error {
	there, err := liveViews(ctx, db)
	for _, name := range there {
		if err == nil {
			_, err = db.ExecContext(ctx, "RESUME CONTINUOUS QUERY crash."+name)
		}
	}
	return err
}

// TestViewsComeAndGo makes and drops views at random under load, and kills the
// server at random moments of that: while views are being filled, while some are in a
// checkpoint and those that they read are not, or further than they are. After each
// start every view that is there equals its recomputation, and goes on to.
func TestViewsComeAndGo(t *testing.T) {
	s := servers.StreamSQL(t)
	rng := rand.New(rand.NewPCG(*seed, 33))
	var writers []*writer
	for i := range writerCount {
		writers = append(writers, newWriter(i, writerCount, *seed))
	}
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, schema...)
	m := &meddler{rng: rng, did: map[string]int{}}
	checked := 0
	var hidden []string
	for k := range *viewKills {
		ended := make(chan error, 1)
		wait := load(t.Context(), t, db, writers)
		go func() { ended <- m.run(t.Context(), db) }()
		time.Sleep(time.Duration(300+rng.IntN(1500)) * time.Millisecond) // the moment is what the test is about
		s.Kill()
		wait()
		if err := <-ended; err != nil && !broken(err) {
			t.Fatalf("before kill %d: %v", k+1, err)
		}
		startAgain(t, s, rng)
		if err := resumeAll(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		m.paused = ""
		there, err := liveViews(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		var live []view
		for _, v := range meddled {
			if slices.Contains(there, v.name) {
				live = append(live, v)
			}
		}
		if _, err := checkAll(t.Context(), db, writers, live); err != nil {
			t.Fatalf("after kill %d (-view-kills %d -crash-seed %d): %v", k+1, *viewKills, *seed, err)
		}
		checked += len(live)
		n, err := servers.Rows(t.Context(), db, "SELECT COUNT(*) FROM streamsql.jobs WHERE kind = 'shared query'")
		if err != nil {
			t.Fatal(err)
		}
		hidden = append(hidden, n...)
	}
	if checked == 0 || m.did["create"] == 0 {
		t.Fatalf("nothing was checked: %v", m.did)
	}
	t.Logf("%d kills, %v, %d times a view equal to its recomputation, queries without a name after each: %v", *viewKills, m.did, checked, hidden)
}

// broken reports that an error only says that the server is gone.
func broken(err error) bool {
	text := err.Error()
	return strings.Contains(text, "1053") || !strings.Contains(text, "Error ")
}
