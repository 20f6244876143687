package crash

import (
	"database/sql"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"streamsql/cmd/streamsql/child"
	"streamsql/tests/servers"
)

var objects = flag.Int("objects", 300, "TestGrowth: how often to create and drop")

// footprint is what a server uses, seen from outside.
type footprint struct {
	rss, disk            int64 // bytes
	threads, descriptors int
}

func (f footprint) String() string {
	return fmt.Sprintf("%d MB resident, %d MB on disk, %d threads, %d descriptors", f.rss>>20, f.disk>>20, f.threads, f.descriptors)
}

// TestGrowth bounds what CREATE and DROP leave: what is dropped
// leaves nothing behind, neither in the running server nor in the next start.
func TestGrowth(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("/proc is not there, by which the server's use is measured")
	}
	s := servers.StreamSQL(t)
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, "CREATE DATABASE g", "CREATE TABLE g.stays (id INT PRIMARY KEY, v INT)", "INSERT INTO g.stays VALUES (1, 1)",
		"CREATE MATERIALIZED VIEW g.stays_too AS SELECT SUM(v) AS s FROM g.stays")
	cycle(t, db, 0, *objects) // fills caches and pools: the baseline is a server that has done it before
	before := settle(t, s)
	cycle(t, db, *objects, *objects)
	after := settle(t, s)
	t.Logf("%d CREATE/DROP of a stream, a table and two views each\nbefore: %v\nafter:  %v", *objects, before, after)
	const slack = 16 << 20 // the collector's own unrest, on a small heap
	switch {
	case after.rss > before.rss+before.rss/10+slack:
		t.Error("resident memory grew by more than 10 %")
	case after.threads > before.threads+4:
		t.Error("threads grew")
	case after.descriptors > before.descriptors+4:
		t.Error("descriptors grew")
	case after.disk > 3*before.disk+slack:
		t.Error("the data directory grew")
	}
	// The next start does not pay for what is gone.
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"SHOW TABLES FROM g LIKE 't\\_%'", "SHOW TABLES FROM g LIKE 'v\\_%'"} {
		left, err := rows(t.Context(), db, gone)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) > 0 {
			t.Errorf("after the restart there are dropped objects: %v", left)
		}
	}
	if got, err := rows(t.Context(), db, "SELECT s FROM g.stays_too"); err != nil || len(got) != 1 || got[0] != "1" {
		t.Errorf("the view that stays: %v, %v", got, err)
	}
}

// cycle creates objects, uses and drops them, n times.
func cycle(t *testing.T, db *sql.DB, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		exec(t, db,
			fmt.Sprintf("CREATE STREAM TABLE g.t_%d (k INT, v INT)", i),
			fmt.Sprintf("CREATE MATERIALIZED VIEW g.v_%d AS SELECT k, SUM(v) AS s FROM g.t_%d GROUP BY k", i, i),
			fmt.Sprintf("INSERT INTO g.t_%d VALUES (1, 1), (2, 2)", i),
			fmt.Sprintf("CREATE MATERIALIZED VIEW g.v_on_%d AS SELECT COUNT(*) AS n FROM g.v_%d", i, i),
			fmt.Sprintf("CREATE TABLE g.t_plain_%d (id INT PRIMARY KEY)", i))
		if i%50 == 0 {
			if got, err := rows(t.Context(), db, fmt.Sprintf("SELECT n FROM g.v_on_%d", i)); err != nil || got[0] != "2" {
				t.Fatalf("v_on_%d: %v, %v", i, got, err)
			}
		}
		exec(t, db,
			fmt.Sprintf("DROP MATERIALIZED VIEW g.v_on_%d", i), fmt.Sprintf("DROP MATERIALIZED VIEW g.v_%d", i),
			fmt.Sprintf("DROP STREAM TABLE g.t_%d", i), fmt.Sprintf("DROP TABLE g.t_plain_%d", i))
	}
}

// settle reads the footprint until it has not fallen for three seconds: files and
// memory are given back in the background.
func settle(t *testing.T, s *child.Server) footprint {
	t.Helper()
	best := measure(t, s)
	for calm := 0; calm < 3; {
		time.Sleep(time.Second)
		f := measure(t, s)
		if f.rss < best.rss-best.rss/50 || f.disk < best.disk || f.threads < best.threads || f.descriptors < best.descriptors {
			calm = 0
		} else {
			calm++
		}
		best = footprint{min(best.rss, f.rss), f.disk, min(best.threads, f.threads), min(best.descriptors, f.descriptors)}
	}
	return best
}

func measure(t *testing.T, s *child.Server) footprint {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d/", s.Ready().PID)
	text, err := os.ReadFile(proc + "status")
	if err != nil {
		t.Fatal(err)
	}
	field := func(name string) int64 {
		_, rest, _ := strings.Cut(string(text), "\n"+name+":")
		n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	fds, err := os.ReadDir(proc + "fd")
	if err != nil {
		t.Fatal(err)
	}
	f := footprint{rss: field("VmRSS") << 10, threads: int(field("Threads")), descriptors: len(fds)}
	filepath.WalkDir(s.Data(), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil { // a file may go while we look
				f.disk += allocated(info)
			}
		}
		return nil
	})
	return f
}
