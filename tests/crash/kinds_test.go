package crash

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"streamsql/tests/servers"
)

// kinds are views of the operators that views does not have. Some cannot be computed
// anew from what is there (a window's rows given for good, a price as it was when a
// row came): for these, read and want are two queries that must agree all the same.
var kinds = []struct {
	view
	read, want string
}{
	{view: view{"tumble", "SELECT window_start, COUNT(*) AS n, SUM(v) AS s FROM TUMBLE(moments, ts, INTERVAL 5 SECOND) GROUP BY window_start EMIT CHANGES"}},
	{view{"closed", "SELECT window_start, COUNT(*) AS n, SUM(v) AS s FROM TUMBLE(moments, ts, INTERVAL 5 SECOND) GROUP BY window_start EMIT ON WINDOW CLOSE"},
		"SELECT * FROM closed", "SELECT * FROM tumble WHERE window_start IN (SELECT window_start FROM closed)"},
	{view: view{"hops", "SELECT window_start, k % 4 AS g, COUNT(DISTINCT k) AS n, MAX(v) AS m FROM HOP(moments, ts, INTERVAL 2 SECOND, INTERVAL 6 SECOND) GROUP BY window_start, k % 4"}},
	{view: view{"sessions", "SELECT k, window_start, window_end, COUNT(*) AS n, SUM(v) AS s FROM SESSION(moments, ts, INTERVAL 1 SECOND, PARTITION BY k) GROUP BY k, window_start, window_end"}},
	{view: view{"best", "SELECT owner, id, price FROM (SELECT owner, id, price, ROW_NUMBER() OVER (PARTITION BY owner ORDER BY price DESC, id) AS r FROM items) x WHERE r <= 3"}},
	{view: view{"first", "SELECT id, n FROM items ORDER BY n DESC, id LIMIT 10"}},
	{view: view{"steps", "SELECT id, owner, n, ROW_NUMBER() OVER w AS r, LAG(n) OVER w AS before_n, SUM(n) OVER w AS total FROM items WINDOW w AS (PARTITION BY owner ORDER BY id)"}},
	{view: view{"full_join", "SELECT i.id, i.n, l.k, l.v FROM items AS i FULL JOIN latest AS l ON l.k = i.id"}},
	{view: view{"not_in", "SELECT id, owner FROM items WHERE id NOT IN (SELECT k FROM latest WHERE v > 50)"}},
	{view: view{"rollup", "SELECT owner, n % 3 AS m, COUNT(*) AS c, SUM(price) AS p, GROUPING(owner) AS g FROM items GROUP BY owner, n % 3 WITH ROLLUP"}},
	{view: view{"upserts", "SELECT v % 7 AS m, COUNT(*) AS n, SUM(v) AS s, MIN(k) AS lo, GROUP_CONCAT(k ORDER BY k) AS ks FROM latest GROUP BY v % 7"}},
	{view: view{"near", "SELECT a.k, a.seq AS a, b.seq AS b FROM moments AS a JOIN moments AS b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 SECOND AND b.seq > a.seq"}},
	{view{"priced", "SELECT l.k, l.v, i.price, i.n FROM latest AS l LEFT JOIN items FOR SYSTEM_TIME AS OF PROCTIME() AS i ON i.id = l.k"},
		"SELECT k, v FROM priced", "SELECT k, v FROM latest"},
	{view: view{"above", "SELECT s.owner, COUNT(*) AS n, SUM(s.total) AS t, MAX(b.price) AS p FROM steps AS s LEFT JOIN best AS b ON b.id = s.id GROUP BY s.owner"}},
	{view: view{"priced_total", "SELECT n, COUNT(*) AS c, SUM(price) AS s, MAX(v) AS m FROM priced GROUP BY n"}},
	{view: view{"rare", "SELECT n, COUNT(*) AS c FROM tumble GROUP BY n UNION ALL SELECT n, c FROM priced_total EXCEPT SELECT 1, 1"}},
	{view: view{"most", "SELECT owner, n FROM items AS i WHERE n >= (SELECT AVG(n) FROM items AS j WHERE j.owner = i.owner)"}},
}

// kindsSchema is what they read beside events and items.
var kindsSchema = []string{
	`CREATE STREAM TABLE crash.moments (seq BIGINT NOT NULL, ts DATETIME(3), k INT NOT NULL, v INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECOND)
	 WITH (partitions = 3, idle_timeout = '100 ms')`,
	"CREATE STREAM TABLE crash.latest (k INT PRIMARY KEY, v INT)",
}

// kindsWriter writes moments about a time that all of them move on, and rows of latest.
type kindsWriter struct {
	rng *rand.Rand
	now *atomic.Int64 // milliseconds
	seq *atomic.Int64
}

func (w kindsWriter) run(ctx context.Context, db *sql.DB) error {
	for {
		if _, err := db.ExecContext(ctx, w.next()); err != nil {
			return err
		}
	}
}

func (w kindsWriter) next() string {
	var rows []string
	switch w.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("DELETE FROM crash.latest WHERE k = %d", w.rng.IntN(keys))
	case 1:
		for range 1 + w.rng.IntN(10) {
			rows = append(rows, fmt.Sprintf("(%d, %d)", w.rng.IntN(keys), w.rng.IntN(100)))
		}
		return "INSERT INTO crash.latest VALUES " + strings.Join(rows, ", ")
	}
	for range 1 + w.rng.IntN(10) {
		at := w.now.Add(int64(w.rng.IntN(40)))
		if w.rng.IntN(3) == 0 {
			at -= int64(w.rng.IntN(5000))
		}
		ts, v := "'"+time.UnixMilli(1704067200000+at).UTC().Format("2006-01-02 15:04:05.000")+"'", "NULL"
		if w.rng.IntN(50) == 0 {
			ts = "NULL"
		}
		if w.rng.IntN(10) > 0 {
			v = fmt.Sprint(w.rng.IntN(100))
		}
		rows = append(rows, fmt.Sprintf("(%d, %s, %d, %s)", w.seq.Add(1), ts, w.rng.IntN(100), v))
	}
	return "INSERT INTO crash.moments VALUES " + strings.Join(rows, ", ")
}

// TestKillKinds kills the server under load, as TestKill does, with views of every
// kind: while they run, while one is being filled, paused or dropped. After each
// start every view that is there is what it must be.
func TestKillKinds(t *testing.T) {
	s := servers.StreamSQL(t)
	rng := rand.New(rand.NewPCG(*seed, 11))
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, slices.Concat(schema, kindsSchema)...)
	var writers []*writer
	for i := range 2 {
		writers = append(writers, newWriter(i, 2, *seed))
	}
	var now, seq atomic.Int64
	live := len(kinds) / 2
	for _, k := range kinds[:live] {
		exec(t, db, create(k.view))
	}
	for k := range *kills {
		wait := load(t.Context(), t, db, writers)
		ended := make(chan error, 2)
		for range cap(ended) {
			w := kindsWriter{rand.New(rand.NewPCG(rng.Uint64(), uint64(k))), &now, &seq}
			go func() { ended <- w.run(t.Context(), db) }()
		}
		moment := time.Duration(20+rng.IntN(600)) * time.Millisecond // it is what the test is about
		meddled := make(chan error, 1)
		go func() { meddled <- meddle(t.Context(), db, k, live, moment) }()
		time.Sleep(moment)
		s.Kill()
		wait()
		for range cap(ended) {
			if err := <-ended; !broken(err) {
				t.Fatal(err)
			}
		}
		if err := <-meddled; err != nil && !broken(err) {
			t.Fatal(err)
		}
		startAgain(t, s, rng)
		checkKinds(t, db, writers, live, fmt.Sprintf("after kill %d (-kills %d -crash-seed %d)", k+1, *kills, *seed))
		live = min(live+1, len(kinds))
	}
}

// meddle does one thing to the views at about half of the time until the kill.
func meddle(ctx context.Context, db *sql.DB, round, live int, moment time.Duration) error {
	do := func(statements ...string) error {
		for _, s := range statements {
			if _, err := db.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	}
	name := "crash." + kinds[round%live].name
	time.Sleep(moment / 2)
	switch round % 4 {
	case 0:
		return do("PAUSE CONTINUOUS QUERY " + name)
	case 1:
		time.Sleep(moment/2 - min(moment/2, 5*time.Millisecond)) // the kill comes while it is being filled
		return do("RESTART CONTINUOUS QUERY " + name)
	case 2:
		time.Sleep(moment/2 - min(moment/2, 2*time.Millisecond))
		return do("DROP MATERIALIZED VIEW " + name + " CASCADE")
	}
	return do("PAUSE CONTINUOUS QUERY "+name, "RESUME CONTINUOUS QUERY "+name)
}

// checkKinds resumes and makes those of the first live views that do not run, and
// compares each with what it must be.
func checkKinds(t *testing.T, db *sql.DB, writers []*writer, live int, when string) {
	t.Helper()
	there, err := liveViews(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds[:live] {
		if slices.Contains(there, k.name) {
			exec(t, db, "RESUME CONTINUOUS QUERY crash."+k.name)
		} else {
			exec(t, db, create(k.view))
		}
	}
	if _, err := checkAll(t.Context(), db, writers, nil); err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "USE crash"); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds[:live] {
		v, read := k.view, k.read
		if k.want != "" {
			v.query = k.want
		} else {
			read = "SELECT * FROM " + k.name
			v.query, _, _ = strings.Cut(v.query, " EMIT")
		}
		if err := checkReading(t.Context(), conn, v, read); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
	}
}
