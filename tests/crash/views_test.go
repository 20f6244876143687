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

// readsOf are the views that a view reads.
func readsOf(v view) (names []string) {
	for _, x := range views {
		if x.name != v.name && strings.Contains(v.query, " "+x.name) {
			names = append(names, x.name)
		}
	}
	return names
}

// meddler creates, drops, restarts, pauses and resumes views at random, until
// something fails.
type meddler struct {
	rng *rand.Rand
	did map[string]int
}

func (m *meddler) run(ctx context.Context, db *sql.DB) error {
	for {
		there, err := liveViews(ctx, db)
		if err != nil {
			return err
		}
		v := views[m.rng.IntN(len(views))]
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
	switch n := m.rng.IntN(10); {
	case !slices.Contains(there, v.name):
		for _, r := range readsOf(v) {
			if !slices.Contains(there, r) {
				return "", ""
			}
		}
		return "create", create(v)
	case n < 4:
		return "drop", "DROP MATERIALIZED VIEW crash." + v.name + " CASCADE"
	case n < 7:
		return "restart", "RESTART CONTINUOUS QUERY crash." + v.name
	}
	return "", ""
}

func liveViews(ctx context.Context, db *sql.DB) ([]string, error) {
	return servers.Rows(ctx, db, "SHOW MATERIALIZED VIEWS FROM crash")
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
	for k := range *viewKills {
		meddled := make(chan error, 1)
		wait := load(t.Context(), t, db, writers)
		go func() { meddled <- m.run(t.Context(), db) }()
		time.Sleep(time.Duration(300+rng.IntN(1500)) * time.Millisecond) // the moment is what the test is about
		s.Kill()
		wait()
		if err := <-meddled; err != nil && !broken(err) {
			t.Fatalf("before kill %d: %v", k+1, err)
		}
		startAgain(t, s, rng)
		there, err := liveViews(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		var live []view
		for _, v := range views {
			if slices.Contains(there, v.name) {
				live = append(live, v)
			}
		}
		if _, err := checkAll(t.Context(), db, writers, live); err != nil {
			t.Fatalf("after kill %d (-view-kills %d -crash-seed %d): %v", k+1, *viewKills, *seed, err)
		}
		checked += len(live)
	}
	if checked == 0 || m.did["create"] == 0 {
		t.Fatalf("nothing was checked: %v", m.did)
	}
	t.Logf("%d kills, %v, %d times a view equal to its recomputation", *viewKills, m.did, checked)
}

// broken reports that an error only says that the server is gone.
func broken(err error) bool {
	text := err.Error()
	return strings.Contains(text, "1053") || !strings.Contains(text, "Error ")
}
